//! The library, found when the program runs: no build needs it.

use std::env;
use std::ffi::{OsStr, OsString, c_int, c_void};
use std::mem::ManuallyDrop;

use libloading::os::unix;

/// The environment variable with the path of the library's file.
pub const LIBRARY_PATH: &str = "CFD_PTSCOTCH";

/// Names by which systems know the library: those of Debian, of others, and of the serial one, which will do for one rank.
const NAMES: [&str; 8] = [
    "libptscotch-7.0.so",
    "libptscotch.so.7.0",
    "libptscotch.so.7",
    "libptscotch.so",
    "libptscotch.dylib",
    "libscotch-7.0.so",
    "libscotch.so.7.0",
    "libscotch.so",
];

/// Words about the library for whoever looks for it: its name, version and integers, or why it cannot be used.
pub fn library_found() -> Result<String, String> {
    let library = Library::find()?;
    let [version, release, patch] = library.version;
    Ok(format!("{version}.{release}.{patch}, integers of {} bits", 8 * library.index_bytes))
}

/// The library, which stays loaded until the program ends.
pub(super) struct Library {
    functions: ManuallyDrop<libloading::Library>,
    /// Version, release and patch level.
    version: [c_int; 3],
    /// The width of its integers.
    pub index_bytes: usize,
}

impl Library {
    /// The file that [`LIBRARY_PATH`] names, or else the system's.
    pub fn find() -> Result<Library, String> {
        Library::at(env::var_os(LIBRARY_PATH))
    }

    /// The library in a file, or the system's.
    fn at(path: Option<OsString>) -> Result<Library, String> {
        let loaded = match &path {
            Some(path) => load(path),
            None => {
                NAMES.iter().map(|name| load(OsStr::new(name))).reduce(Result::or).expect("there are names")
            }
        };
        let functions = loaded.map_err(|error| {
            let wanted = match path {
                Some(_) => format!("{LIBRARY_PATH} must be the path of libptscotch.so, version 7"),
                None => format!("install it (on Debian libptscotch-dev), or set {LIBRARY_PATH} to its path"),
            };
            format!("its library is not found ({error}): {wanted}")
        })?;
        Library { functions: ManuallyDrop::new(functions), version: [0; 3], index_bytes: 0 }.checked()
    }

    /// With its version and the width of its integers, if they are known ones.
    fn checked(mut self) -> Result<Library, String> {
        let mut numbers = [0; 3];
        let [version, release, patch] = &mut numbers;
        // SAFETY: the functions have these types in all versions.
        unsafe {
            let ask: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int) =
                self.function("SCOTCH_version")?;
            ask(version, release, patch);
            let width: unsafe extern "C" fn() -> c_int = self.function("SCOTCH_numSizeof")?;
            self.index_bytes = width() as usize;
        }
        self.version = numbers;
        match (self.version, self.index_bytes) {
            ([..7, _, _], _) => {
                let [version, release, patch] = self.version;
                Err(format!("its version is {version}.{release}.{patch}, which is not deterministic; 7 is"))
            }
            (_, 4 | 8) => Ok(self),
            (_, bytes) => Err(format!("its integers have {bytes} bytes, not 4 or 8")),
        }
    }

    /// The library if it sends its messages by the MPI library of this process.
    pub fn of_this_mpi(self) -> Result<Library, String> {
        let name = "MPI_Comm_rank";
        // SAFETY: as an address the symbol may have any type.
        let [its, ours] = unsafe {
            let ours = unix::Library::this().get::<*const c_void>(format!("{name}\0").as_bytes());
            [self.function::<*const c_void>(name).ok(), ours.ok().map(|symbol| *symbol)]
        };
        match (its, ours) {
            (Some(its), Some(ours)) if its != ours => {
                Err("its library was built for another MPI library than this program; it must be the same"
                    .into())
            }
            _ => Ok(self),
        }
    }

    /// A function by its name.
    ///
    /// # Safety
    /// It has this type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller's condition; the library stays loaded.
        let found = unsafe { self.functions.get::<F>(format!("{name}\0").as_bytes()) };
        found.map(|symbol| *symbol).map_err(|_| format!("its library has no function {name}"))
    }
}

fn load(file: &OsStr) -> Result<libloading::Library, String> {
    // SAFETY: what such a library does when it is loaded leaves the process's memory alone.
    unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named_with_the_way_out() {
        let Err(message) = Library::at(Some("/nowhere/libptscotch.so".into())) else {
            panic!("it is nowhere")
        };
        assert!(message.contains("/nowhere/libptscotch.so: cannot open"), "{message}");
        assert!(message.contains("CFD_PTSCOTCH must be the path"), "{message}");
    }

    #[test]
    fn another_library_is_refused_by_what_it_lacks() {
        let Err(message) = Library::at(Some("libm.so.6".into())) else { panic!("it is another") };
        assert_eq!(message, "its library has no function SCOTCH_version");
    }
}
