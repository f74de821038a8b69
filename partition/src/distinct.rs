//! The distinct ids of a list.

/// The ids of a list, ascending, each once.
pub(crate) fn distinct(ids: &[u64]) -> Vec<u64> {
    let first = ids.iter().copied().min().unwrap_or(0);
    let span = ids.iter().copied().max().unwrap_or(0) - first;
    // The ids to which one rank's rows refer lie close together: then nothing need be sorted.
    if span / 8 < ids.len() as u64 {
        let mut met = vec![false; span as usize + 1];
        ids.iter().for_each(|id| met[(id - first) as usize] = true);
        return (first..).zip(met).filter(|(_, met)| *met).map(|(id, _)| id).collect();
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_near_and_far_come_once_and_ascend() {
        assert!(distinct(&[]).is_empty());
        assert_eq!(distinct(&[7]), [7]);
        assert_eq!(distinct(&[12, 10, 12, 15, 10]), [10, 12, 15]);
        assert_eq!(distinct(&[u64::MAX, 0, 5, 0]), [0, 5, u64::MAX]);
    }
}
