//! What can go wrong with a device.

use std::sync::Arc;

use cfd_engine::plug::BackendError;
use serde::{Deserialize, Serialize};

/// Why a device cannot be used, or a loop cannot run on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum DeviceError {
    /// The program was built without GPUs.
    #[error(
        "this program is built without GPUs; build it with the feature \"cuda\", or run with --backend cpu"
    )]
    NotBuilt,
    /// The driver's library is missing.
    #[error(
        "no NVIDIA driver: the library libcuda.so.1 cannot be loaded; run on a machine with an NVIDIA GPU and its \
         driver, or with --backend cpu"
    )]
    NoDriver,
    /// The driver is there, but no GPU.
    #[error(
        "no GPU: the NVIDIA driver lists no device ({reason}); look at nvidia-smi and CUDA_VISIBLE_DEVICES"
    )]
    NoDevice {
        /// The driver's message.
        reason: String,
    },
    /// The driver lacks calls that this program uses.
    #[error(
        "the NVIDIA driver is too old: it supports CUDA {found}, and {needed} is needed; update the driver"
    )]
    OldDriver {
        /// CUDA version of the driver.
        found: String,
        /// The CUDA version needed.
        needed: String,
    },
    /// The run-time compiler is missing.
    #[error(
        "NVRTC is missing: none of libnvrtc.so, libnvrtc.so.13 and libnvrtc.so.12 can be loaded; install the CUDA \
         toolkit's package cuda-nvrtc, or `pip install nvidia-cuda-nvrtc-cu12` and add its lib folder to LD_LIBRARY_PATH"
    )]
    NoCompiler,
    /// The host's C++ compiler, which the emulated device needs, is missing.
    #[error(
        "the emulated device needs a C++ compiler: {command} cannot be started ({reason}); set CXX to one"
    )]
    NoHostCompiler {
        /// The command tried.
        command: String,
        /// The system's message.
        reason: String,
    },
    /// A kernel's code was refused.
    #[error("the code of loop \"{name}\" does not compile:\n{log}")]
    Compile {
        /// The loop.
        name: String,
        /// The compiler's messages; lines are those of the Rust source.
        log: String,
    },
    /// Not enough memory.
    #[error(
        "out of device memory: {what} needs {} in addition to {} in use by this rank, and {} of {} are free; use more \
         GPUs, fewer \
         ranks on each, or a smaller mesh", size(*needed), size(*used), size(*free), size(*total)
    )]
    OutOfMemory {
        /// The purpose of the memory.
        what: String,
        /// Bytes asked for.
        needed: u64,
        /// Bytes that this rank already has.
        used: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes in total.
        total: u64,
    },
    /// A call of the driver failed.
    #[error("the device failed in {call}: {reason}")]
    Failed {
        /// The call.
        call: String,
        /// The driver's message.
        reason: String,
    },
    /// Compiled kernels could not be kept.
    #[error("{path}: cannot be used for compiled kernels: {reason}")]
    Cache {
        /// The file or folder.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// The configuration asks for something that devices do not support.
    #[error("a device cannot run {asked}; it has {available}")]
    Unsupported {
        /// What was asked for.
        asked: String,
        /// What is supported.
        available: String,
    },
}

/// A human-readable size.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{bytes} bytes"),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

impl From<DeviceError> for BackendError {
    fn from(error: DeviceError) -> BackendError {
        Arc::new(error).into()
    }
}
