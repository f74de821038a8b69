//! The expected hash of `--verify`.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_io::Digest;
use serde::{Deserialize, Serialize};

use crate::exit::Error;
use crate::report::summary;

/// A run's expected results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// Hash of the solution.
    pub solution: Digest,
    /// Hash of the mesh with which the solver replaced the given one, if known.
    pub mesh: Option<Digest>,
}

impl Expected {
    /// What differs, if anything does.
    pub fn mismatch(&self, solution: Digest, mesh: Option<Digest>) -> Option<Error> {
        if self.solution != solution {
            return Some(Error::Mismatch {
                found: solution.to_string(),
                expected: self.solution.to_string(),
            });
        }
        let expected = self.mesh.filter(|expected| mesh != Some(*expected))?;
        let found = mesh.map_or("none".into(), |mesh| mesh.to_string());
        Some(Error::MeshMismatch { found, expected: expected.to_string() })
    }
}

/// The hash of the solution that the argument names: itself, or the hashes of a run's `summary.json`. Collective.
///
/// # Errors
/// It is neither.
pub fn expected(comm: &Comm, argument: &str) -> Result<Expected, Error> {
    let found = if comm.is_root() { parse(argument).map(Some) } else { Ok(None) };
    let found = comm.agree(found)?;
    Ok(comm.broadcast(0, found))
}

fn parse(argument: &str) -> Result<Expected, Error> {
    let wrong =
        |reason: String| Error::Argument { argument: format!("--verify {}", short(argument)), reason };
    if argument.starts_with("blake3:") {
        return argument.parse().map(|solution| Expected { solution, mesh: None }).map_err(wrong);
    }
    let text = summary::read_text(Path::new(argument)).map_err(|error| {
        wrong(format!("this is not a hash (blake3:...), and it cannot be read as a file: {error}"))
    })?;
    let summary: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not a summary.json: {}", short(&error.to_string()))))?;
    let hash = summary
        .pointer("/hash/solution")
        .and_then(|hash| hash.as_str())
        .ok_or_else(|| wrong("not a summary.json: it has no hash of a solution at hash.solution".into()))?;
    let hash_at = |name: &str, hash: &str| -> Result<Digest, Error> {
        hash.parse().map_err(|reason: String| wrong(format!("not a summary.json: at {name}, {reason}")))
    };
    let solution = hash_at("hash.solution", hash)?;
    let mesh = summary.get("mesh_hash").and_then(|hash| hash.as_str());
    let mesh = mesh.map(|hash| hash_at("mesh_hash", hash)).transpose()?;
    Ok(Expected { solution, mesh })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_taken_as_it_is_and_a_malformed_one_is_refused() {
        let hash = format!("blake3:{}", "0123456789abcdef".repeat(4));
        assert_eq!(parse(&hash).unwrap().solution.to_string(), hash);
        assert_eq!(
            parse(&format!("blake3:{}", "0123456789ABCDEF".repeat(4))).unwrap().solution.to_string(),
            hash
        );
        for wrong in
            ["blake3:12", &hash[..70], &format!("blake3:{}", "g".repeat(64)), "blake3:", "no-such-file"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_summary_names_the_hash_of_its_solution() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        let argument = path.to_str().unwrap();
        let hash = format!("blake3:{}", "0".repeat(64));
        std::fs::write(&path, format!("{{\"hash\": {{\"q\": \"x\", \"solution\": \"{hash}\"}}}}")).unwrap();
        assert_eq!(parse(argument).unwrap().solution.to_string(), hash);
        let with_mesh = format!("{{\"hash\": {{\"solution\": \"{hash}\"}}, \"mesh_hash\": \"{hash}\"}}");
        std::fs::write(&path, with_mesh).unwrap();
        let expected = parse(argument).unwrap();
        assert_eq!(expected.mesh, Some(expected.solution));
        let no_mesh = format!("{{\"hash\": {{\"solution\": \"{hash}\"}}, \"mesh_hash\": \"x\"}}");
        for wrong in [&no_mesh, "{\"hash\": {\"solution\": \"blake3:1\"}}", "{}", "[]", "no json"] {
            std::fs::write(&path, wrong).unwrap();
            assert!(parse(argument).unwrap_err().to_string().contains("not a summary.json"), "{wrong}");
        }
    }

    #[test]
    fn a_solution_or_a_mesh_that_is_another_one_is_a_mismatch() {
        let [one, other] = [Digest([1; 32]), Digest([2; 32])];
        let expected = Expected { solution: one, mesh: Some(one) };
        assert!(expected.mismatch(one, Some(one)).is_none());
        assert!(
            Expected { mesh: None, ..expected }.mismatch(one, Some(other)).is_none(),
            "no mesh is expected"
        );
        for (solution, mesh) in [(other, Some(one)), (one, Some(other)), (one, None)] {
            let error = expected.mismatch(solution, mesh).expect("a mismatch");
            assert_eq!(error.code(), crate::exit::Code::Mismatch, "{error}");
        }
    }
}
