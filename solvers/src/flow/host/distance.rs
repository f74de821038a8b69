//! The distance of nodes from walls.

use cfd_engine::prelude::*;
use cfd_mesh::derive::periodic::images::images;
use cfd_mesh::distances;

use super::{D, Geometry, parts_of};

/// The distance of each node from the nearest wall without slip, if there is one: to the wall's faces, not its nodes; 0 at
/// its nodes. Walls go on through periodic boundaries. Collective.
///
/// # Errors
/// A device has failed.
pub fn wall_distance(domain: &mut Domain, geometry: &Geometry) -> Result<Option<Dat<1>>, BackendError> {
    let Some(faces) = geometry.faces_of("no_slip") else { return Ok(None) };
    let x = domain.read_with_halo(geometry.x)?;
    let x = x.as_chunks::<D>().0;
    let rings = domain.targets(faces.nodes);
    let ids = domain.target_ids(faces.nodes);
    let own = domain.global_ids(faces.set).len();
    // Of the faces of one boundary element, that of its lowest node.
    let first = rings.iter().zip(&ids).take(own).filter(|(_, ids)| ids.iter().all(|id| *id >= ids[0]));
    let mut parts: Vec<[[f64; D]; D]> =
        first.flat_map(|(ring, _)| parts_of(ring.map(|row| x[row as usize]))).collect();
    if let Some(copies) = &geometry.copies {
        let motions = copies.motions(domain, geometry.x)?;
        let images: Vec<_> = images(domain.comm(), &motions)
            .iter()
            .flat_map(|motion| parts.iter().map(move |part| part.map(|corner| motion.apply(corner))))
            .collect();
        parts.extend(images);
    }
    let points = domain.read(geometry.x)?;
    let values = distances(domain.comm(), points.as_chunks::<D>().0, &parts);
    let distance = domain.new_dat(geometry.nodes, "wall_distance");
    domain.write(distance, &values);
    Ok(Some(distance))
}
