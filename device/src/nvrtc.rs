//! NVRTC, the compiler of CUDA C at run time.

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cudarc::nvrtc::sys;

use super::error::DeviceError;

/// What the code is compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Code of a virtual architecture, as text: `compute_90`.
    Ptx(u32),
    /// Code of a real architecture: `sm_90`.
    Binary(u32),
}

/// Options for every compilation: a product and a sum are not contracted to one operation.
pub(super) const OPTIONS: [&str; 4] =
    ["--fmad=false", "--std=c++17", "--generate-line-info", "--disable-warnings"];

/// The compiler's version, major and minor.
///
/// # Errors
/// There is no NVRTC.
pub fn version() -> Result<(i32, i32), DeviceError> {
    present()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library has been loaded; the pointers are to two integers.
    check("nvrtcVersion", unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok((major, minor))
}

/// Compiles code.
///
/// # Errors
/// There is no NVRTC, or it refuses the code: the message has its log.
pub fn compile(name: &str, source: &str, target: Target) -> Result<Vec<u8>, DeviceError> {
    present()?;
    let text = |content: &str| CString::new(content).expect("generated text has no zero bytes");
    let architecture = match target {
        Target::Ptx(number) => format!("--gpu-architecture=compute_{number}"),
        Target::Binary(number) => format!("--gpu-architecture=sm_{number}"),
    };
    let options: Vec<CString> = std::iter::once(architecture.as_str()).chain(OPTIONS).map(text).collect();
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let (source, file) = (text(source), text(&format!("{name}.cu")));
    let mut program = Program(std::ptr::null_mut());
    // SAFETY: all pointers are to values that outlive the calls; the program is destroyed once, by `Program`.
    unsafe {
        let none = std::ptr::null();
        let made = sys::nvrtcCreateProgram(&mut program.0, source.as_ptr(), file.as_ptr(), 0, none, none);
        check("nvrtcCreateProgram", made)?;
        let count = i32::try_from(options.len()).expect("a handful of options");
        if sys::nvrtcCompileProgram(program.0, count, options.as_ptr()) != sys::nvrtcResult::NVRTC_SUCCESS {
            return Err(DeviceError::Compile { name: name.into(), log: program.log()? });
        }
        let mut size = 0;
        match target {
            Target::Ptx(_) => check("nvrtcGetPTXSize", sys::nvrtcGetPTXSize(program.0, &mut size))?,
            Target::Binary(_) => check("nvrtcGetCUBINSize", sys::nvrtcGetCUBINSize(program.0, &mut size))?,
        }
        let mut code = vec![0u8; size];
        let to = code.as_mut_ptr().cast();
        match target {
            Target::Ptx(_) => check("nvrtcGetPTX", sys::nvrtcGetPTX(program.0, to))?,
            Target::Binary(_) => check("nvrtcGetCUBIN", sys::nvrtcGetCUBIN(program.0, to))?,
        }
        Ok(code)
    }
}

/// A program in the compiler.
struct Program(sys::nvrtcProgram);

impl Program {
    fn log(&self) -> Result<String, DeviceError> {
        let mut size = 0;
        // SAFETY: the program exists, and the buffer has the size that the compiler reports.
        let log = unsafe {
            check("nvrtcGetProgramLogSize", sys::nvrtcGetProgramLogSize(self.0, &mut size))?;
            let mut log = vec![0u8; size];
            check("nvrtcGetProgramLog", sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()))?;
            log
        };
        Ok(String::from_utf8_lossy(&log).trim_end_matches('\0').to_string())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created by nvrtcCreateProgram and not yet destroyed.
            unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
        }
    }
}

/// Looks for the library, first where the system does, then in the CUDA toolkit's folder.
fn present() -> Result<(), DeviceError> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    // SAFETY: only tries to load the library.
    let known = || unsafe { sys::is_culib_present() };
    let found = *FOUND.get_or_init(|| known() || (load_from_toolkit() && known()));
    if found { Ok(()) } else { Err(DeviceError::NoCompiler) }
}

/// Loads the library from the toolkit's folder if it is not on the system's path; from then on, it is found by name.
fn load_from_toolkit() -> bool {
    let variables = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let folders = variables.chain(installed(Path::new("/usr/local")));
    let places = ["lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    folders.flat_map(|folder| places.map(|place| folder.join(place))).any(|folder| load_from(&folder))
}

/// Loads the library from a folder, after its other half, which it looks up only by name.
fn load_from(folder: &Path) -> bool {
    // SAFETY: loading NVIDIA's libraries runs no code that could break an invariant.
    let load = |file: &Path| unsafe { libloading::Library::new(file) }.map(std::mem::forget).is_ok();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let builtins =
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("libnvrtc-builtins.so"));
    for other in builtins {
        load(&other.path());
    }
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].iter().any(|name| load(&folder.join(name)))
}

/// The toolkits in a folder: the selected one, then the others, newest names first.
fn installed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let versioned =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda-"));
    let mut others: Vec<PathBuf> = entries.filter(versioned).collect();
    others.sort_unstable_by(|a, b| b.cmp(a));
    others.insert(0, folder.join("cuda"));
    others
}

fn check(call: &str, result: sys::nvrtcResult) -> Result<(), DeviceError> {
    if result == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    // SAFETY: the function returns a static text for every result.
    let reason = unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(result)) }.to_string_lossy().into_owned();
    Err(DeviceError::Failed { call: call.into(), reason })
}
