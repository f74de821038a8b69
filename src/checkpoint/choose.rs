//! Which checkpoints of a directory a run may continue from.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cfd_engine::given::short;

use super::Header;
use super::lineage::Timestamp;

/// A checkpoint with a readable header.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The file.
    pub path: PathBuf,
    /// When it was written.
    pub written: Timestamp,
    /// Its header.
    pub header: Header,
}

/// The checkpoints that a run of a case on a mesh may continue from, newest first. If there are several lineages, only
/// those whose keys match count, preferably those without key changes in their past; a single lineage is continued even
/// with other keys. `changes` lists the keys that decide bits and whose values differ from the run's.
///
/// # Errors
/// There is none: says what there is instead.
pub fn choose<'a>(
    candidates: &'a [Candidate],
    case: &str,
    mesh_hash: &str,
    changes: impl Fn(&Header) -> Vec<String>,
) -> Result<Vec<&'a Candidate>, String> {
    let mut here: Vec<&Candidate> = candidates.iter().collect();
    here.retain(|candidate| candidate.header.case == case && candidate.header.mesh_hash == mesh_hash);
    if here.is_empty() {
        let describe = |candidate: &Candidate| {
            let Header { case, iteration, mesh_hash, .. } = &candidate.header;
            let (path, case, mesh_hash) = (candidate.path.display(), short(case), short(mesh_hash));
            format!("  {path}: case \"{case}\", iteration {iteration}, mesh {mesh_hash}")
        };
        let list: Vec<String> = candidates.iter().map(describe).collect();
        return Err(format!(
            "all checkpoints there belong to another mesh or case than this run (case \"{case}\", mesh \
             {mesh_hash}):\n{}",
            list.join("\n")
        ));
    }
    here.sort_by_key(|candidate| std::cmp::Reverse((candidate.written, candidate.header.iteration)));
    let lineages: BTreeSet<&str> = here.iter().map(|candidate| candidate.header.lineage.as_str()).collect();
    if lineages.len() == 1 {
        return Ok(here);
    }
    let fitting: Vec<&Candidate> =
        here.iter().copied().filter(|candidate| changes(&candidate.header).is_empty()).collect();
    if fitting.is_empty() {
        let newest = lineages.iter().filter_map(|lineage| here.iter().find(|c| c.header.lineage == *lineage));
        let describe = |candidate: &&Candidate| {
            let (path, iteration) = (candidate.path.display(), candidate.header.iteration);
            format!("  {path}: iteration {iteration}; {}", changes(&candidate.header).join(", "))
        };
        let list: Vec<String> = newest.map(describe).collect();
        return Err(format!(
            "there are checkpoints of {} runs, all with other key values than this run; name one of them to continue \
             with changed keys:\n{}",
            lineages.len(),
            list.join("\n")
        ));
    }
    let unchanged: Vec<&Candidate> =
        fitting.iter().copied().filter(|candidate| candidate.header.changed.is_empty()).collect();
    Ok(if unchanged.is_empty() { fitting } else { unchanged })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(lineage: &str, iteration: u64, written: u64, keys: &str) -> Candidate {
        let header = Header {
            schema: 2,
            version: "0".into(),
            case: "smoke".into(),
            mesh_hash: "m".into(),
            new_mesh: None,
            config: keys.into(),
            iteration,
            numbers: Vec::new(),
            datasets: Vec::new(),
            lineage: lineage.into(),
            written: Some(written),
            changed: Vec::new(),
            film: None,
        };
        Candidate { path: format!("{lineage}{iteration}").into(), written, header }
    }

    fn chosen(candidates: &[Candidate]) -> Result<Vec<String>, String> {
        let changes = |header: &Header| match header.config.as_str() {
            "same" => Vec::new(),
            other => vec![other.into()],
        };
        let chosen = choose(candidates, "smoke", "m", changes)?;
        Ok(chosen.iter().map(|candidate| candidate.path.display().to_string()).collect())
    }

    #[test]
    fn the_newest_by_time_of_writing_comes_first_whatever_its_iteration() {
        let lineage =
            [candidate("a", 30, 1, "same"), candidate("a", 20, 3, "same"), candidate("a", 25, 2, "same")];
        assert_eq!(chosen(&lineage).unwrap(), ["a20", "a25", "a30"]);
    }

    #[test]
    fn one_lineage_alone_is_continued_with_other_keys_and_of_several_only_those_that_fit() {
        let other = candidate("b", 90, 9, "cfl");
        assert_eq!(chosen(std::slice::from_ref(&other)).unwrap(), ["b90"]);
        let with = [candidate("a", 10, 1, "same"), other.clone(), candidate("", 50, 5, "same")];
        assert_eq!(chosen(&with).unwrap(), ["50", "a10"]);
        let none = [other, candidate("c", 7, 1, "mach")];
        let message = chosen(&none).unwrap_err();
        assert!(message.contains("2 runs") && message.contains("b90: iteration 90; cfl"), "{message}");
        assert!(message.contains("c7: iteration 7; mach"), "{message}");
    }

    #[test]
    fn other_meshes_and_cases_do_not_count() {
        let mut mesh = candidate("a", 90, 9, "same");
        mesh.header.mesh_hash = "n".into();
        let mut case = candidate("b", 91, 10, "same");
        case.header.case = "fire".into();
        let message = chosen(&[mesh.clone(), case.clone()]).unwrap_err();
        assert!(message.contains("mesh n") && message.contains("case \"fire\""), "{message}");
        assert_eq!(chosen(&[mesh, case, candidate("c", 1, 1, "mach")]).unwrap(), ["c1"]);
    }

    #[test]
    fn what_a_change_of_keys_has_led_to_comes_after_what_has_the_bits_of_one_run() {
        let mut changed = candidate("a", 90, 9, "same");
        changed.header.changed = vec!["cfl".into()];
        assert_eq!(chosen(&[changed.clone(), candidate("b", 10, 1, "same")]).unwrap(), ["b10"]);
        assert_eq!(chosen(&[changed, candidate("b", 10, 1, "mach")]).unwrap(), ["a90"]);
    }
}
