//! Loops on a device: a GPU, or an emulated one that runs the same code on the host.
//!
//! ```text
//! kernel_code     CUDA C of kernels, from the sources that #[kernel] generates; prelude.cuh, the beginning of all code
//! loop_code       code generation: the loop around a kernel
//! element_code    its part for one element: lists, loads, call, stores
//! row_code        its part for long rows, which pass through shared memory
//! results_code    its part for sums and extrema; shared memory
//! region_lists    regions: which block executes what, and where every increment goes
//! region_growing  greedy region growing: which targets make a region
//! colored         colored blocks
//! prepared        a loop ready to run: compiled code and lists
//! execute         the driver: exchange, core, boundary
//! exchange        halo copies, packed and unpacked on the device; support.cuh
//! mirror          the device mirror: dats, maps and global ids on the device
//! ranges          NVTX ranges, for profilers
//! results         sums and extrema
//! tuner           the number of threads per block
//! interface       what a device must provide; cuda: NVIDIA GPUs, nvrtc: their compiler; emulated: a device on the host
//! kernel_cache    compiled kernels on disk
//! host_call       a kernel's code called on the host, for comparison with the Rust function
//! ```

mod colored;
#[cfg(feature = "cuda")]
mod cuda;
mod element_code;
mod emulated;
mod error;
mod exchange;
mod execute;
mod host_call;
mod interface;
#[cfg(feature = "cuda")]
mod kernel_cache;
mod kernel_code;
mod loop_code;
mod mirror;
#[cfg(feature = "cuda")]
pub mod nvrtc;
mod prepared;
mod ranges;
mod region_growing;
mod region_lists;
mod results;
mod results_code;
mod row_code;
mod tuner;

#[cfg(feature = "cuda")]
pub use cuda::{Cuda, Gpu, gpus};
pub use emulated::Emulated;
pub use error::DeviceError;
pub use execute::{DeviceOptions, offers, use_device};
pub use host_call::{CompiledKernel, HostCall};
pub use interface::{Address, Device, Function, Mark, Source, Stream};
pub use kernel_code::kernel_definitions;
pub use loop_code::direct_loop;
pub use mirror::Placement;
