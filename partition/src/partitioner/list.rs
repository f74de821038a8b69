//! The partitioners: one entry each.
//!
//! A new one is another file in this folder with its `impl Partitioner`, and an entry here: what it does, its name, and
//! how it is made from the [`Options`]. All else follows: its name in configurations and messages, the tests over all.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Block, FromFile, Hilbert, Metis, Options, Partitioner, PtScotch, Random, Rcb};
use crate::PartitionError;

macro_rules! partitioners {
    (
        by name {$(
            $(#[doc = $about:literal])+
            $method:ident = $name:literal, $make:expr;
        )+}
        by name and file {$(
            $(#[doc = $about_reader:literal])+
            $reader:ident = $prefix:literal, $make_reader:expr;
        )+}
    ) => {
        /// A partitioner by name.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Method {
            $($(#[doc = $about])+ $method,)+
            $($(#[doc = $about_reader])+ $reader(PathBuf),)+
        }

        impl Method {
            /// Their names. `PATH` stands for a file's path.
            pub const NAMES: &'static [&'static str] = &[$($name,)+ $(concat!($prefix, "PATH"),)+];

            /// What it does, in a few words.
            pub fn about(&self) -> &'static str {
                let about = match self {
                    $(Method::$method => concat!($($about),+),)+
                    $(Method::$reader(_) => concat!($($about_reader),+),)+
                };
                about.trim_start()
            }
        }

        impl FromStr for Method {
            type Err = PartitionError;

            fn from_str(name: &str) -> Result<Method, PartitionError> {
                $(if name == $name {
                    return Ok(Method::$method);
                })+
                $(if let Some(path) = name.strip_prefix($prefix).filter(|path| !path.is_empty()) {
                    return Ok(Method::$reader(path.into()));
                })+
                Err(PartitionError::UnknownMethod { name: name.into() })
            }
        }

        impl fmt::Display for Method {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Method::$method => f.write_str($name),)+
                    $(Method::$reader(path) => write!(f, concat!($prefix, "{}"), path.display()),)+
                }
            }
        }

        impl Options {
            /// The partitioner that these options describe.
            pub fn partitioner(&self) -> Box<dyn Partitioner> {
                match &self.method {
                    $(Method::$method => made(self, $make),)+
                    $(Method::$reader(path) => made(path.as_path(), $make_reader),)+
                }
            }
        }
    };
}

partitioners! {
    by name {
        /// k-way graph partitioning by METIS: the smallest halos; gathers the graph on one rank.
        Metis = "metis", |options: &Options| Metis { seed: options.seed, limit: options.metis_limit };
        /// k-way graph partitioning by PT-Scotch, a library found at run time: small halos; distributed.
        PtScotch = "pt-scotch", |options: &Options| PtScotch { seed: options.seed };
        /// Recursive coordinate bisection: compact boxes; distributed.
        Rcb = "rcb", |_: &Options| Rcb;
        /// Equal pieces of a space-filling curve: compact, each piece one run of the curve; distributed.
        Hilbert = "hilbert", |_: &Options| Hilbert;
        /// Equal pieces of the file's order: as good as that order.
        Block = "block", |_: &Options| Block;
        /// Equal pieces of a shuffled order: the worst halos, for tests.
        Random = "random", |options: &Options| Random { seed: options.seed };
    }
    by name and file {
        /// Part numbers from a text file.
        File = "file:", |path: &Path| FromFile { path: path.into() };
    }
}

fn made<A: ?Sized, P: Partitioner + 'static>(of: &A, make: impl Fn(&A) -> P) -> Box<dyn Partitioner> {
    Box::new(make(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_a_method_that_says_it_and_what_it_does() {
        let mut abouts = Vec::new();
        for name in Method::NAMES.iter().map(|name| name.replace("PATH", "a/b.txt")) {
            let method: Method = name.parse().expect("a known name");
            assert_eq!(method.to_string(), name);
            let about = method.about();
            assert!(about.ends_with('.') && about.len() > 20 && about == about.trim(), "{about:?}");
            abouts.push(about);
        }
        abouts.sort_unstable();
        abouts.dedup();
        assert_eq!(abouts.len(), Method::NAMES.len(), "words of its own");
    }

    #[test]
    fn other_names_are_refused_with_those_there_are() {
        for name in ["Metis", "file:", "file", "scotch", ""] {
            let message = name.parse::<Method>().unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("unknown partitioner \"{name}\"; use one of ")),
                "{message}"
            );
            assert!(Method::NAMES.iter().all(|known| message.contains(known)), "{message}");
        }
    }
}
