//! What an MPI library says about messages from and to a GPU's memory.

use cfd_engine::comm::GpuMessages;

/// What an initialised MPI library says, judging by the text of its version.
///
/// Functions are looked up in the process, because libraries without them are no less usable.
pub(crate) fn of_mpi(version: &str) -> GpuMessages {
    let functions = libloading::os::unix::Library::this();
    let answer = || {
        // Open MPI, its derivatives, and MPICH: 1 if the library can reach a GPU's memory.
        if let Ok(query) =
            // SAFETY: the function has this type in every library that has it.
            unsafe { functions.get::<unsafe extern "C" fn() -> i32>(b"MPIX_Query_cuda_support\0") }
        {
            // SAFETY: MPI has been initialised.
            return Some(unsafe { query() } == 1);
        }
        // MPICH 4; 0 stands for NVIDIA's GPUs.
        // SAFETY: as above.
        let query = unsafe {
            functions.get::<unsafe extern "C" fn(i32, *mut i32) -> i32>(b"MPIX_GPU_query_support\0")
        };
        let mut possible = 0;
        // SAFETY: MPI has been initialised; the pointer is to an integer.
        query.ok().filter(|query| unsafe { query(0, &mut possible) } == 0).map(|_| possible != 0)
    };
    decide(version, std::env::var("MPICH_GPU_SUPPORT_ENABLED").ok().as_deref(), answer)
}

/// The answer of a library of this version; Cray's has no function for it but uses an environment variable.
fn decide(version: &str, cray: Option<&str>, answer: impl FnOnce() -> Option<bool>) -> GpuMessages {
    let answer = match version.to_ascii_uppercase().contains("CRAY MPICH") {
        true => Some(cray == Some("1")),
        false => answer(),
    };
    match answer {
        Some(true) => GpuMessages::Possible,
        Some(false) => GpuMessages::Impossible,
        None => GpuMessages::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_believed_and_a_silent_one_is_unknown() {
        assert_eq!(decide("Open MPI v5.0.7", None, || Some(true)), GpuMessages::Possible);
        assert_eq!(decide("MPICH Version: 4.2.0", Some("1"), || Some(false)), GpuMessages::Impossible);
        assert_eq!(decide("Some MPI", Some("1"), || None), GpuMessages::Unknown);
    }

    #[test]
    fn the_library_of_cray_goes_by_its_variable() {
        let version = "MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)";
        assert_eq!(decide(version, Some("1"), || None), GpuMessages::Possible);
        assert_eq!(decide(version, Some("0"), || Some(true)), GpuMessages::Impossible);
        assert_eq!(decide(version, None, || Some(true)), GpuMessages::Impossible);
    }
}
