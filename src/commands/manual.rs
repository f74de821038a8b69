//! `cfd completions` and `cfd man`: what a package installs alongside the program, made from the command line itself.

use std::io::Write;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::{IoError, write_atomically};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::console::{Console, say};
use crate::exit::Error;

/// Prints completions for a shell.
pub fn completions(console: Console, shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cfd", &mut script);
    say!(console, "{}", String::from_utf8_lossy(&script).trim_end());
}

/// Writes `cfd.1` and a page for each command (`cfd-mesh-generate.1`) from rank 0. Collective.
///
/// # Errors
/// The directory cannot be written.
pub fn pages(comm: &Comm, directory: &Path) -> Result<(), Error> {
    let write = || -> Result<(), IoError> {
        std::fs::create_dir_all(directory).map_err(|e| IoError::write(directory, e))?;
        // A copy whose commands carry their full names.
        let mut command = Cli::command();
        command.build();
        write_page(directory, &command)
    };
    Ok(comm.agree(if comm.is_root() { write() } else { Ok(()) })?)
}

fn write_page(directory: &Path, command: &clap::Command) -> Result<(), IoError> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|e| IoError::write(directory, e))?;
    write_atomically(&directory.join(format!("{name}.1")), |file| file.write_all(&page))?;
    let own = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    own.into_iter().try_for_each(|sub| write_page(directory, sub))
}
