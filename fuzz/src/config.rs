//! A configuration file and options of the command line, as text.

use cfd::config::{Config, Override};

/// Parses the input: the file's text, then, each behind a zero byte, options `KEY=VALUE`. What is accepted is printed,
/// and read again as the same configuration.
pub fn check(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let text = parts.next().unwrap_or_default();
    let option = |part: std::borrow::Cow<'_, str>| {
        let (path, value) = part.split_once('=').unwrap_or((&part, ""));
        Override { flag: format!("--set {part}"), path: path.into(), value: value.into(), bare: false }
    };
    let options: Vec<Override> = parts.map(option).collect();
    match Config::parse("fuzz.toml", &text, &options) {
        Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
        Ok(config) => same_again(&config),
    }
}

fn same_again(config: &Config) {
    let text = config.to_toml();
    let again = Config::parse("again.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_toml(), text);
    assert!(again.changes_since(&text).is_empty(), "{text}");
    assert_eq!(config.to_json(), again.to_json());
    // What a run makes of it before it looks at any mesh; an error is as good as a value.
    let _ = config.run.execution.lanes.width();
    let _ = config.run.partition.method.parse::<cfd_partition::Method>();
    let _ = config.run.limits();
}
