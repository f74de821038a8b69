//! Parts read from a text file.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_partition::{Method, Options, PartitionError, partition};

use crate::global::{Cell, block, cells, grid};

fn read(path: &Path, parts: usize, ranks: usize) -> Result<Vec<u32>, PartitionError> {
    let whole = grid(5, 4, |_, _| Cell::Quad);
    let options = Options { method: Method::File(path.into()), ..Options::default() };
    let per_rank = Comm::simulate(ranks, |comm| {
        partition(&comm, &block(&comm, &whole), &cells(), parts, &options).map(|p| p.owners)
    });
    if per_rank[0].is_err() {
        assert!(per_rank.iter().all(|r| *r == per_rank[0]), "the same error on every rank");
    }
    per_rank.into_iter().collect::<Result<Vec<_>, _>>().map(|owners| owners.concat())
}

fn with_file<R>(text: &str, test: impl Fn(&Path) -> R) -> R {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("parts.txt");
    std::fs::write(&path, text).expect("it is writable");
    test(&path)
}

#[test]
fn lines_of_any_length_come_to_their_rows_on_any_number_of_ranks() {
    let parts: Vec<u32> = (0..20).map(|i| 10u32.pow(i % 5)).collect();
    let lines: Vec<String> = parts.iter().map(u32::to_string).collect();
    for text in [lines.join("\n") + "\n", lines.join("\n"), lines.join("  \r\n")] {
        with_file(&text, |path| {
            for ranks in [1, 2, 3, 7, 30] {
                assert_eq!(read(path, 10001, ranks).as_ref(), Ok(&parts), "{ranks} ranks");
            }
        });
    }
}

#[test]
fn a_line_that_is_no_part_is_named_by_its_number() {
    for (bad, words) in [("x7", "\"x7\""), ("4", "from 0 to 3"), ("-1", "\"-1\""), ("", "\"\"")] {
        let lines: Vec<&str> = (0..20).map(|i| if i == 12 { bad } else { "3" }).collect();
        with_file(&(lines.join("\n") + "\n"), |path| {
            for ranks in [1, 3, 8] {
                let message = read(path, 4, ranks).unwrap_err().to_string();
                assert!(message.contains("parts.txt:13: ") && message.contains(words), "{message}");
            }
        });
    }
}

#[test]
fn too_few_and_too_many_lines_are_refused_with_both_numbers() {
    for found in [0, 1, 19, 21] {
        with_file(&"1\n".repeat(found), |path| {
            for ranks in [1, 4] {
                let message = read(path, 2, ranks).unwrap_err().to_string();
                assert!(message.contains(&format!("{found} lines")), "{message}");
                assert!(message.contains("has 20 elements"), "{message}");
            }
        });
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = read(Path::new("not/there.txt"), 2, 3).unwrap_err();
    assert!(matches!(&error, PartitionError::File { path, .. } if path == "not/there.txt"), "{error}");
}
