//! The primary set of a mesh, its graph and its coordinates, found by name.

use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::Primary;

use crate::PartitionError;

/// A [`Primary`] found in a mesh: indices into its sets, maps and dats.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub set: usize,
    pub graph: Vec<usize>,
    pub nodes: Option<usize>,
    pub coordinates: usize,
    pub members: Option<usize>,
    pub coarser: Vec<usize>,
}

/// Looks up the names, and checks that the maps and the dat fit together.
pub(crate) fn find(primary: &Primary, mesh: &Mesh) -> Result<Found, PartitionError> {
    let sets = mesh.sets.iter().map(|s| &s.name[..]);
    let set = mesh.set(&primary.set).ok_or_else(|| missing("set", &primary.set, sets))?;
    let graph = find_graph(mesh, set, primary)?;
    let nodes = primary.nodes.as_ref().map(|name| find_map(mesh, name)).transpose()?;
    let coordinates = find_coordinates(mesh, &primary.coordinates)?;

    if let Some(nodes) = nodes
        && (mesh.maps[nodes].from != set || mesh.maps[nodes].arity == 0)
    {
        let problem = format!("it must start from \"{}\" and have targets", primary.set);
        return Err(unsuitable(&mesh.maps[nodes].name, "the nodes of the primary set", problem));
    }
    let located = nodes.map_or(set, |nodes| mesh.maps[nodes].to);
    if mesh.dats[coordinates].set != located {
        let problem = format!("it must be on \"{}\"", mesh.sets[located].name);
        return Err(unsuitable(&primary.coordinates, "coordinates", problem));
    }
    let members = primary.members.as_ref().map(|name| find_members(mesh, set, name)).transpose()?;
    let coarser = find_coarser(&primary.coarser, mesh, set)?;
    Ok(Found { set, graph, nodes, coordinates, members, coarser })
}

/// The maps into the primary set.
fn find_graph(mesh: &Mesh, set: usize, primary: &Primary) -> Result<Vec<usize>, PartitionError> {
    let found = |name: &String| match find_map(mesh, name)? {
        map if mesh.maps[map].to == set => Ok(map),
        _ => {
            let problem = format!("it must point to \"{}\"", primary.set);
            Err(unsuitable(name, "the graph of the primary set", problem))
        }
    };
    primary.graph.iter().map(found).collect()
}

/// The map from those that parts should have equally many of.
fn find_members(mesh: &Mesh, set: usize, name: &str) -> Result<usize, PartitionError> {
    let map = find_map(mesh, name)?;
    if mesh.maps[map].to == set && mesh.maps[map].arity == 1 {
        return Ok(map);
    }
    let problem = format!("it must be of arity 1 and point to \"{}\"", mesh.sets[set].name);
    Err(unsuitable(name, "the members of the primary set", problem))
}

/// The maps from level to level; no set is a level twice.
fn find_coarser(names: &[String], mesh: &Mesh, primary: usize) -> Result<Vec<usize>, PartitionError> {
    let mut levels = vec![primary];
    let mut maps = Vec::with_capacity(names.len());
    for name in names {
        let (map, finer) = (find_map(mesh, name)?, levels[levels.len() - 1]);
        let found = &mesh.maps[map];
        let problem = if found.from != finer {
            format!("it must start from \"{}\"", mesh.sets[finer].name)
        } else if found.arity != 1 {
            format!("it has arity {}, but an element has one coarser element", found.arity)
        } else if levels.contains(&found.to) {
            format!("it leads back to \"{}\"", mesh.sets[found.to].name)
        } else {
            levels.push(found.to);
            maps.push(map);
            continue;
        };
        return Err(unsuitable(name, "the way to a coarser level", problem));
    }
    Ok(maps)
}

/// Looks up a dat that can serve as coordinates: double precision, of dimension 2 or 3.
pub(crate) fn find_coordinates(mesh: &Mesh, name: &str) -> Result<usize, PartitionError> {
    let dats = mesh.dats.iter().map(|d| &d.name[..]);
    let found = mesh.dat(name).ok_or_else(|| missing("dat", name, dats))?;
    let dat = &mesh.dats[found];
    let problem = if !matches!(dat.dim, 2 | 3) {
        format!("it has dimension {}, and must have 2 or 3", dat.dim)
    } else if !matches!(dat.values, Values::F64(_)) {
        "it must be double precision".into()
    } else {
        return Ok(found);
    };
    Err(unsuitable(name, "coordinates", problem))
}

fn find_map(mesh: &Mesh, name: &str) -> Result<usize, PartitionError> {
    mesh.map(name).ok_or_else(|| missing("map", name, mesh.maps.iter().map(|m| &m.name[..])))
}

fn missing<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PartitionError {
    let known: Vec<&str> = known.collect();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    PartitionError::Missing { kind: kind.into(), name: name.into(), known }
}

fn unsuitable(name: &str, role: &str, problem: String) -> PartitionError {
    PartitionError::Unsuitable { name: name.into(), role: role.into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> (Mesh, Primary) {
        let mut mesh = Mesh::default();
        let (cells, edges) = (mesh.add_set("cells", 2), mesh.add_set("edges", 1));
        mesh.add_map("edge_cells", edges, cells, 2, vec![0, 1]);
        mesh.add_dat("centre", cells, 2, Values::F64(vec![0.0; 4]));
        mesh.add_dat("flag", cells, 2, Values::I32(vec![0; 4]));
        mesh.add_dat("length", edges, 2, Values::F64(vec![0.0; 2]));
        mesh.add_dat("area", cells, 1, Values::F64(vec![0.0; 2]));
        let primary = Primary { coordinates: "centre".into(), ..Primary::located("cells", "edge_cells") };
        (mesh, primary)
    }

    #[test]
    fn names_that_are_not_there_are_answered_with_those_that_are() {
        let (mesh, primary) = mesh();
        assert!(find(&primary, &mesh).is_ok());
        let wrong = Primary { set: "cell".into(), ..primary.clone() };
        let message = find(&wrong, &mesh).unwrap_err().to_string();
        assert_eq!(message, "the mesh has no set \"cell\"; it has cells, edges");
        let wrong = Primary { nodes: Some("cell_nodes".into()), ..primary.clone() };
        assert!(
            find(&wrong, &mesh).unwrap_err().to_string().contains("no map \"cell_nodes\"; it has edge_cells")
        );
        let wrong = Primary { coordinates: "x".into(), ..primary };
        assert!(find(&wrong, &mesh).unwrap_err().to_string().contains("no dat \"x\""));
    }

    #[test]
    fn coordinates_must_be_two_or_three_doubles_on_the_right_set() {
        let (mesh, primary) = mesh();
        for (name, words) in
            [("flag", "double precision"), ("length", "on \"cells\""), ("area", "dimension 1")]
        {
            let wrong = Primary { coordinates: name.into(), ..primary.clone() };
            let message = find(&wrong, &mesh).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn the_graph_must_point_to_the_primary_set_and_nodes_must_start_there() {
        let (mesh, primary) = mesh();
        let wrong = Primary { set: "edges".into(), ..primary.clone() };
        assert!(find(&wrong, &mesh).unwrap_err().to_string().contains("must point to \"edges\""));
        let wrong = Primary { nodes: Some("edge_cells".into()), ..primary.clone() };
        assert!(find(&wrong, &mesh).unwrap_err().to_string().contains("must start from \"cells\""));
        let wrong = Primary { members: Some("edge_cells".into()), ..primary };
        assert!(find(&wrong, &mesh).unwrap_err().to_string().contains("arity 1 and point to \"cells\""));
    }

    #[test]
    fn coarser_levels_follow_each_other_from_the_primary_set_on() {
        let (mut mesh, primary) = mesh();
        let cells = mesh.set("cells").expect("added above");
        let (coarse, coarsest) = (mesh.add_set("coarse", 1), mesh.add_set("coarsest", 1));
        mesh.add_map("up", cells, coarse, 1, vec![0, 0]);
        mesh.add_map("further_up", coarse, coarsest, 1, vec![0]);
        mesh.add_map("back", coarsest, cells, 1, vec![0]);
        mesh.add_map("pairs", cells, coarse, 2, vec![0; 4]);
        let found = |names: &[&str]| {
            let coarser = names.iter().map(|name| name.to_string()).collect();
            find(&Primary { coarser, ..primary.clone() }, &mesh).map(|found| found.coarser)
        };
        assert_eq!(found(&["up", "further_up"]), Ok(vec![1, 2]));
        for (names, words) in [
            (
                &["further_up"][..],
                "\"further_up\" cannot be used as the way to a coarser level: it must start from \"cells\"",
            ),
            (&["up", "up"], "must start from \"coarse\""),
            (&["pairs"], "has arity 2"),
            (&["up", "further_up", "back"], "leads back to \"cells\""),
            (&["down"], "no map \"down\""),
        ] {
            let message = found(names).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
