//! Loops on a device: a GPU, or an emulated one that runs the same text on the host.
//!
//! ```text
//! text          CUDA C of kernels, from the pieces that #[kernel] leaves; prelude.cuh, what every text begins with
//! loop_text     the text of a loop around its kernel
//! element_text  its part about one element: lists, loads, call, stores
//! row_text      its part about long rows, which pass through shared memory
//! results_text  its part about sums and extrema; shared memory
//! division      regions: which block executes what, and where every increment goes
//! growth        which targets make a region
//! colored       colored blocks
//! prepared      a loop ready to run: compiled text and lists
//! execute       the driver: exchange, core, boundary
//! exchange      halo copies, packed and unpacked on the device; support.cuh
//! resident      dats, maps and global ids on the device
//! results       sums and extrema
//! tuner         how many threads a block gets
//! interface     what a device must offer; cuda: NVIDIA GPUs, nvrtc: their compiler; emulated: a device on the host
//! kernel_cache  compiled kernels on disk
//! host_call     a kernel's text called on the host, for comparison with the Rust function
//! ```

mod colored;
#[cfg(feature = "cuda")]
mod cuda;
mod division;
mod element_text;
mod emulated;
mod error;
mod exchange;
mod execute;
mod growth;
mod host_call;
mod interface;
#[cfg(feature = "cuda")]
mod kernel_cache;
mod loop_text;
#[cfg(feature = "cuda")]
pub mod nvrtc;
mod prepared;
mod resident;
mod results;
mod results_text;
mod row_text;
mod text;
mod tuner;

#[cfg(feature = "cuda")]
pub use cuda::{Cuda, Gpu, gpus};
pub use emulated::Emulated;
pub use error::DeviceError;
pub use execute::{DeviceOptions, offers, use_device};
pub use host_call::{CompiledKernel, call_in_rust};
pub use interface::{Address, Device, Function, Mark, Source, Stream};
pub use loop_text::direct_loop;
pub use resident::Placement;
pub use text::kernel_definitions;
