//! The expected hash of `--verify`.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_io::Digest;

use crate::exit::Error;
use crate::report::summary;

/// The hash of the solution that the argument names: itself, or that of a run's `summary.json`. Collective.
///
/// # Errors
/// It is neither.
pub fn expected(comm: &Comm, argument: &str) -> Result<Digest, Error> {
    let found = if comm.is_root() { parse(argument).map(Some) } else { Ok(None) };
    let found = comm.agree(found)?;
    Ok(comm.broadcast(0, found))
}

fn parse(argument: &str) -> Result<Digest, Error> {
    let wrong =
        |reason: String| Error::Argument { argument: format!("--verify {}", short(argument)), reason };
    if argument.starts_with("blake3:") {
        return argument.parse().map_err(wrong);
    }
    let text = summary::read_text(Path::new(argument)).map_err(|error| {
        wrong(format!("this is no hash (blake3:...), and as a file it cannot be read: {error}"))
    })?;
    let summary: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not a summary.json: {}", short(&error.to_string()))))?;
    let hash = summary
        .pointer("/hash/solution")
        .and_then(|hash| hash.as_str())
        .ok_or_else(|| wrong("not a summary.json: it has no hash of a solution at hash.solution".into()))?;
    hash.parse().map_err(|reason: String| wrong(format!("not a summary.json: at hash.solution, {reason}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_taken_as_it_is_and_a_malformed_one_is_refused() {
        let hash = format!("blake3:{}", "0123456789abcdef".repeat(4));
        assert_eq!(parse(&hash).unwrap().to_string(), hash);
        assert_eq!(parse(&format!("blake3:{}", "0123456789ABCDEF".repeat(4))).unwrap().to_string(), hash);
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
        assert_eq!(parse(argument).unwrap().to_string(), hash);
        for wrong in ["{\"hash\": {\"solution\": \"blake3:1\"}}", "{}", "[]", "no json"] {
            std::fs::write(&path, wrong).unwrap();
            assert!(parse(argument).unwrap_err().to_string().contains("not a summary.json"), "{wrong}");
        }
    }
}
