//! `cfd mesh generate CASE`: one command per case that can generate meshes, with its generator's keys as options.

use cfd_keys::{Key, Mismatch, Value};
use cfd_solvers::CASES;
use cfd_solvers::case::{Case, Generator};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::MadeArgs;

/// A mesh to generate.
#[derive(Debug)]
pub struct Generate {
    /// The case it is for.
    pub case: &'static Case,
    /// How to generate it.
    pub generator: Generator,
    /// The generator's keys, given or default.
    pub keys: serde_json::Value,
    /// Where to write it.
    pub made: MadeArgs,
}

/// The cases that can generate meshes.
fn cases() -> impl Iterator<Item = (&'static Case, Generator)> {
    CASES.iter().copied().filter_map(|case| Some((case, case.facts().generator?)))
}

/// A key as an option.
fn option(key: &'static Key, generator: &Generator) -> Arg {
    let usual = generator.usual.iter().find(|(name, _)| *name == key.name);
    let usual = usual.map(|(_, value)| value.trim_matches(['[', ']']).replace(' ', ""));
    let example = usual.as_ref().map_or(String::new(), |usual| format!(", for example {usual}"));
    let parse = move |text: &str| {
        let wrong = |Mismatch { expected, .. }| format!("expected {expected}{example}");
        Value::from_option(key, text).map_err(wrong)
    };
    let arg = Arg::new(key.name)
        .long(key.name.replace('_', "-"))
        .value_name(key.name.to_uppercase())
        .help(key.meaning)
        .value_parser(parse);
    match usual {
        Some(usual) => arg.default_value(usual),
        None => arg.required(key.required),
    }
}

impl Subcommand for Generate {
    fn augment_subcommands(command: Command) -> Command {
        let commands = cases().map(|(case, generator)| {
            let options = generator.table.keys.iter().map(|key| option(key, &generator));
            let about = format!("For case {}: {}", case.name(), generator.about);
            MadeArgs::augment_args(Command::new(case.name()).args(options)).about(about)
        });
        command.subcommands(commands).subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        cases().any(|(case, _)| case.name() == name)
    }
}

impl FromArgMatches for Generate {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Generate, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| {
            let (case, generator) = cases().find(|(case, _)| case.name() == name)?;
            Some((case, generator, matches))
        });
        let Some((case, generator, matches)) = chosen else {
            return Err(clap::Error::raw(
                ErrorKind::MissingSubcommand,
                "name the case for which to generate a mesh",
            ));
        };
        let given = |key: &Key| {
            let value: &Value = matches.get_one(key.name)?;
            Some((key.name.to_string(), value.to_json()))
        };
        let keys = serde_json::Value::Object(generator.table.keys.iter().filter_map(given).collect());
        Ok(Generate { case, generator, keys, made: MadeArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Generate::from_arg_matches(matches)?;
        Ok(())
    }
}
