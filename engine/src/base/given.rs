//! What users give a program: files, which must be regular, and texts, which messages repeat.

use std::borrow::Cow;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Longest text that a message repeats in full.
const LONGEST: usize = 100;
/// Longest file name that a message repeats in full; no system has longer ones.
const LONGEST_NAME: usize = 4096;
/// Longest line of a message, which may repeat some file names.
const LONGEST_LINE: usize = 4 * LONGEST_NAME;
/// Characters shown of a longer text.
const SHOWN: usize = 60;

/// Opens a regular file, or the one a symbolic link leads to, for reading. `expected` says what it should hold, for the
/// message: `a mesh`.
///
/// # Errors
/// The file is missing or may not be read, or is not a regular file: a directory, or a device or FIFO, whose content
/// may never end or never come.
pub fn open(path: &Path, expected: &str) -> io::Result<File> {
    // Checked before opening, which can have effects on a device, and after, because the name may lead elsewhere by
    // then.
    check(&std::fs::metadata(path)?, expected)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Regular files ignore this flag; a FIFO that has replaced one would otherwise wait for a writer.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    check(&file.metadata()?, expected)?;
    Ok(file)
}

fn check(found: &Metadata, expected: &str) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = format!("this is not a regular file but {}; expected {expected}", kind(found.file_type()));
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// What something is that is not a regular file, in words.
pub fn kind(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (found.is_fifo(), "a FIFO"),
            (found.is_char_device(), "a character device"),
            (found.is_block_device(), "a block device"),
            (found.is_socket(), "a socket"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is, _)| *is) {
            return name;
        }
    }
    if found.is_dir() { "a directory" } else { "something else" }
}

/// The content of a regular file of at most `most` bytes, ample for what is `expected`.
///
/// # Errors
/// As for [`open`]; or the file is longer.
pub fn read(path: &Path, expected: &str, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path, expected)?;
    let length = file.metadata()?.len();
    let mut content = Vec::new();
    if length <= most {
        // It may be longer than it claims: kernel files, and files still being written.
        file.take(most + 1).read_to_end(&mut content)?;
    }
    if length.max(content.len() as u64) > most {
        let what = format!("it is longer than {most} bytes, which is too long for {expected}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(content)
}

/// As [`read`], for text.
///
/// # Errors
/// As for [`read`]; or the file is not UTF-8.
pub fn read_text(path: &Path, expected: &str, most: u64) -> io::Result<String> {
    let not_text =
        |_| io::Error::new(io::ErrorKind::InvalidData, format!("this is not text; expected {expected}"));
    String::from_utf8(read(path, expected, most)?).map_err(not_text)
}

/// Text from a user, for a message: of a long one, the beginning and the length; characters that would act on a terminal
/// are escaped.
pub fn short(text: &str) -> Cow<'_, str> {
    escaped(cut(text, LONGEST), acts)
}

/// As [`short`] for a file name, of which more is repeated.
pub fn short_name(name: &str) -> Cow<'_, str> {
    escaped(cut(name, LONGEST_NAME), acts)
}

/// A message of any number of lines, in which nothing but their ends and tabs acts on a terminal.
pub fn visible(message: &str) -> Cow<'_, str> {
    escaped(message.into(), |c| acts(c) && !matches!(c, '\n' | '\t'))
}

/// As [`visible`], of lines that are not longer than any that the program makes by itself.
pub fn visible_lines(message: &str) -> String {
    let lines = message.split('\n').map(|line| visible(&cut(line, LONGEST_LINE)).into_owned());
    lines.collect::<Vec<String>>().join("\n")
}

/// Whether a character controls a terminal, ends a line or changes the direction of writing.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes some characters as in Rust: `\n`, `\u{1b}`.
fn escaped(text: Cow<'_, str>, which: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&which) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match which(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown.into()
}

fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    let length = if text.len() > longest { text.chars().count() } else { 0 };
    match length > longest {
        false => text.into(),
        true => format!("{}… ({length} characters)", text.chars().take(SHOWN).collect::<String>()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_regular_file_is_refused_by_its_kind_and_nobody_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", path("link")).unwrap();
        assert_eq!(read_text(&path("link"), "a text", 4).unwrap(), "text");
        assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        std::os::unix::fs::symlink("fifo", path("link to it")).unwrap();
        let refused = |path: &Path| open(path, "a mesh").unwrap_err().to_string();
        for (path, what) in [
            (&path("fifo"), "a FIFO"),
            (&path("link to it"), "a FIFO"),
            (&path("."), "a directory"),
            (&"/dev/zero".into(), "a character device"),
        ] {
            assert_eq!(refused(path), format!("this is not a regular file but {what}; expected a mesh"));
        }
        assert!(refused(&path("none")).starts_with("No such file"));
    }

    #[test]
    fn a_file_that_is_longer_than_its_kind_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        // It takes no room on the disk, and has more zeros than anybody can read.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let message = read(&path, "a summary", 1000).unwrap_err().to_string();
        assert_eq!(message, "it is longer than 1000 bytes, which is too long for a summary");
        // This one claims to be empty.
        let message = read(Path::new("/proc/self/status"), "a summary", 10).unwrap_err().to_string();
        assert!(message.starts_with("it is longer than 10 bytes"), "{message}");
    }

    #[test]
    fn a_long_text_is_cut_and_its_length_told_in_characters() {
        assert_eq!(short("fast"), "fast");
        let whole = "é".repeat(LONGEST);
        assert_eq!(short(&whole), whole);
        let long = "é".repeat(60_000);
        assert_eq!(short(&long), format!("{}… (60000 characters)", "é".repeat(SHOWN)));
        assert_eq!(short_name(&long[..8000]), long[..8000]);
        assert_eq!(short_name(&long), short(&long));
    }

    #[test]
    fn what_would_act_on_a_terminal_is_escaped_and_letters_stay() {
        assert_eq!(short("a\u{1b}[31mb\r\nc\0\t\u{9b}"), "a\\u{1b}[31mb\\r\\nc\\u{0}\\t\\u{9b}");
        assert_eq!(short_name("Strömung\u{202e}5h.q"), "Strömung\\u{202e}5h.q");
        assert_eq!(short(&"\u{1b}".repeat(101)), format!("{}… (101 characters)", "\\u{1b}".repeat(SHOWN)));
        assert_eq!(visible("error:\n\ttwo \u{7}lines\n"), "error:\n\ttwo \\u{7}lines\n");
        let long = "x".repeat(LONGEST_LINE + 1);
        let message = visible_lines(&format!("{long}\nb\u{1b}"));
        assert_eq!(message, format!("{}… ({} characters)\nb\\u{{1b}}", &long[..SHOWN], long.len()));
    }
}
