//! Writing Gmsh's format 4.1, in text.
//!
//! Each group is an entity of its own, in the physical groups of its names; elements without a group are on a further one.
//! Elements keep their order: neighbours of one group are a block, so an entity may have several.

use std::collections::BTreeMap;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, ElementMesh, Elements, Groups};

use super::TYPES;
use crate::IoError;
use crate::row_file::{RowFile, put_line};

/// Writes a mesh. Collective.
pub(super) fn write(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    let dimension = mesh.dimension();
    let nodes = mesh.node_blocks(comm).rows;
    let extent = extent(comm, mesh);
    let mut file = RowFile::begin(comm, path)?;
    file.put("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    let names = physical_names(&mesh.groups, dimension);
    if !names.is_empty() {
        file.put(format!("$PhysicalNames\n{}\n", names.len()));
        for ((of, name), tag) in &names {
            file.put(format!("{of} {tag} \"{}\"\n", name.replace('"', "'")));
        }
        file.put("$EndPhysicalNames\n");
    }
    entities(&mut file, mesh, &names, extent);

    file.put(format!(
        "$Nodes\n1 {nodes} 1 {nodes}\n{dimension} {} 0 {nodes}\n",
        without(&mesh.groups, dimension)
    ));
    for tag in 1..=nodes {
        file.put(format!("{tag}\n"));
    }
    file.rows(nodes, dimension, mesh.x(), |buffer, x| {
        put_line(buffer, &[x[0], x[1], x.get(2).copied().unwrap_or(0.0)]);
    });
    file.put("$EndNodes\n");

    let lists: Vec<(Elements<'_>, Vec<u64>)> =
        mesh.elements().into_iter().map(|list| (list, rows(&list))).collect();
    let mut blocks = 0;
    for (list, rows) in &lists {
        file.pieces(list.rows, 1 + list.kind.nodes(), rows, |_, piece| {
            blocks += runs(list.kind, piece).count()
        });
    }
    let elements: u64 = lists.iter().map(|(list, _)| list.rows).sum();
    file.put(format!("$Elements\n{blocks} {elements} 1 {elements}\n"));
    let mut tag = 1;
    for (list, rows) in &lists {
        let (kind, groups) = (list.kind, &mesh.groups);
        let number = TYPES.iter().find(|(_, of)| *of == Some(kind)).expect("every kind is listed").0;
        file.pieces(list.rows, 1 + kind.nodes(), rows, |file, piece| {
            for run in runs(kind, piece) {
                let entity = match run[0] as u32 {
                    0 => without(groups, kind.dimension()),
                    group => group.cast_signed(),
                };
                let count = run.len() / (1 + kind.nodes());
                file.put(format!("{} {entity} {number} {count}\n", kind.dimension()));
                for row in run.chunks_exact(1 + kind.nodes()) {
                    let mut line = Vec::new();
                    let mut values = row.to_vec();
                    values[0] = tag;
                    put_line(&mut line, &values);
                    file.put(line);
                    tag += 1;
                }
            }
        });
    }
    file.put("$EndElements\n");
    file.finish()
}

/// Group and nodes, from 1, of this rank's elements of a kind.
fn rows(list: &Elements<'_>) -> Vec<u64> {
    let rows = list.nodes.chunks_exact(list.kind.nodes()).zip(list.groups);
    let row = |(nodes, group): (&[u64], &i32)| {
        let group = u64::from(group.cast_unsigned());
        [group].into_iter().chain(nodes.iter().map(|node| node + 1)).collect::<Vec<u64>>()
    };
    rows.flat_map(row).collect()
}

/// Neighbours of one group.
fn runs(kind: ElementKind, piece: &[u64]) -> impl Iterator<Item = &[u64]> {
    let width = 1 + kind.nodes();
    let mut rest = piece;
    std::iter::from_fn(move || {
        let group = rest.first()?;
        let count = rest.chunks_exact(width).take_while(|row| row[0] == *group).count();
        let (run, after) = rest.split_at(count * width);
        rest = after;
        Some(run)
    })
}

/// The tag of the entity of elements without a group.
fn without(groups: &Groups, dimension: usize) -> i32 {
    groups.of_dimension(dimension).iter().map(|(id, _)| *id).max().unwrap_or(0).saturating_add(1)
}

/// The physical groups: a tag for each name in a dimension.
fn physical_names(groups: &Groups, dimension: usize) -> BTreeMap<(usize, String), i32> {
    let mut names: BTreeMap<(usize, String), i32> =
        groups.iter().map(|group| ((group.dimension, group.name.clone()), 0)).collect();
    for of in [dimension - 1, dimension] {
        let of_dimension = names.iter_mut().filter(|((at, _), _)| *at == of);
        of_dimension.zip(1..).for_each(|((_, tag), number)| *tag = number);
    }
    names
}

/// Writes the entities: no points, curves, surfaces, volumes.
fn entities(
    file: &mut RowFile<'_>,
    mesh: &ElementMesh,
    names: &BTreeMap<(usize, String), i32>,
    extent: [[f64; 3]; 2],
) {
    let mut counts = [0; 4];
    let mut lines = Vec::new();
    for of in [mesh.dimension() - 1, mesh.dimension()] {
        let mut groups = mesh.groups.of_dimension(of);
        groups.push((without(&mesh.groups, of), Vec::new()));
        counts[of] = groups.len();
        for (id, of_group) in groups {
            let tags: Vec<i32> = of_group.iter().map(|name| names[&(of, name.to_string())]).collect();
            let [low, high] = extent;
            let tags: String = tags.iter().map(|tag| format!(" {tag}")).collect();
            let bounds = [low, high].concat().iter().map(|x| format!(" {x:?}")).collect::<String>();
            lines.push(format!("{id}{bounds} {}{tags} 0\n", of_group.len()));
        }
    }
    let [points, curves, surfaces, volumes] = counts;
    file.put(format!("$Entities\n{points} {curves} {surfaces} {volumes}\n{}$EndEntities\n", lines.concat()));
}

/// The lowest and the highest coordinates. Collective.
fn extent(comm: &Comm, mesh: &ElementMesh) -> [[f64; 3]; 2] {
    let mut own = [f64::INFINITY; 6];
    for x in mesh.x().chunks_exact(mesh.dimension()) {
        for (axis, x) in x.iter().enumerate() {
            own[axis] = own[axis].min(*x);
            own[3 + axis] = own[3 + axis].min(-x);
        }
    }
    let all = comm.all_gather(&own);
    let least = |k: usize| all.iter().map(|of| of[k]).fold(f64::INFINITY, f64::min);
    // Directions that the mesh does not have, and no -0.
    let plain = |x: f64| if x.is_finite() { x + 0.0 } else { 0.0 };
    [[0, 1, 2].map(|axis| plain(least(axis))), [3, 4, 5].map(|axis| plain(-least(axis)))]
}
