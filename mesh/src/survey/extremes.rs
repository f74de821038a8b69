//! The smallest and the largest of something, with the element that has it.

use cfd_engine::comm::Comm;

use crate::derive::stars::row_of;
use crate::{ElementKind, ElementMesh};

/// A value, and the first element that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The value.
    pub value: f64,
    /// The kind of the element.
    pub kind: ElementKind,
    /// Its row among those of its kind.
    pub row: u64,
    /// The mean of its nodes.
    pub at: [f64; 3],
}

/// What this rank has seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Extremes {
    /// Value, place, middle.
    range: Option<[(f64, u64, [f64; 3]); 2]>,
}

impl Extremes {
    /// Adds the smallest and the largest value of the next element; places ascend.
    pub(super) fn add(&mut self, least: f64, greatest: f64, place: u64, at: [f64; 3]) {
        match &mut self.range {
            None => self.range = Some([(least, place, at), (greatest, place, at)]),
            Some([low, high]) => {
                if least < low.0 {
                    *low = (least, place, at);
                }
                if greatest > high.0 {
                    *high = (greatest, place, at);
                }
            }
        }
    }

    /// The smallest and the largest of all ranks. Collective.
    pub(super) fn all(&self, comm: &Comm, mesh: &ElementMesh) -> [Located; 2] {
        let words = |(value, place, at): &(f64, u64, [f64; 3])| {
            [value.to_bits(), *place, at[0].to_bits(), at[1].to_bits(), at[2].to_bits()]
        };
        let own: Vec<u64> = self.range.iter().flatten().flat_map(words).collect();
        let received = comm.all_gather(&own);
        let end = |k: usize| {
            let found =
                received.iter().filter(|words| !words.is_empty()).map(|words| &words[5 * k..5 * k + 5]);
            let value = |words: &&[u64]| f64::from_bits(words[0]) * if k == 0 { 1.0 } else { -1.0 };
            let first = found.min_by(|a, b| value(a).total_cmp(&value(b)).then(a[1].cmp(&b[1])));
            let words = first.expect("a mesh has elements");
            let (kind, row) = row_of(mesh, false, words[1]);
            let at = [2, 3, 4].map(|k| f64::from_bits(words[k]));
            Located { value: f64::from_bits(words[0]), kind, row, at }
        };
        [end(0), end(1)]
    }
}
