//! The pressure on walls in planes across the span.

use std::collections::{BTreeMap, BTreeSet};

use cfd_engine::prelude::*;

use super::{D, Flow, kernels};
use crate::flow::config::Up;
use crate::output::Section;

/// A node of a wall: place and pressure coefficient.
type Point = ([f64; 3], f64);

impl Flow {
    /// The pressure coefficient where planes at `flow.stations` cut the walls, on rank 0; empty elsewhere, in the plane and
    /// without stations. Collective.
    ///
    /// A station is a share of the way from the walls' lowest place along the span to the highest.
    pub(super) fn sections(&self, domain: &mut Domain) -> Result<Vec<Section>, BackendError> {
        if D != 3 || self.config.stations.is_empty() {
            return Ok(Vec::new());
        }
        let (points, sides) = self.wall_sides(domain)?;
        let [up, across] = if self.config.up == Up::Z { [2, 1] } else { [1, 2] };
        let along = |point: &Point| point.0[across];
        let ends = points.values().map(along).fold(None, |ends: Option<[f64; 2]>, z| {
            Some(ends.map_or([z; 2], |[low, high]| [low.min(z), high.max(z)]))
        });
        let Some([low, high]) = ends else { return Ok(Vec::new()) };
        let section = |&station: &f64| {
            let place = low + station * (high - low);
            let cut = sides.iter().filter_map(|(a, b)| crossing(&points[a], &points[b], across, place));
            let mut cut: Vec<[f64; 3]> = cut.map(|([x, y, z], cp)| [x, [x, y, z][up], cp]).collect();
            // A node in the plane is the end of several sides.
            cut.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
            cut.dedup();
            Section::new(station, place, cut)
        };
        Ok(self.config.stations.iter().map(section).collect())
    }

    /// The walls' nodes by number, and the sides of their faces between nodes, on rank 0. Collective.
    #[allow(clippy::type_complexity, reason = "used once")]
    fn wall_sides(
        &self,
        domain: &mut Domain,
    ) -> Result<(BTreeMap<u64, Point>, BTreeSet<(u64, u64)>), BackendError> {
        let geometry = &self.residual.geometry;
        self.refresh(domain);
        let mut own = Vec::new();
        for faces in ["slip", "no_slip"].into_iter().filter_map(|condition| geometry.faces_of(condition)) {
            let name = format!("nodes of {}", faces.condition);
            let point: Dat<{ D + 1 }> =
                domain.dat(&name).unwrap_or_else(|_| domain.new_dat(faces.set, &name));
            let operands = (geometry.x.at(faces.node), self.residual.w.at(faces.node), point);
            domain.par_loop(kernels::wall_point, faces.set, operands, &());
            let (values, nodes) = (domain.read(point)?, domain.target_ids(faces.nodes));
            own.extend(nodes.iter().zip(values.as_chunks::<{ D + 1 }>().0).map(|(nodes, row)| {
                let bits = |k: usize| row.get(k).map_or(0, |value| value.to_bits());
                [nodes[0], nodes[1], bits(0), bits(1), bits(2), row[D].to_bits()]
            }));
        }
        let (mut points, mut sides) = (BTreeMap::new(), BTreeSet::new());
        for [node, next, x, y, z, pressure] in domain.comm().gather(own).concat() {
            let cp = (f64::from_bits(pressure) - self.free.pressure) / self.free.dynamic_pressure;
            points.insert(node, ([x, y, z].map(f64::from_bits), cp));
            sides.insert((node.min(next), node.max(next)));
        }
        Ok((points, sides))
    }
}

/// Where a side crosses the plane at a place along an axis. One that ends in the plane counts if its other end is higher.
fn crossing((a, cp_a): &Point, (b, cp_b): &Point, axis: usize, place: f64) -> Option<Point> {
    let (from, to) = (a[axis], b[axis]);
    let crosses = (from <= place && to > place) || (to <= place && from > place);
    let t = (place - from) / (to - from);
    let between = |a: f64, b: f64| a + t * (b - a);
    crosses.then(|| (std::array::from_fn(|k| between(a[k], b[k])), between(*cp_a, *cp_b)))
}
