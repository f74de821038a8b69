//! Version 4.1: entities, and blocks of the nodes and elements of each.

use cfd_mesh::ElementKind;

use super::{Reader, end};
use crate::IoError;
use crate::listed::{Dealer, Kind, NO_GROUP};

impl Reader {
    pub(super) fn entities(&mut self) -> Result<(), IoError> {
        let scan = &mut self.scan;
        let what = "the number of entities of a dimension";
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = scan.count(what, 4)?;
        }
        for (dimension, count) in counts.into_iter().enumerate() {
            let what = ["a point", "a curve", "a surface", "a volume"][dimension];
            for _ in 0..count {
                let tag = scan.int(what)?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    scan.double(what)?;
                }
                let groups = scan.count("the number of an entity's physical groups", 1)?;
                let mut physical = Vec::new();
                for _ in 0..groups {
                    // Negative if the group traverses the curve in the other direction.
                    physical.push(scan.int(what)?.saturating_abs());
                }
                if dimension > 0 && !physical.is_empty() {
                    physical.sort_unstable();
                    physical.dedup();
                    self.entities.insert((dimension, tag), physical);
                }
                if dimension > 0 {
                    for _ in 0..scan.count("the number of an entity's boundaries", 1)? {
                        scan.int(what)?;
                    }
                }
            }
        }
        end(scan, "Entities")
    }

    pub(super) fn block_nodes(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let scan = &mut self.scan;
        let blocks = scan.count("the number of blocks of nodes", 4)?;
        let rows = scan.count("the number of nodes", 4)?;
        scan.size("the lowest tag of a node")?;
        scan.size("the highest tag of a node")?;
        let mut read = 0;
        for _ in 0..blocks {
            let what = "a block of nodes: dimension entity parametric number";
            let dimension = scan.int(what)?;
            scan.int(what)?;
            let parametric = scan.int(what)?;
            if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) {
                return Err(
                    scan.error(format!("this is not {what}; dimensions are 0 to 3, parametric is 0 or 1"))
                );
            }
            let count = scan.count("the number of nodes in this block", 4)?;
            read += count;
            if read > rows {
                return Err(scan.error(format!(
                    "the blocks up to here have {read} nodes; $Nodes says there are {rows}"
                )));
            }
            for _ in 0..count {
                let tag = scan.size("the tag of a node")?;
                dealer.add(Kind::Tag, [tag, scan.place()]);
            }
            for _ in 0..count {
                let mut x = [0; 3];
                for x in &mut x {
                    *x = scan.double("a node: x y z")?.to_bits();
                }
                for _ in 0..dimension * parametric {
                    scan.double("a parameter of a node")?;
                }
                dealer.add(Kind::Point, x);
            }
        }
        if read < rows {
            return Err(
                scan.error(format!("the blocks have {read} nodes in total; $Nodes says there are {rows}"))
            );
        }
        end(scan, "Nodes")
    }

    pub(super) fn block_elements(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let blocks = self.scan.count("the number of blocks of elements", 4)?;
        let rows = self.scan.count("the number of elements", 2)?;
        self.scan.size("the lowest tag of an element")?;
        self.scan.size("the highest tag of an element")?;
        let mut read = 0;
        for _ in 0..blocks {
            let what = "a block of elements: dimension entity type number";
            let dimension = self.scan.int(what)?;
            let entity = self.scan.int(what)?;
            let kind = self.scan.int(what)?;
            let number = kind;
            let kind = self.kind(number)?;
            let expected = kind.map_or(0, ElementKind::dimension);
            if usize::try_from(dimension) != Ok(expected) {
                let what = format!(
                    "elements of type {number} on an entity of dimension {dimension}; expected {expected}"
                );
                return Err(self.scan.error(what));
            }
            let nodes = kind.map_or(1, ElementKind::nodes);
            let count = self.scan.count("the number of elements in this block", 1 + nodes as u64)?;
            read += count;
            if read > rows {
                let what =
                    format!("the blocks up to here have {read} elements; $Elements says there are {rows}");
                return Err(self.scan.error(what));
            }
            let group = match kind {
                Some(kind) if count > 0 => self.entity_group(kind, entity),
                _ => NO_GROUP,
            };
            let scan = &mut self.scan;
            for _ in 0..count {
                scan.size("the tag of an element")?;
                let place = scan.place();
                let mut row = [0; ElementKind::MOST_NODES];
                for node in &mut row[..nodes] {
                    *node = scan.size("a node of an element")?;
                }
                if let Some(kind) = kind {
                    dealer.add_element(kind, place, group, &row[..nodes]);
                }
            }
        }
        if read < rows {
            let what = format!("the blocks have {read} elements in total; $Elements says there are {rows}");
            return Err(self.scan.error(what));
        }
        end(&mut self.scan, "Elements")
    }

    /// The index in the list of the group of an entity's elements.
    fn entity_group(&mut self, kind: ElementKind, entity: i32) -> u64 {
        let dimension = kind.dimension();
        let Some(tags) = self.entities.get(&(dimension, entity)) else { return NO_GROUP };
        let tags = tags.clone();
        self.group(dimension, &tags)
    }
}
