//! The programs to run: this one, or other builds of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::launcher::Launcher;
use crate::cli::ReproArgs;
use crate::exit::Error;

/// A program and how it is started.
#[derive(Clone, Debug)]
pub struct Build {
    /// Its name in the table; `None` if only this program runs.
    pub name: Option<String>,
    /// How it is started on some ranks.
    pub launcher: Launcher,
}

impl Build {
    /// The requested programs.
    ///
    /// # Errors
    /// One is not a build of this program, or no launcher belongs to it.
    pub fn all(args: &ReproArgs) -> Result<Vec<Build>, Error> {
        if args.binaries.is_empty() {
            let own = super::own_program()?;
            let launcher = Launcher::find(args, own, &crate::commands::info::mpi_library())?;
            return Ok(vec![Build { name: None, launcher }]);
        }
        let build = |(at, path): (usize, &PathBuf)| {
            let library = ask(path)?;
            let same_name = |other: &&PathBuf| other.file_name() == path.file_name();
            // Each build is in a directory of its own, under the program's name.
            let name = match args.binaries.iter().filter(same_name).count() {
                1 => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                _ => format!("build {}", at + 1),
            };
            let program = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            Ok(Build { name: Some(name), launcher: Launcher::find(args, program, &library)? })
        };
        args.binaries.iter().enumerate().map(build).collect()
    }
}

/// The MPI library of a program, as `cfd info` names it.
fn ask(program: &Path) -> Result<String, Error> {
    let wrong =
        |reason: String| Error::Argument { argument: format!("--binaries {}", program.display()), reason };
    // A name without a directory is in the working directory, like any file name.
    let path = std::path::absolute(program).map_err(|error| wrong(error.to_string()))?;
    let answer = Command::new(path).arg("info").output().map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let ranks = text.lines().find_map(|line| line.strip_prefix("ranks "));
    let library = ranks.and_then(|line| line.split_once('(')?.1.trim_end().strip_suffix(')'));
    match library {
        Some(library) if text.starts_with("cfd ") => Ok(library.into()),
        _ => Err(wrong("this is not a build of cfd: `info` does not say what it is built with".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_build_of_the_program_is_refused() {
        for program in ["/bin/true", "no/such/program"] {
            let message = ask(Path::new(program)).unwrap_err().to_string();
            assert!(message.contains(&format!("--binaries {program}")), "{message}");
        }
    }
}
