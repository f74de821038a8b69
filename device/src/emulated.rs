//! The emulated device: the code that a GPU would run, compiled by the host's C++ compiler.
//!
//! A launch runs its blocks one after the other, and a block's threads phase by phase, both in random order: any
//! dependence on the order shows. So does the order of the two streams: work is queued, and runs at once or as late as
//! waits of the host or of the other stream allow, at random.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::error::DeviceError;
use super::interface::{Address, Device, Function, Mark, Source, Stream};

/// One compilation of a file at a time: simulated ranks want the same code, and the second finds it compiled.
static COMPILING: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());

/// Compiler options: the bits are those of IEEE 754 operations, one by one. Few optimisations: compiling takes longer
/// than most runs.
const OPTIONS: [&str; 9] = [
    "-std=c++17",
    "-O1",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-exceptions",
    "-fPIC",
    "-shared",
    "-w",
    "-fno-strict-aliasing",
];
/// All that the code needs: to look for more takes the linker a quarter of the time.
const LIBRARIES: [&str; 3] = ["-nodefaultlibs", "-lm", "-lc"];

/// Code that has been compiled and loaded.
pub(crate) struct HostLibrary {
    library: libloading::Library,
    name: String,
}

impl HostLibrary {
    /// Compiles code, unless it is already in `directory`, and loads it.
    pub(crate) fn load(name: &str, source: &str, directory: &Path) -> Result<HostLibrary, DeviceError> {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        let mut key = blake3::Hasher::new();
        for part in [&compiler, source].into_iter().chain(OPTIONS).chain(LIBRARIES) {
            key.update(part.as_bytes()).update(&[0]);
        }
        let file = directory.join(format!("{name}-{}.so", &key.finalize().to_hex()[..16]));
        let mut compiling = COMPILING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let of_file = Arc::clone(compiling.entry(file.clone()).or_default());
        drop(compiling);
        let guard = of_file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !file.exists() {
            compile(name, source, &compiler, &file)?;
        }
        drop(guard);
        // SAFETY: the library was just made from generated code; loading it runs no code of its own.
        let library = unsafe { libloading::Library::new(&file) }.map_err(|error| failed(&file, &error))?;
        Ok(HostLibrary { library, name: name.into() })
    }

    /// The address of a function.
    pub(crate) fn symbol(&self, symbol: &str) -> Result<*const std::ffi::c_void, DeviceError> {
        // SAFETY: only the address is taken; the caller knows its type.
        let found = unsafe { self.library.get::<*const std::ffi::c_void>(symbol.as_bytes()) };
        found.map(|address| *address).map_err(|error| DeviceError::Failed {
            call: format!("{}: {symbol}", self.name),
            reason: error.to_string(),
        })
    }
}

/// Writes the library next to its place and renames it, so that no process loads half of it.
fn compile(name: &str, source: &str, compiler: &str, file: &Path) -> Result<(), DeviceError> {
    let cache = |path: &Path, error: std::io::Error| DeviceError::Cache {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    let directory = file.parent().expect("the file is in the directory of compiled texts");
    std::fs::create_dir_all(directory).map_err(|error| cache(directory, error))?;
    let beside =
        |extension: &str| -> PathBuf { file.with_extension(format!("{}.{extension}", std::process::id())) };
    let (text, made) = (beside("cpp"), beside("made"));
    std::fs::write(&text, source).map_err(|error| cache(&text, error))?;
    let mut command = Command::new(compiler);
    command.args(OPTIONS).arg("-o").arg(&made).arg(&text).args(LIBRARIES);
    let output = command.output().map_err(|error| DeviceError::NoHostCompiler {
        command: compiler.into(),
        reason: error.to_string(),
    })?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(DeviceError::Compile { name: name.into(), log });
    }
    std::fs::rename(&made, file).map_err(|error| cache(file, error))?;
    // The source is no longer needed; nothing depends on its removal.
    let _ = std::fs::remove_file(&text);
    Ok(())
}

fn failed(file: &Path, error: &libloading::Error) -> DeviceError {
    DeviceError::Failed { call: format!("loading {}", file.display()), reason: error.to_string() }
}

/// A device that runs code on the host.
pub struct Emulated {
    directory: PathBuf,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// Memory, by address.
    memory: BTreeMap<Address, Box<[u64]>>,
    libraries: Vec<HostLibrary>,
    functions: Vec<Entry>,
    /// Most bytes of memory in total; none: as much as the host has.
    limit: Option<u64>,
    /// The code that has been compiled.
    texts: Vec<(String, String)>,
    /// When work passed each of them.
    marks: Vec<Option<Instant>>,
    queues: [Queue; 2],
    /// Pieces of work given to the device so far.
    issued: u64,
    seed: u64,
}

/// `entry(arguments, blocks, seed)`
type Entry = unsafe extern "C" fn(*const u64, u32, u64);

/// The work of a stream that has not run yet.
#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    /// Pieces of work that have run.
    done: u64,
}

impl Queue {
    /// Pieces of work queued so far.
    fn queued(&self) -> u64 {
        self.done + self.work.len() as u64
    }
}

enum Work {
    Fill {
        to: Address,
        bytes: usize,
        value: u8,
    },
    Upload {
        to: Address,
        bytes: Box<[u8]>,
    },
    Launch {
        entry: Entry,
        blocks: u32,
        arguments: Box<[u64]>,
        seed: u64,
    },
    /// Until this many pieces of the other stream's work have run.
    Wait {
        other: Stream,
        done: u64,
    },
    Mark(usize),
}

/// Most pieces of work that a stream leaves for later.
const LONGEST_QUEUE: usize = 100;

impl Emulated {
    /// A device that keeps compiled code in `directory`, and draws the order of threads and blocks from `seed`.
    pub fn new(directory: &Path, seed: u64) -> Emulated {
        let state = State { seed, ..State::default() };
        Emulated { directory: directory.into(), state: RefCell::new(state) }
    }

    /// The same device with this many bytes of memory.
    pub fn with_memory(self, bytes: u64) -> Emulated {
        self.state.borrow_mut().limit = Some(bytes);
        self
    }

    /// Names and contents of the code compiled so far.
    pub fn texts(&self) -> Vec<(String, String)> {
        self.state.borrow().texts.clone()
    }
}

impl State {
    /// The bytes from an address on, within one allocation.
    fn bytes(&mut self, address: Address, bytes: usize) -> &mut [u8] {
        let (start, words) =
            self.memory.range_mut(..=address).next_back().expect("an address of this device");
        let from = (address - start) as usize;
        &mut bytemuck::cast_slice_mut(words)[from..from + bytes]
    }

    /// A number that differs for every piece of work.
    fn draw(&mut self) -> u64 {
        self.issued += 1;
        self.seed.wrapping_mul(1 << 32).wrapping_add(self.issued)
    }

    /// Queues work; decides at random whether the stream runs its queue now.
    fn push(&mut self, stream: Stream, work: Work) {
        // The constant is 2^64 divided by the golden ratio: about every second number has the highest bit set.
        let now = self.draw().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1;
        let queue = &mut self.queues[stream as usize];
        queue.work.push_back(work);
        if now || queue.work.len() > LONGEST_QUEUE {
            self.drain(stream);
        }
    }

    fn drain(&mut self, stream: Stream) {
        self.run_until(stream, self.queues[stream as usize].queued());
    }

    /// Runs a stream's work until `done` pieces of it have run.
    fn run_until(&mut self, stream: Stream, done: u64) {
        while self.queues[stream as usize].done < done {
            let work = self.queues[stream as usize].work.pop_front().expect("what is waited for is queued");
            match work {
                Work::Fill { to, bytes, value } => self.bytes(to, bytes).fill(value),
                Work::Upload { to, bytes } => self.bytes(to, bytes.len()).copy_from_slice(&bytes),
                // SAFETY: the conditions of `launch`, whose caller has met them; no slice of the memory is borrowed.
                Work::Launch { entry, blocks, arguments, seed } => unsafe {
                    entry(arguments.as_ptr(), blocks, seed)
                },
                Work::Wait { other, done } => self.run_until(other, done),
                Work::Mark(number) => self.marks[number] = Some(Instant::now()),
            }
            self.queues[stream as usize].done += 1;
        }
    }
}

impl Device for Emulated {
    fn description(&self) -> String {
        "emulated on the host".into()
    }

    /// One, so that even small meshes have enough blocks for each.
    fn processors(&self) -> usize {
        1
    }

    fn shared_memory(&self) -> usize {
        228 * 1024
    }

    fn allocate(&self, bytes: usize, what: &str) -> Result<Address, DeviceError> {
        let used: u64 = self.state.borrow().memory.values().map(|words| size_of_val(&**words) as u64).sum();
        if let Some(total) = self.state.borrow().limit
            && used + bytes as u64 > total
        {
            let (what, needed, free) = (what.into(), bytes as u64, total - used);
            return Err(DeviceError::OutOfMemory { what, needed, used, free, total });
        }
        // Filled with a value that shows if it is used before it is written.
        let mut words = vec![u64::MAX; bytes.div_ceil(8)].into_boxed_slice();
        let address = words.as_mut_ptr() as Address;
        self.state.borrow_mut().memory.insert(address, words);
        Ok(address)
    }

    fn free(&self, address: Address) {
        let state = &mut *self.state.borrow_mut();
        [Stream::Compute, Stream::Copy].into_iter().for_each(|stream| state.drain(stream));
        state.memory.remove(&address);
    }

    fn fill(&self, to: Address, bytes: usize, value: u8, stream: Stream) -> Result<(), DeviceError> {
        self.state.borrow_mut().push(stream, Work::Fill { to, bytes, value });
        Ok(())
    }

    fn upload(&self, to: Address, bytes: &[u8], stream: Stream) -> Result<(), DeviceError> {
        self.state.borrow_mut().push(stream, Work::Upload { to, bytes: bytes.into() });
        Ok(())
    }

    fn download(&self, from: Address, bytes: &mut [u8], stream: Stream) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.drain(stream);
        bytes.copy_from_slice(state.bytes(from, bytes.len()));
        Ok(())
    }

    fn compile(&self, source: Source<'_>) -> Result<Vec<Function>, DeviceError> {
        let library = HostLibrary::load(source.name, source.text, &self.directory)?;
        let state = &mut *self.state.borrow_mut();
        let mut functions = Vec::with_capacity(source.entries.len());
        for entry in source.entries {
            let address = library.symbol(entry)?;
            // SAFETY: CFD_ENTRY of the prelude defines every entry with this type.
            let function = unsafe { std::mem::transmute::<*const std::ffi::c_void, Entry>(address) };
            functions.push(Function(state.functions.len()));
            state.functions.push(function);
        }
        state.libraries.push(library);
        state.texts.push((source.name.into(), source.text.into()));
        Ok(functions)
    }

    unsafe fn launch(
        &self,
        function: Function,
        blocks: u32,
        _threads: u32,
        arguments: &[u64],
        stream: Stream,
    ) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let (entry, seed) = (state.functions[function.0], state.draw());
        state.push(stream, Work::Launch { entry, blocks, arguments: arguments.into(), seed });
        Ok(())
    }

    fn wait(&self, stream: Stream, other: Stream) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let done = state.queues[other as usize].queued();
        state.push(stream, Work::Wait { other, done });
        Ok(())
    }

    fn synchronize(&self, stream: Stream) -> Result<(), DeviceError> {
        self.state.borrow_mut().drain(stream);
        Ok(())
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.marks.push(None);
        let number = state.marks.len() - 1;
        state.push(Stream::Compute, Work::Mark(number));
        Ok(Mark(number))
    }

    fn seconds(&self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        let marks = &self.state.borrow().marks;
        let at = |mark: Mark| marks[mark.0].expect("the work has passed the marks");
        Ok((at(to) - at(from)).as_secs_f64())
    }
}
