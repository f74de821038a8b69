//! What a device must provide: memory, compiled code, launches, streams.

use std::rc::Rc;

use super::error::DeviceError;

/// An address on the device.
pub type Address = u64;

/// A queue of work on the device. The work of one stream runs in order, concurrently with that of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Loops.
    Compute,
    /// Halo copies in transit.
    Copy,
}

/// A compiled function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function(pub(crate) usize);

/// A point in a stream's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub(crate) usize);

/// Code to compile.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The loop's name, for messages.
    pub name: &'a str,
    /// CUDA C.
    pub text: &'a str,
    /// The functions that can be launched.
    pub entries: &'a [String],
}

/// A device that runs loops.
///
/// Addresses are valid until they are freed; ranges lie within one allocation.
pub trait Device {
    /// A description, for the report.
    fn description(&self) -> String;
    /// Number of multiprocessors: several times as many blocks run at the same time.
    fn processors(&self) -> usize;
    /// Bytes of shared memory of a multiprocessor.
    fn shared_memory(&self) -> usize;
    /// Allocates memory, aligned to 256 bytes; `what` it is for appears in the error.
    fn allocate(&self, bytes: usize, what: &str) -> Result<Address, DeviceError>;
    /// Frees memory, after all work that may use it.
    fn free(&self, address: Address);
    /// Fills memory with one byte.
    fn fill(&self, to: Address, bytes: usize, value: u8, stream: Stream) -> Result<(), DeviceError>;
    /// Copies to the device; the words may change once this returns.
    fn upload(&self, to: Address, bytes: &[u8], stream: Stream) -> Result<(), DeviceError>;
    /// Copies from the device, after the stream's work.
    fn download(&self, from: Address, bytes: &mut [u8], stream: Stream) -> Result<(), DeviceError>;
    /// The same for several ranges, with a single wait.
    fn download_all(&self, parts: &mut [(Address, Vec<u64>)], stream: Stream) -> Result<(), DeviceError> {
        parts
            .iter_mut()
            .try_for_each(|(from, words)| self.download(*from, bytemuck::cast_slice_mut(words), stream))
    }
    /// Compiles code; returns its entries' functions, in order.
    fn compile(&self, source: Source<'_>) -> Result<Vec<Function>, DeviceError>;
    /// Runs `blocks` blocks, with the number of `threads` for which the code was made and these words as arguments.
    ///
    /// # Safety
    /// The words are those that the function's code declares, and its addresses are valid.
    unsafe fn launch(
        &self,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &[u64],
        stream: Stream,
    ) -> Result<(), DeviceError>;
    /// Makes work that `stream` receives from now on run after what `other` has received so far.
    fn wait(&self, stream: Stream, other: Stream) -> Result<(), DeviceError>;
    /// Waits until a stream has no work left.
    fn synchronize(&self, stream: Stream) -> Result<(), DeviceError>;
    /// Marks this point in the work of the compute stream.
    fn mark(&self) -> Result<Mark, DeviceError>;
    /// Seconds between two marks that work has passed; both may be reused afterwards.
    fn seconds(&self, from: Mark, to: Mark) -> Result<f64, DeviceError>;
}

/// Device memory that is freed when dropped.
pub(crate) struct Buffer {
    device: Rc<dyn Device>,
    address: Address,
    bytes: usize,
}

impl Buffer {
    pub(crate) fn new(device: &Rc<dyn Device>, bytes: usize, what: &str) -> Result<Buffer, DeviceError> {
        // Even empty sets need addresses.
        let bytes = bytes.max(8);
        let address = device.allocate(bytes, what)?;
        Ok(Buffer { device: device.clone(), address, bytes })
    }

    /// Memory with this content.
    pub(crate) fn holding<T: bytemuck::Pod>(
        device: &Rc<dyn Device>,
        values: &[T],
        what: &str,
    ) -> Result<Buffer, DeviceError> {
        let buffer = Buffer::new(device, size_of_val(values), what)?;
        buffer.upload(values, Stream::Compute)?;
        Ok(buffer)
    }

    pub(crate) fn address(&self) -> Address {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn upload<T: bytemuck::Pod>(&self, values: &[T], stream: Stream) -> Result<(), DeviceError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        assert!(bytes.len() <= self.bytes, "what is copied fits into the memory it is copied to");
        self.device.upload(self.address, bytes, stream)
    }

    pub(crate) fn download<T: bytemuck::Pod>(
        &self,
        values: &mut [T],
        stream: Stream,
    ) -> Result<(), DeviceError> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(values);
        assert!(bytes.len() <= self.bytes, "no more is copied than there is");
        self.device.download(self.address, bytes, stream)
    }

    pub(crate) fn clear(&self, stream: Stream) -> Result<(), DeviceError> {
        self.device.fill(self.address, self.bytes, 0, stream)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.free(self.address);
    }
}
