//! A solver's command line: the options of a run that every solver has, as those of `cfd`.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use cfd_engine::domain::DomainOptions;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_partition::{Method, Order};
use cfd_reducers::strategies;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, FromArgMatches};

/// What a run is asked for on the command line. [`Options::parse`] reads it; `--help` lists it.
///
/// ```
/// use cfd_api::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let options = Options::of(["solver", "--threads", "2", "--partitioner", "rcb", "mesh.msh"])?;
/// let domain: DomainOptions = options.domain();
/// let partition: PartitionOptions = options.partition();
/// assert_eq!((domain.threads, partition.method), (2, Method::Rcb));
/// assert_eq!(options.arguments, ["mesh.msh"]);
/// # Ok(())
/// # }
/// ```
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Guarantee about bits: reproducible or fast
    #[arg(long, value_name = "MODE", default_value = "reproducible", value_parser = mode)]
    pub mode: Mode,
    /// Strategy for loops that change values through maps; unset: the mode's
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(strategies::all().map(Strategy::name)))]
    strategy: Option<String>,
    /// Threads per rank
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: u16,
    /// The partitioner: metis, pt-scotch, rcb, hilbert, block, random or file:PATH
    #[arg(long, value_name = "NAME", default_value = Method::NAMES[0])]
    pub partitioner: Method,
    /// Seed for the partitioner
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Canonical order of the rows: file, hilbert or cuthill-mckee
    #[arg(long, value_name = "NAME", default_value = "file")]
    pub order: Order,
    /// Output directory
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Continue from this file
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// Arguments of the solver's own, in order
    #[arg(value_name = "ARGUMENT")]
    pub arguments: Vec<String>,
}

impl Options {
    /// Reads the command line of this process.
    ///
    /// # Errors
    /// As for [`Options::of`].
    pub fn parse() -> Result<Options, Usage> {
        Options::of(std::env::args_os())
    }

    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    /// Something on it is unknown or wrong, or `--help` is; [`crate::run`] prints either.
    pub fn of<T: Into<OsString>>(words: impl IntoIterator<Item = T>) -> Result<Options, Usage> {
        let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        let program = words.first().map(Path::new).and_then(Path::file_stem).unwrap_or("solver".as_ref());
        let command = Options::augment_args(Command::new(program.to_string_lossy().into_owned()));
        let found = command.clone().try_get_matches_from(words);
        let options = found.and_then(|found| Options::from_arg_matches(&found)).map_err(Usage::of)?;
        let chosen = options.domain().strategy();
        if options.mode == Mode::Reproducible && !chosen.is_reproducible() {
            let what = format!(
                "strategy \"{}\" promises no bits; choose {}, or --mode fast",
                chosen.name(),
                strategies::all()
                    .filter(|s| s.is_reproducible())
                    .map(Strategy::name)
                    .collect::<Vec<_>>()
                    .join(", ")
            );
            return Err(Usage::of(command.clone().error(clap::error::ErrorKind::ArgumentConflict, what)));
        }
        Ok(options)
    }

    /// How loops run.
    pub fn domain(&self) -> DomainOptions {
        DomainOptions {
            mode: self.mode,
            strategy: self.strategy.as_deref().and_then(strategies::named),
            threads: usize::from(self.threads),
            ..DomainOptions::default()
        }
    }

    /// How the mesh is divided among the ranks.
    pub fn partition(&self) -> cfd_partition::Options {
        cfd_partition::Options {
            method: self.partitioner.clone(),
            seed: self.seed,
            ..cfd_partition::Options::default()
        }
    }
}

fn mode(name: &str) -> Result<Mode, String> {
    match name {
        "reproducible" => Ok(Mode::Reproducible),
        "fast" => Ok(Mode::Fast),
        _ => Err("expected reproducible or fast".into()),
    }
}

/// Why a command line starts no run: something on it is wrong, or it asks for help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    text: String,
    is_help: bool,
}

impl Usage {
    fn of(error: clap::Error) -> Usage {
        Usage { text: error.render().to_string(), is_help: !error.use_stderr() }
    }

    /// Whether nothing is wrong: help is what was asked for.
    pub fn is_help(&self) -> bool {
        self.is_help
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end().trim_start_matches("error: "))
    }
}

impl Error for Usage {}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> String {
        let usage = Options::of(["solver"].iter().chain(words)).unwrap_err();
        assert!(!usage.is_help());
        usage.to_string()
    }

    #[test]
    fn every_option_reaches_the_run() {
        let words = "solver --mode fast --strategy atomic --threads 3 --partitioner random --seed 7 --order hilbert \
                     --out a/b --restart c.h5 60 x";
        let options = Options::of(words.split_whitespace()).unwrap();
        let (domain, partition) = (options.domain(), options.partition());
        assert_eq!((domain.mode, domain.strategy().name(), domain.threads), (Mode::Fast, "atomic", 3));
        assert_eq!((partition.method, partition.seed, options.order), (Method::Random, 7, Order::Hilbert));
        assert_eq!((options.out, options.restart), ("a/b".into(), Some("c.h5".into())));
        assert_eq!(options.arguments, ["60", "x"]);
    }

    #[test]
    fn defaults_are_those_of_the_program() {
        let options = Options::of(["solver"]).unwrap();
        assert_eq!((options.mode, options.domain().strategy().name()), (Mode::Reproducible, "regions"));
        assert_eq!(
            (options.partitioner, options.order, options.out),
            (Method::Metis, Order::File, "out".into())
        );
        assert_eq!((options.restart, options.arguments.len()), (None, 0));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let cases = [
            (&["--thread", "2"][..], "a similar argument exists: '--threads'"),
            (&["--threads", "0"], "0 is not in 1..=4096"),
            (&["--mode", "quick"], "expected reproducible or fast"),
            (&["--partitioner", "scotch"], "metis, pt-scotch, rcb, hilbert, block, random"),
            (&["--strategy", "region"], "regions"),
            (&["--strategy", "atomic"], "strategy \"atomic\" promises no bits; choose regions, "),
        ];
        for (words, right) in cases {
            let message = refused(words);
            assert!(message.contains(right) && !message.starts_with("error"), "{words:?}: {message}");
        }
    }

    #[test]
    fn help_is_no_error_and_names_the_program_and_all_options() {
        let help = Options::of(["/usr/bin/advection", "--help"]).unwrap_err();
        let text = help.to_string();
        assert!(help.is_help() && text.contains("Usage: advection [OPTIONS] [ARGUMENT]..."), "{text}");
        for option in
            ["--mode", "--strategy", "--threads", "--partitioner", "--seed", "--order", "--out", "--restart"]
        {
            assert!(text.contains(option), "{option}: {text}");
        }
    }
}
