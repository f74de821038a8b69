//! Which checkpoints belong together: those of one run and of the runs that continue it.

use std::time::{Duration, SystemTime};

use cfd_engine::comm::Comm;
use serde::{Deserialize, Serialize};

use super::Header;
use crate::machine;

/// A run and the runs that continue it with the same values of all keys that decide bits. Checkpoints of one lineage
/// lead to the same bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// Identifies the lineage: 16 hexadecimal digits, chosen by the run that began it.
    pub id: String,
    /// Names this run.
    pub run: String,
    /// Keys that changed between the runs that led here: `execution.order: "file" -> "hilbert" after iteration 40`.
    pub changed: Vec<String>,
    /// This run's checkpoints are newer than the one it continues, whatever the clocks of two machines say.
    pub since: Timestamp,
}

/// Milliseconds since 1970 (UTC).
pub type Timestamp = u64;

impl Lineage {
    /// The lineage of a run that starts from the beginning. Collective.
    pub fn begin(comm: &Comm) -> Lineage {
        let own = comm.is_root().then(|| Lineage {
            id: random_digits("lineage", 16),
            run: random_digits("run", 8),
            changed: Vec::new(),
            since: 0,
        });
        comm.broadcast(0, own)
    }

    /// The lineage of a run that continues from a checkpoint written at `written`, with these changes of keys since.
    /// Other keys lead to other bits, so they begin a new lineage. Collective.
    pub fn after(comm: &Comm, header: &Header, written: Timestamp, changes: &[String]) -> Lineage {
        let mut lineage = Lineage::begin(comm);
        if changes.is_empty() && !header.lineage.is_empty() {
            lineage.id = header.lineage.clone();
        }
        lineage.changed = header.changed.clone();
        let after = |change| format!("{change} after iteration {}", header.iteration);
        lineage.changed.extend(changes.iter().map(after));
        lineage.since = written;
        lineage
    }

    /// The timestamp of a checkpoint written now.
    pub fn now(&self) -> Timestamp {
        timestamp(SystemTime::now()).max(self.since + 1)
    }

    /// The part of temporary file names that identifies this run.
    pub fn file_identity(&self) -> String {
        format!("{}-{}", self.id, self.run)
    }
}

/// A system time as a timestamp.
pub fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Hexadecimal digits that no other run has: of the hash of the machine, the process, the time and a purpose.
fn random_digits(purpose: &str, digits: usize) -> String {
    let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let unique = format!("{purpose} {} {} {nanoseconds}", machine::identity(), std::process::id());
    blake3::hash(unique.as_bytes()).to_hex()[..digits].into()
}
