//! Version 2.2: a row for each node and for each element, which has its physical group as the first of its tags.

use cfd_mesh::ElementKind;

use super::{Reader, end};
use crate::IoError;
use crate::listed::{Dealer, Encoding, Kind, NO_GROUP};

impl Reader {
    /// A number of rows, which is text in binary files, too.
    fn rows(&mut self, what: &str, numbers: u64) -> Result<u64, IoError> {
        let scan = &mut self.scan;
        let encoding = std::mem::replace(&mut scan.encoding, Encoding::Text);
        let rows = scan.count(what, numbers)?;
        scan.rest_of_line()?;
        scan.encoding = encoding;
        Ok(rows)
    }

    pub(super) fn row_nodes(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        for _ in 0..self.rows("the number of nodes", 4)? {
            let tag = self.scan.int("the number of a node")?;
            let tag = self.at_least_0(tag, "the number of a node")?;
            dealer.add(Kind::Tag, [tag, self.scan.place()]);
            let mut x = [0; 3];
            for x in &mut x {
                *x = self.scan.double("a node: number x y z")?.to_bits();
            }
            dealer.add(Kind::Point, x);
        }
        end(&mut self.scan, "Nodes")
    }

    pub(super) fn row_elements(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let rows = self.rows("the number of elements", 4)?;
        let mut read = 0;
        while read < rows {
            // Binary files have elements of one type and number of tags in a block; text has both in each row.
            let (header, here) = match self.scan.encoding {
                Encoding::Text => (None, 1),
                Encoding::Binary { .. } => {
                    let what = "a block of elements: type number tags";
                    let number = self.scan.int(what)?;
                    let here = self.scan.int(what)?;
                    let here = self.at_least_0(here, what)?;
                    let tags = self.scan.int(what)?;
                    (Some((number, tags)), here)
                }
            };
            read += here;
            if read > rows || here == 0 {
                let what =
                    format!("a block of {here} elements ends at {read}; $Elements says there are {rows}");
                return Err(self.scan.error(what));
            }
            for _ in 0..here {
                self.element(header, dealer)?;
            }
        }
        end(&mut self.scan, "Elements")
    }

    /// An element, whose type and number of tags are in the row unless they are known.
    fn element(&mut self, header: Option<(i32, i32)>, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let what = "an element: number type tags nodes";
        self.scan.int(what)?;
        let place = self.scan.place();
        let (number, tags) = match header {
            Some(header) => header,
            None => (self.scan.int(what)?, self.scan.int(what)?),
        };
        let kind = self.kind(number)?;
        let tags = self.at_least_0(tags, what)?;
        self.scan.check_count(tags, "the tags of an element", 1)?;
        let mut physical = 0;
        for tag in 0..tags {
            let value = self.scan.int(what)?;
            if tag == 0 {
                physical = value.saturating_abs();
            }
        }
        let mut nodes = [0; ElementKind::MOST_NODES];
        for node in &mut nodes[..kind.map_or(1, ElementKind::nodes)] {
            let number = self.scan.int("a node of an element")?;
            *node = self.at_least_0(number, "a node of an element")?;
        }
        if let Some(kind) = kind {
            let group = if physical == 0 { NO_GROUP } else { self.group(kind.dimension(), &[physical]) };
            dealer.add_element(kind, place, group, &nodes[..kind.nodes()]);
        }
        Ok(())
    }

    fn at_least_0(&self, value: i32, what: &str) -> Result<u64, IoError> {
        u64::try_from(value).map_err(|_| self.scan.error(format!("{value} is below 0; expected {what}")))
    }
}
