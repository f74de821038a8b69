//! NVIDIA GPUs, through the driver's library, loaded at run time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::path::Path;

use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};

use super::error::DeviceError;
use super::interface::{Address, Device, Function, Mark, Source, Stream};
use super::kernel_cache::{self, KernelCache};
use super::nvrtc::{self, Target};

/// The oldest driver that has all calls used here: CUDA 12.8.
const OLDEST_DRIVER: i32 = 12080;

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its name.
    pub name: String,
    /// Compute capability: 90 for 9.0.
    pub architecture: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Multiprocessors.
    pub processors: usize,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_memory: usize,
    /// The identifier, the same whichever of a machine's GPUs a process sees; none if the driver does not report it.
    pub uuid: Option<String>,
}

/// The driver's CUDA version, and the GPUs that it lists.
///
/// # Errors
/// There is no driver, it is too old, or it lists no GPU.
pub fn gpus() -> Result<(String, Vec<Gpu>), DeviceError> {
    let driver = start()?;
    let mut count = 0;
    // SAFETY: the driver has been loaded; the pointer is to an integer.
    check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
    if count == 0 {
        return Err(DeviceError::NoDevice { reason: "0 devices".into() });
    }
    let gpus = (0..count).map(|ordinal| Ok(describe(ordinal)?.1)).collect::<Result<_, DeviceError>>()?;
    Ok((version_text(driver), gpus))
}

/// Loads the driver; returns its CUDA version.
fn start() -> Result<i32, DeviceError> {
    // SAFETY: only tries to load the library.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    let mut version = 0;
    // SAFETY: the library has been loaded; every driver has these two calls.
    unsafe {
        check("cuDriverGetVersion", sys::cuDriverGetVersion(&mut version))?;
        new_enough(version)?;
        match sys::cuInit(0) {
            CUresult::CUDA_SUCCESS => Ok(version),
            CUresult::CUDA_ERROR_NO_DEVICE => {
                Err(DeviceError::NoDevice { reason: reason(CUresult::CUDA_ERROR_NO_DEVICE) })
            }
            failed => check("cuInit", failed).map(|()| version),
        }
    }
}

/// Refuses drivers that lack calls used here.
fn new_enough(version: i32) -> Result<(), DeviceError> {
    if version < OLDEST_DRIVER {
        let (found, needed) = (version_text(version), version_text(OLDEST_DRIVER));
        return Err(DeviceError::OldDriver { found, needed });
    }
    Ok(())
}

fn uuid(device: sys::CUdevice) -> Option<String> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: the driver has been started; the pointer is to 16 bytes that the call fills in.
    check("cuDeviceGetUuid", unsafe { sys::cuDeviceGetUuid_v2(&mut uuid, device) }).ok()?;
    Some(uuid_text(uuid.bytes.map(|byte| u8::from_ne_bytes(byte.to_ne_bytes()))))
}

/// The GPU of a rank, by its number among the ranks of its machine.
fn in_turn(local_rank: usize, gpus: usize) -> usize {
    local_rank % gpus
}

fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

fn describe(ordinal: i32) -> Result<(sys::CUdevice, Gpu), DeviceError> {
    let mut device = 0;
    let mut name = [0; 128];
    let mut memory = 0;
    // SAFETY: the driver has been started; the pointers are to values of the sizes passed to the calls.
    unsafe {
        check("cuDeviceGet", sys::cuDeviceGet(&mut device, ordinal))?;
        check("cuDeviceGetName", sys::cuDeviceGetName(name.as_mut_ptr(), 128, device))?;
        check("cuDeviceTotalMem", sys::cuDeviceTotalMem_v2(&mut memory, device))?;
    }
    let attribute = |attribute| -> Result<i32, DeviceError> {
        let mut value = 0;
        // SAFETY: as above.
        check("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) })?;
        Ok(value)
    };
    let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let processors = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let shared = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
    // SAFETY: the driver ends the name with a zero byte.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    let architecture = (major * 10 + minor) as u32;
    let gpu = Gpu {
        name,
        architecture,
        memory: memory as u64,
        processors: processors as usize,
        shared_memory: shared as usize,
        uuid: uuid(device),
    };
    Ok((device, gpu))
}

/// An identifier as NVIDIA's tools print it: GPU-, then 8, 4, 4, 4 and 12 hexadecimal digits.
fn uuid_text(bytes: [u8; 16]) -> String {
    let mut text = "GPU".to_string();
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// One GPU, used by one rank.
pub struct Cuda {
    gpu: Gpu,
    device: sys::CUdevice,
    driver: i32,
    compiler: (i32, i32),
    compute: sys::CUstream,
    copy: sys::CUstream,
    /// One for each stream that can be waited for.
    waiting: [sys::CUevent; 2],
    kernels: KernelCache,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    modules: Vec<sys::CUmodule>,
    functions: Vec<sys::CUfunction>,
    /// The functions of all code, by key.
    compiled: BTreeMap<String, Vec<Function>>,
    /// Bytes of device memory, by address.
    allocated: BTreeMap<Address, u64>,
    marks: Vec<sys::CUevent>,
    free_marks: Vec<usize>,
    /// Page-locked memory for messages to and from the device.
    pinned: [Pinned; 2],
}

/// Page-locked memory of the host.
struct Pinned {
    start: *mut c_void,
    bytes: usize,
}

impl Default for Pinned {
    fn default() -> Pinned {
        Pinned { start: std::ptr::null_mut(), bytes: 0 }
    }
}

impl Pinned {
    /// Grows it to at least `bytes`.
    fn reserve(&mut self, bytes: usize) -> Result<*mut c_void, DeviceError> {
        if self.bytes < bytes {
            self.release();
            // SAFETY: the pointer is to a pointer; the memory is released once.
            check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut self.start, bytes, 0) })?;
            self.bytes = bytes;
        }
        Ok(self.start)
    }

    fn release(&mut self) {
        if !self.start.is_null() {
            // SAFETY: allocated in `reserve`; nothing is in transit, because the stream was synchronised.
            unsafe { sys::cuMemFreeHost(self.start) };
            *self = Pinned::default();
        }
    }
}

impl Cuda {
    /// Opens GPU number `local_rank`, modulo their number: if a machine has more ranks than GPUs, ranks share them.
    /// Compiled kernels are kept in `directory`, if given.
    ///
    /// # Errors
    /// There is no driver, GPU or NVRTC, or one of them is too old.
    pub fn open(local_rank: usize, directory: Option<&Path>) -> Result<Cuda, DeviceError> {
        let (_, all) = gpus()?;
        Cuda::open_number(in_turn(local_rank, all.len()), directory)
    }

    /// Opens the GPU with this number in the list of [`gpus`].
    ///
    /// # Errors
    /// As for [`Cuda::open`].
    pub fn open_number(number: usize, directory: Option<&Path>) -> Result<Cuda, DeviceError> {
        let driver = start()?;
        let compiler = nvrtc::version()?;
        let (device, gpu) = describe(i32::try_from(number).expect("a handful of GPUs"))?;
        let mut context = std::ptr::null_mut();
        let (mut compute, mut copy) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut waiting = [std::ptr::null_mut(); 2];
        // SAFETY: the driver has been started; every pointer is to a handle that the call fills in.
        unsafe {
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&mut context, device))?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            for stream in [&mut compute, &mut copy] {
                check("cuStreamCreate", sys::cuStreamCreate(stream, NON_BLOCKING))?;
            }
            for event in &mut waiting {
                check("cuEventCreate", sys::cuEventCreate(event, WITHOUT_TIME))?;
            }
        }
        let kernels = KernelCache::new(directory);
        let state = RefCell::new(State::default());
        Ok(Cuda { gpu, device, driver, compiler, compute, copy, waiting, kernels, state })
    }

    /// The identifier of the GPU; see [`Gpu::uuid`].
    pub fn uuid(&self) -> Option<String> {
        self.gpu.uuid.clone()
    }

    fn stream(&self, stream: Stream) -> sys::CUstream {
        match stream {
            Stream::Compute => self.compute,
            Stream::Copy => self.copy,
        }
    }
}

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the default one.
const NON_BLOCKING: u32 = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const WITHOUT_TIME: u32 = 2;
/// `CU_EVENT_DEFAULT`.
const WITH_TIME: u32 = 0;

impl Device for Cuda {
    fn description(&self) -> String {
        let Gpu { name, architecture, memory, processors, .. } = &self.gpu;
        format!(
            "{name}, {processors} multiprocessors of architecture {}.{}, {} GiB, driver for CUDA {}, NVRTC {}.{}",
            architecture / 10,
            architecture % 10,
            memory >> 30,
            version_text(self.driver),
            self.compiler.0,
            self.compiler.1
        )
    }

    fn processors(&self) -> usize {
        self.gpu.processors
    }

    fn shared_memory(&self) -> usize {
        self.gpu.shared_memory
    }

    fn allocate(&self, bytes: usize, what: &str) -> Result<Address, DeviceError> {
        let mut address = 0;
        // SAFETY: the pointer is to an address.
        match unsafe { sys::cuMemAlloc_v2(&mut address, bytes) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let (mut free, mut total) = (0, 0);
                // SAFETY: the pointers are to two sizes.
                check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
                let (used, needed) = (self.state.borrow().allocated.values().sum(), bytes as u64);
                let (free, total) = (free as u64, total as u64);
                Err(DeviceError::OutOfMemory { what: what.into(), needed, used, free, total })
            }
            other => {
                check("cuMemAlloc", other)?;
                self.state.borrow_mut().allocated.insert(address, bytes as u64);
                Ok(address)
            }
        }
    }

    fn free(&self, address: Address) {
        // SAFETY: allocated by `allocate`. The driver waits for work that uses it. A failure means that the device is
        // lost, which the next call reports.
        unsafe { sys::cuMemFree_v2(address) };
        self.state.borrow_mut().allocated.remove(&address);
    }

    fn fill(&self, to: Address, bytes: usize, value: u8, stream: Stream) -> Result<(), DeviceError> {
        // SAFETY: the range is in one allocation.
        check("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(to, value, bytes, self.stream(stream)) })
    }

    fn upload(&self, to: Address, bytes: &[u8], stream: Stream) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut from: *const c_void = bytes.as_ptr().cast();
        if stream == Stream::Copy {
            // The memory may still be in transit from the previous time.
            self.synchronize(stream)?;
            let pinned = self.state.borrow_mut().pinned[0].reserve(bytes.len())?;
            // SAFETY: the pinned memory is large enough and does not overlap the slice.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pinned.cast(), bytes.len()) };
            from = pinned;
        }
        // SAFETY: the range is in one allocation. From pageable memory, the call returns once it has been read.
        check("cuMemcpyHtoDAsync", unsafe {
            sys::cuMemcpyHtoDAsync_v2(to, from, bytes.len(), self.stream(stream))
        })
    }

    fn download(&self, from: Address, bytes: &mut [u8], stream: Stream) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut to: *mut c_void = bytes.as_mut_ptr().cast();
        if stream == Stream::Copy {
            to = self.state.borrow_mut().pinned[1].reserve(bytes.len())?;
        }
        // SAFETY: the range is in one allocation, and `to` has room for it until the stream has been waited for.
        check("cuMemcpyDtoHAsync", unsafe {
            sys::cuMemcpyDtoHAsync_v2(to, from, bytes.len(), self.stream(stream))
        })?;
        self.synchronize(stream)?;
        if stream == Stream::Copy {
            // SAFETY: the copy has arrived in the pinned memory, which does not overlap the slice.
            unsafe { std::ptr::copy_nonoverlapping(to.cast(), bytes.as_mut_ptr(), bytes.len()) };
        }
        Ok(())
    }

    fn download_all(&self, parts: &mut [(Address, Vec<u64>)], stream: Stream) -> Result<(), DeviceError> {
        let bytes = parts.iter().map(|(_, words)| 8 * words.len()).sum();
        if bytes == 0 {
            return Ok(());
        }
        let pinned = self.state.borrow_mut().pinned[1].reserve(bytes)?;
        let mut at = 0;
        for (from, words) in parts.iter() {
            // SAFETY: the pinned memory has room for all parts, and each range is in one allocation.
            check("cuMemcpyDtoHAsync", unsafe {
                sys::cuMemcpyDtoHAsync_v2(pinned.add(at), *from, 8 * words.len(), self.stream(stream))
            })?;
            at += 8 * words.len();
        }
        self.synchronize(stream)?;
        let mut from = pinned.cast::<u64>();
        for (_, words) in parts {
            // SAFETY: the copies have arrived; page-locked memory is aligned to pages.
            unsafe {
                std::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), words.len());
                from = from.add(words.len());
            }
        }
        Ok(())
    }

    fn compile(&self, source: Source<'_>) -> Result<Vec<Function>, DeviceError> {
        let Source { name, text, entries } = source;
        let key = kernel_cache::key(text, self.gpu.architecture, self.compiler);
        if let Some(known) = self.state.borrow().compiled.get(&key) {
            return Ok(known.clone());
        }
        let make = || nvrtc::compile(name, text, Target::Binary(self.gpu.architecture));
        let code = self.kernels.code(name, &key, make)?;
        let state = &mut *self.state.borrow_mut();
        let mut module = std::ptr::null_mut();
        // SAFETY: the code is a whole image that NVRTC made for this architecture.
        check("cuModuleLoadData", unsafe { sys::cuModuleLoadData(&mut module, code.as_ptr().cast()) })?;
        state.modules.push(module);
        let mut functions = Vec::new();
        for entry in entries {
            let symbol = CString::new(entry.as_str()).expect("names have no zero bytes");
            let mut function = std::ptr::null_mut();
            // SAFETY: the module is loaded, and the name ends with a zero byte.
            let found = unsafe { sys::cuModuleGetFunction(&mut function, module, symbol.as_ptr()) };
            check(&format!("cuModuleGetFunction ({entry})"), found)?;
            functions.push(Function(state.functions.len()));
            state.functions.push(function);
        }
        state.compiled.insert(key, functions.clone());
        Ok(functions)
    }

    unsafe fn launch(
        &self,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &[u64],
        stream: Stream,
    ) -> Result<(), DeviceError> {
        let function = self.state.borrow().functions[function.0];
        // The code takes one struct of 8-byte fields.
        let mut parameters = [arguments.as_ptr() as *mut c_void];
        // SAFETY: the caller's conditions; the driver copies the arguments before it returns.
        check("cuLaunchKernel", unsafe {
            let (stream, none) = (self.stream(stream), std::ptr::null_mut());
            sys::cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                stream,
                parameters.as_mut_ptr(),
                none,
            )
        })
    }

    fn wait(&self, stream: Stream, other: Stream) -> Result<(), DeviceError> {
        let event = self.waiting[usize::from(other == Stream::Copy)];
        // SAFETY: the event and the streams live as long as `self`.
        unsafe {
            check("cuEventRecord", sys::cuEventRecord(event, self.stream(other)))?;
            check("cuStreamWaitEvent", sys::cuStreamWaitEvent(self.stream(stream), event, 0))
        }
    }

    fn synchronize(&self, stream: Stream) -> Result<(), DeviceError> {
        // SAFETY: the stream lives as long as `self`.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream(stream)) })
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let number = match state.free_marks.pop() {
            Some(number) => number,
            None => {
                let mut event = std::ptr::null_mut();
                // SAFETY: the pointer is to a handle.
                check("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, WITH_TIME) })?;
                state.marks.push(event);
                state.marks.len() - 1
            }
        };
        // SAFETY: the event lives as long as `self`.
        check("cuEventRecord", unsafe { sys::cuEventRecord(state.marks[number], self.compute) })?;
        Ok(Mark(number))
    }

    fn seconds(&self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let mut milliseconds = 0.0;
        // SAFETY: both events have been recorded, and the stream has been waited for.
        check("cuEventElapsedTime", unsafe {
            sys::cuEventElapsedTime_v2(&mut milliseconds, state.marks[from.0], state.marks[to.0])
        })?;
        state.free_marks.extend([from.0, to.0]);
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        // SAFETY: all handles were created here, and nothing uses them any more; failures can no longer be handled.
        unsafe {
            sys::cuStreamSynchronize(self.compute);
            sys::cuStreamSynchronize(self.copy);
            state.pinned.iter_mut().for_each(Pinned::release);
            state.marks.iter().chain(&self.waiting).for_each(|&event| {
                sys::cuEventDestroy_v2(event);
            });
            state.modules.iter().for_each(|&module| {
                sys::cuModuleUnload(module);
            });
            sys::cuStreamDestroy_v2(self.compute);
            sys::cuStreamDestroy_v2(self.copy);
            sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

fn check(call: &str, result: CUresult) -> Result<(), DeviceError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failed => Err(DeviceError::Failed { call: call.into(), reason: reason(failed) }),
    }
}

fn reason(result: CUresult) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the driver returns a static text, or leaves the pointer null for an unknown result.
    unsafe {
        sys::cuGetErrorString(result, &mut text);
        if text.is_null() {
            format!("{result:?}")
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_written_as_nvidia_s_tools_write_it() {
        let bytes = std::array::from_fn(|index| index as u8 * 0x11);
        assert_eq!(uuid_text(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }

    #[test]
    fn an_old_driver_is_refused_with_both_versions() {
        assert_eq!(new_enough(13_000), Ok(()));
        assert_eq!(new_enough(OLDEST_DRIVER), Ok(()));
        let text = new_enough(12_070).unwrap_err().to_string();
        for word in ["too old", "12.7", "12.8 is needed", "update the driver"] {
            assert!(text.contains(word), "\"{word}\" in {text}");
        }
    }

    #[test]
    fn ranks_take_the_gpus_of_their_machine_in_turn() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(|rank| in_turn(rank, 4)), [0, 1, 2, 3, 0, 1]);
        assert_eq!([0, 1, 15].map(|rank| in_turn(rank, 1)), [0, 0, 0]);
    }
}
