//! UGRID in text, on rank 0.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::ElementKind;

use super::{KINDS, Sizes};
use crate::IoError;
use crate::listed::{Dealer, Kind, NO_GROUP, Rows, Scan, deal};

/// Whether a file begins with a line of seven numbers.
pub(super) fn is_header(start: &[u8]) -> bool {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let numbers = words.by_ref().take_while(|word| word.iter().all(u8::is_ascii_digit)).count();
    numbers == 7 && words.next().is_none()
}

/// Reads a file and distributes its rows. Collective.
pub(super) fn rows(comm: &Comm, path: &Path) -> Result<Rows, IoError> {
    Ok(deal(comm, |dealer| list(path, dealer))?.1)
}

fn list(path: &Path, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
    let mut scan = Scan::open(path, None)?;
    let sizes = sizes(&mut scan)?;
    for _ in 0..sizes.nodes {
        let mut x = [0; 3];
        for x in &mut x {
            *x = scan.double("a node: x y z")?.to_bits();
        }
        dealer.add(Kind::Point, x);
    }
    for (place, ((kind, order), count)) in KINDS.into_iter().zip(sizes.elements).enumerate() {
        if place == 2 {
            groups(&mut scan, sizes, dealer)?;
        }
        for _ in 0..count {
            let mut listed = [0; ElementKind::MOST_NODES];
            let mut line = 0;
            for (k, node) in listed[..kind.nodes()].iter_mut().enumerate() {
                *node = scan.size("a node of an element")?;
                if k == 0 {
                    line = scan.place();
                }
            }
            let mut nodes = [0; ElementKind::MOST_NODES];
            nodes.iter_mut().zip(order).for_each(|(node, at)| *node = listed[*at]);
            dealer.add_element(kind, line, NO_GROUP, &nodes[..kind.nodes()]);
        }
    }
    let mut more = 0;
    while scan.skip_blanks()? {
        scan.int("the end of the file, or the numbers of volumes")?;
        more += 1;
    }
    if !sizes.may_follow(more) {
        let what = format!(
            "{more} numbers follow the elements; expected none, or one for each of the {} elements: is one of the \
             first seven numbers too small?",
            sizes.volumes()
        );
        return Err(scan.error(what));
    }
    Ok(())
}

/// The seven numbers at the beginning, which the file has room for.
fn sizes(scan: &mut Scan) -> Result<Sizes, IoError> {
    let nodes = scan.count("the number of nodes", 3)?;
    let mut elements = [0; 6];
    for ((kind, _), count) in KINDS.iter().zip(&mut elements) {
        *count = scan.count(&format!("the number of {}", kind.plural()), kind.nodes() as u64)?;
    }
    Ok(Sizes { nodes, elements })
}

/// The boundaries of triangles and quadrilaterals.
fn groups(scan: &mut Scan, sizes: Sizes, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
    for _ in 0..sizes.elements[0] + sizes.elements[1] {
        let number = scan.int("the number of an element's boundary")?;
        dealer.add(Kind::Group, [u64::from(number as u32)]);
    }
    Ok(())
}
