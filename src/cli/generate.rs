//! `cfd mesh generate NAME`: one command per case that can generate meshes and per shape that belongs to no case, with the
//! generator's keys as options.

use cfd_keys::{Key, Mismatch, Value};
use cfd_solvers::CASES;
use cfd_solvers::case::{Generator, Memory};
use cfd_solvers::shapes::{self, SHAPES};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::MadeArgs;

/// A mesh to generate.
#[derive(Debug)]
pub struct Generate {
    /// How to generate it.
    pub generator: Generator,
    /// The memory that it needs.
    pub memory: Memory,
    /// The generator's keys, given or default.
    pub keys: serde_json::Value,
    /// Where to write it.
    pub made: MadeArgs,
}

/// A command: its name, what it is for, the memory of its meshes, and how they are generated.
type Made = (&'static str, String, Memory, Generator);

/// The cases that can generate meshes, then the shapes.
fn all() -> impl Iterator<Item = Made> {
    let of_cases = CASES.iter().filter_map(|case| {
        let (name, facts) = (case.name(), case.facts());
        let generator = facts.generator?;
        Some((name, format!("For case {name}: {}", generator.about), facts.memory, generator))
    });
    let of_shapes = SHAPES.iter().map(|&(name, generator)| {
        (name, format!("Elements for any case: {}", generator.about), shapes::MEMORY, generator)
    });
    of_cases.chain(of_shapes)
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
        let commands = all().map(|(name, about, _, generator)| {
            let options = generator.table.keys.iter().map(|key| option(key, &generator));
            MadeArgs::augment_args(Command::new(name).args(options)).about(about)
        });
        command.subcommands(commands).subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        all().any(|(known, ..)| known == name)
    }
}

impl FromArgMatches for Generate {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Generate, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| {
            let (.., memory, generator) = all().find(|(known, ..)| *known == name)?;
            Some((memory, generator, matches))
        });
        let Some((memory, generator, matches)) = chosen else {
            return Err(clap::Error::raw(
                ErrorKind::MissingSubcommand,
                "name the case for which to generate a mesh, or a shape",
            ));
        };
        let given = |key: &Key| {
            let value: &Value = matches.get_one(key.name)?;
            Some((key.name.to_string(), value.to_json()))
        };
        let keys = serde_json::Value::Object(generator.table.keys.iter().filter_map(given).collect());
        Ok(Generate { generator, memory, keys, made: MadeArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Generate::from_arg_matches(matches)?;
        Ok(())
    }
}
