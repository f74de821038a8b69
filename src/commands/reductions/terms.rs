//! Numbers from a file: text with numbers, or a solution.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::given::{self, short};
use cfd_io::{IoError, SolutionFile};

use crate::cli::ReductionsArgs;
use crate::exit::Error;

/// How HDF5 files begin.
const HDF5: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// No line is longer.
const LONGEST_LINE: u64 = 1 << 16;

/// The requested terms: the numbers of a file, or the squares of the differences between two files' numbers. Rank 0
/// reads; all ranks get them. Collective.
pub fn read(comm: &Comm, args: &ReductionsArgs) -> Result<Vec<f64>, Error> {
    let terms = comm.agree(if comm.is_root() { read_alone(args) } else { Ok(Vec::new()) })?;
    if comm.size() == 1 {
        return Ok(terms);
    }
    Ok(comm.all_gather(&terms).swap_remove(0))
}

fn read_alone(args: &ReductionsArgs) -> Result<Vec<f64>, Error> {
    let field = args.field.as_deref();
    let mut terms = numbers(&args.data, field)?;
    if let Some(minus) = &args.minus {
        let others = numbers(minus, field)?;
        if others.len() != terms.len() {
            let what = format!(
                "{} numbers, but {} has {}; the two must be of one mesh",
                others.len(),
                args.data.display(),
                terms.len()
            );
            return Err(IoError::file(minus, what).into());
        }
        for (place, (term, other)) in terms.iter_mut().zip(others).enumerate() {
            let difference = *term - other;
            *term = difference * difference;
            if !term.is_finite() {
                let what = format!("the square of the difference of the numbers {} overflows", place + 1);
                return Err(IoError::file(&args.data, what).into());
            }
        }
    }
    let most = args.ranks.iter().copied().max().unwrap_or(1);
    if (terms.len() as u64) < u64::from(most) {
        let what =
            format!("{} numbers are too few for {most} ranks (--ranks); every rank needs one", terms.len());
        return Err(IoError::file(&args.data, what).into());
    }
    Ok(terms)
}

/// The numbers of a file, or of the solution in an output directory.
fn numbers(path: &Path, field: Option<&str>) -> Result<Vec<f64>, IoError> {
    let path: PathBuf = if path.is_dir() { path.join("solution.h5") } else { path.into() };
    let mut file =
        given::open(&path, "numbers: a text or a solution.h5").map_err(|e| IoError::read(&path, e))?;
    let mut begin = Vec::new();
    let read = (&mut file).take(HDF5.len() as u64).read_to_end(&mut begin).and_then(|_| file.rewind());
    read.map_err(|e| IoError::read(&path, e))?;
    let numbers = if begin == HDF5 { of_solution(&path, field)? } else { of_text(&path, file, field)? };
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => {
            Err(IoError::file(&path, format!("number {} is {}, which has no sum", at + 1, numbers[at])))
        }
        None => Ok(numbers),
    }
}

/// All values of a field, row by row.
fn of_solution(path: &Path, field: Option<&str>) -> Result<Vec<f64>, IoError> {
    let file = SolutionFile::open(path)?;
    let names: Vec<&str> = file.fields().iter().map(|field| field.name.as_str()).collect();
    let chosen = match field {
        Some(name) => file.fields().iter().find(|field| field.name == name),
        // Derived fields come last.
        None => file.fields().iter().min_by_key(|field| field.name.starts_with("derived/")),
    };
    let Some(chosen) = chosen else {
        let what = format!("there is no such field; there are {}", short(&names.join(", ")));
        return Err(IoError::dataset(path, field.unwrap_or_default(), what));
    };
    file.rows(&chosen.name, 0..chosen.rows)
}

/// Numbers separated by blanks, commas and line ends; # starts a comment.
fn of_text(path: &Path, file: File, field: Option<&str>) -> Result<Vec<f64>, IoError> {
    if let Some(field) = field {
        return Err(IoError::file(
            path,
            format!("a text has no field \"{}\"; leave --field out", short(field)),
        ));
    }
    let mut numbers = Vec::new();
    let mut lines = BufReader::new(file);
    let mut text = String::new();
    for line in 1.. {
        text.clear();
        let read =
            (&mut lines).take(LONGEST_LINE).read_line(&mut text).map_err(|e| IoError::read(path, e))?;
        if read == 0 {
            break;
        }
        let wrong = |column: usize, what: String| IoError::Text {
            path: path.display().to_string(),
            line,
            column: column as u64 + 1,
            what,
        };
        if read as u64 == LONGEST_LINE {
            return Err(wrong(
                0,
                format!("the line is longer than {LONGEST_LINE} bytes; write one number per line"),
            ));
        }
        let content = text.split('#').next().unwrap_or_default();
        for word in content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            let column = word.as_ptr() as usize - text.as_ptr() as usize;
            let number =
                word.parse().map_err(|_| wrong(column, format!("\"{}\" is not a number", short(word))))?;
            numbers.push(number);
        }
    }
    Ok(numbers)
}
