//! NVTX ranges around loops, with which NVIDIA's profilers label what the host launches: `nsys profile
//! --trace=cuda,nvtx cfd ...`.
//!
//! NVIDIA's library is looked up when a device is first used; without it, there are no ranges. Its functions do nothing
//! unless a profiler is running.

use std::ffi::{CString, OsStr, c_char, c_int};

/// Names of the library: in CUDA up to 12, and in NVTX 3.
const LIBRARIES: [&str; 4] =
    ["libnvToolsExt.so.1", "libnvToolsExt.so", "libnvtx3interop.so.1", "libnvtx3interop.so"];
/// Environment variable that names the library's file if it is none of these.
const VARIABLE: &str = "CFD_NVTX";

type Push = unsafe extern "C" fn(*const c_char) -> c_int;
type Pop = unsafe extern "C" fn() -> c_int;

/// The library's functions, if there is one.
#[derive(Default)]
pub(crate) struct Ranges {
    found: Option<Functions>,
}

struct Functions {
    push: Push,
    pop: Pop,
    /// Keeps the functions loaded.
    _library: libloading::Library,
}

impl Ranges {
    /// Looks for the library.
    pub(crate) fn find() -> Ranges {
        let named = std::env::var_os(VARIABLE);
        let names = named.as_deref().into_iter().chain(LIBRARIES.map(OsStr::new));
        Ranges { found: names.into_iter().find_map(load) }
    }

    /// Begins a range of this name, inside those that have begun and not ended.
    pub(crate) fn push(&self, name: &str) {
        if let Some(functions) = &self.found
            && let Ok(name) = CString::new(name)
        {
            // SAFETY: the text ends with a zero byte, and the function copies it.
            unsafe { (functions.push)(name.as_ptr()) };
        }
    }

    /// Ends the range that was begun last.
    pub(crate) fn pop(&self) {
        if let Some(functions) = &self.found {
            // SAFETY: the function takes nothing; ending without a range is not an error.
            unsafe { (functions.pop)() };
        }
    }
}

/// The functions of a library, if it exists and has them.
fn load(name: &OsStr) -> Option<Functions> {
    // SAFETY: NVIDIA's library, or the one that the user names in its place, may be loaded at any time; it has these
    // functions with these types.
    unsafe {
        let library = libloading::Library::new(name).ok()?;
        let push = *library.get::<Push>(b"nvtxRangePushA\0").ok()?;
        let pop = *library.get::<Pop>(b"nvtxRangePop\0").ok()?;
        Some(Functions { push, pop, _library: library })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulated::HostLibrary;

    /// Stands in for NVIDIA's library: records what it is told.
    const LIBRARY: &str = r#"
static char told[256];
static unsigned length;
static int tell(const char *text) { while (*text) told[length++] = *text++; return 0; }
extern "C" int nvtxRangePushA(const char *name) { return tell("(") + tell(name); }
extern "C" int nvtxRangePop() { return tell(")"); }
extern "C" const char *seen() { return told; }
"#;

    #[test]
    fn loops_are_ranges_inside_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let own = HostLibrary::load("nvtx", LIBRARY, folder.path()).unwrap();
        let file = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "so")).unwrap();
        let ranges = Ranges { found: load(file.as_os_str()) };
        assert!(ranges.found.is_some(), "{}", file.display());
        ranges.push("iteration");
        ranges.push("res_calc");
        ranges.pop();
        ranges.push("update");
        ranges.pop();
        ranges.pop();
        // SAFETY: the function has this type.
        let seen: extern "C" fn() -> *const c_char =
            unsafe { std::mem::transmute(own.symbol("seen").unwrap()) };
        // SAFETY: the text lives as long as the library.
        let text = unsafe { std::ffi::CStr::from_ptr(seen()) };
        assert_eq!(text.to_str(), Ok("(iteration(res_calc)(update))"));
    }

    #[test]
    fn without_a_library_there_are_no_ranges_and_no_error() {
        let none = Ranges { found: load(OsStr::new("no-such-library.so")) };
        assert!(none.found.is_none());
        none.push("update");
        none.pop();
    }
}
