//! Messages from and to a device's memory.

/// One message of a halo exchange whose words are in a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMessage {
    /// The other rank.
    pub rank: usize,
    /// Where the words begin.
    pub address: u64,
    /// Number of 8-byte words to send or to receive.
    pub words: usize,
}

/// Copies between a device's memory and the host's, for ranks that pass messages themselves.
///
/// # Panics
/// If the device fails, with its error as payload.
pub trait DeviceMemory {
    /// Copies words from the device.
    fn fetch(&self, address: u64, words: &mut [u64]);
    /// Copies words to the device.
    fn store(&self, address: u64, words: &[u64]);
}

/// Whether the words of messages may be in the memory of an NVIDIA GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuMessages {
    /// They may.
    Possible,
    /// They may not: reading them would end the process.
    Impossible,
    /// The MPI library does not say.
    Unknown,
}
