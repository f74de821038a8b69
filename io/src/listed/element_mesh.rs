//! Meshes of mixed elements: every kind of element separately, with its groups.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementBlock, ElementKind, ElementMesh, Given, Groups, MOST_GROUPS, blocks_of, orient};

use super::deal::deal;
use super::marks::Marks;
use super::nodes::{self, Listed, Role};
use super::rows::{Kind, NO_GROUP, Rows};
use super::{Contents, GroupList, ListedGroup, Lister, Source};
use crate::IoError;
use crate::format::{Format, Reading};
use crate::read::Notes;
use crate::source::MeshSource;

/// Reads this rank's blocks of a mesh of elements from a file whose rows `list` distributes. Collective.
///
/// # Errors
/// The file is damaged or unsupported, or nodes and elements do not fit together; each with line, or byte, and what would be
/// right.
pub(crate) fn read_elements(
    comm: &Comm,
    format: &'static Format,
    path: &Path,
    list: Lister,
) -> Result<Reading, IoError> {
    let (contents, rows) = deal(comm, |dealer| list(path, dealer))?;
    assemble(comm, format, path, &contents, rows)
}

/// Makes a mesh of the rows of a file. Collective.
///
/// # Errors
/// Nodes and elements do not fit together; with their place in the file and what would be right.
pub(crate) fn assemble(
    comm: &Comm,
    format: &'static Format,
    path: &Path,
    contents: &Contents,
    mut dealt: Rows,
) -> Result<Reading, IoError> {
    let source = Source { path, position: &contents.position };
    let has_volumes = ElementKind::ALL.into_iter().any(|kind| kind.dimension() == 3 && dealt.has(kind));
    let dimension = contents.dimension.unwrap_or(if has_volumes { 3 } else { 2 });
    let numbered;
    let listed_groups = match &contents.groups {
        GroupList::Listed(groups) => groups,
        GroupList::Numbered(names) => {
            numbered = number(comm, path, dimension, &mut dealt, names)?;
            &numbered
        }
    };
    let (ids, mut groups) = ids(path, listed_groups)?;
    groups.periodic.clone_from(&contents.periodic);

    let mut lists: Vec<(ElementKind, Vec<u64>)> = Vec::new();
    let kinds = ElementKind::ALL.into_iter().filter(|kind| kind.dimension() + 1 >= dimension);
    for kind in kinds {
        if !dealt.has(kind) {
            continue;
        }
        let mut rows = dealt.block(comm, Kind::Element(kind));
        let is_boundary = kind.dimension() < dimension;
        if is_boundary || !contents.dropped.is_empty() {
            // Without a group it is not a boundary; the rest keep their order.
            let width = Kind::Element(kind).width();
            let is_dropped = |node: &u64| contents.dropped.binary_search(node).is_ok();
            let is_kept =
                |row: &&[u64]| !(is_boundary && row[1] == NO_GROUP || row[2..].iter().any(is_dropped));
            let kept: Vec<u64> = rows.chunks_exact(width).filter(is_kept).flatten().copied().collect();
            rows = blocks_of(comm, width, &kept).1;
        }
        lists.push((kind, rows));
    }
    let is_cell = |kind: ElementKind| kind.dimension() == dimension;
    if !lists.iter().any(|(kind, _)| is_cell(*kind)) {
        let what = format!("there is no element of {dimension} dimensions in this mesh");
        return Err(IoError::file(path, what));
    }
    let mut listed: Vec<Listed<'_>> = lists
        .iter_mut()
        .map(|(kind, rows)| {
            let role = if is_cell(*kind) { Role::Cells } else { Role::Boundary };
            Listed { rows, width: 2 + kind.nodes(), first: 2, role }
        })
        .collect();
    let mut marks = Marks::take(comm, dimension, &mut dealt);
    listed.extend(marks.nodes());
    let nodes = nodes::settle(comm, source, dimension, contents.numbering, &mut dealt, &mut listed)?;
    drop(dealt);
    let marked = marks.marked(comm, source, &lists)?;

    let mut blocks = Vec::new();
    let mut turned = 0;
    for (kind, rows) in lists {
        let width = 2 + kind.nodes();
        let mut corners: Vec<u64> = Vec::with_capacity(rows.len() / width * kind.nodes());
        rows.chunks_exact(width).for_each(|row| corners.extend_from_slice(&row[2..]));
        let oriented = orient(comm, dimension, nodes.blocks(comm), &nodes.x, kind, &mut corners);
        turned += comm.agree(oriented.map_err(|(place, what)| source.error(rows[place * width], what)))?;
        let group = |row: &[u64]| if row[1] == NO_GROUP { 0 } else { ids[row[1] as usize] };
        let groups = rows.chunks_exact(width).map(group).collect();
        let count = comm.sum((rows.len() / width) as u64);
        blocks.push(ElementBlock { kind, rows: count, nodes: corners, groups });
    }
    let mut mesh = ElementMesh::from_blocks(dimension, nodes.rows, nodes.x, blocks, groups);
    marked.iter().for_each(|(mark, nodes)| mesh.mark(comm, *mark, nodes));
    let mesh = mesh.with_groups_by_name(comm).map_err(|error| IoError::of_mesh(path, error))?;
    let notes = Notes { turned: comm.sum(turned), unused: nodes.unused, merged: 0 };
    Ok(Reading { given: Given::Elements(mesh), source: MeshSource::new(path, format.dataset), notes })
}

/// Lists the groups whose numbers elements have, replaces the numbers by their index, and names the groups; the number 0
/// means no group of elements that fill the domain. Collective.
fn number(
    comm: &Comm,
    path: &Path,
    dimension: usize,
    rows: &mut Rows,
    names: &BTreeMap<(usize, i32), Vec<String>>,
) -> Result<Vec<ListedGroup>, IoError> {
    let is_group = |of: usize, group: u64| group != NO_GROUP && !(of == dimension && group == 0);
    let own: BTreeSet<[u64; 2]> = rows
        .groups_mut()
        .filter(|(of, group)| is_group(*of, **group))
        .map(|(of, group)| [of as u64, *group])
        .collect();
    let too_many = |groups: usize| {
        let what = format!("elements of {groups} groups; expected at most {MOST_GROUPS}");
        comm.agree(if groups > MOST_GROUPS { Err(IoError::file(path, what)) } else { Ok(()) })
    };
    too_many(own.len())?;
    let own: Vec<[u64; 2]> = own.into_iter().collect();
    let mut all = comm.all_gather(&own).concat();
    all.sort_unstable();
    all.dedup();
    too_many(all.len())?;
    for (of, group) in rows.groups_mut() {
        let index = all.binary_search(&[of as u64, *group]).ok().filter(|_| is_group(of, *group));
        *group = index.map_or(NO_GROUP, |index| index as u64);
    }
    let listed = (1..).zip(all).map(|(id, [of, group])| {
        let (of, group) = (of as usize, group as i32);
        let names = names.get(&(of, group)).cloned().unwrap_or_else(|| vec![group.to_string()]);
        ListedGroup { dimension: of, ids: vec![id], names }
    });
    Ok(listed.collect())
}

/// The id of each listed group, and the names of all. An entity in one physical group has that group's number; one in
/// several gets a new number, after all others of its dimension.
fn ids(path: &Path, listed: &[ListedGroup]) -> Result<(Vec<i32>, Groups), IoError> {
    let mut highest: BTreeMap<usize, i32> = BTreeMap::new();
    for ListedGroup { dimension, ids, .. } in listed {
        if ids.contains(&0) {
            let what = "there is a physical group 0, which would mean no group; expected numbers from 1";
            return Err(IoError::file(path, what));
        }
        let known = highest.entry(*dimension).or_insert(0);
        *known = ids.iter().copied().fold(*known, i32::max);
    }
    let mut groups = Groups::default();
    let mut found = Vec::new();
    for ListedGroup { dimension, ids, names } in listed {
        let id = match ids[..] {
            [id] => id,
            _ => {
                let last = highest.get_mut(dimension).expect("every dimension has been seen");
                let next = last.checked_add(1);
                *last = next.ok_or_else(|| {
                    let what =
                        format!("the physical group {last} leaves no number for entities of several groups");
                    IoError::file(path, what)
                })?;
                *last
            }
        };
        names.iter().for_each(|name| groups.add(*dimension, id, name));
        found.push(id);
    }
    Ok((found, groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids_of(groups: &[(usize, &[i32])]) -> Result<(Vec<i32>, Groups), IoError> {
        let group = |(dimension, ids): &(usize, &[i32])| ListedGroup {
            dimension: *dimension,
            ids: ids.to_vec(),
            names: ids.iter().map(|id| format!("n{id}")).collect(),
        };
        let groups: Vec<ListedGroup> = groups.iter().map(group).collect();
        ids(Path::new("a.msh"), &groups)
    }

    #[test]
    fn entities_of_several_groups_get_a_number_of_their_own_in_their_dimension() {
        let (found, groups) =
            ids_of(&[(1, &[3]), (1, &[3, 9]), (2, &[3]), (1, &[7, 9]), (2, &[1, 3])]).unwrap();
        assert_eq!(found, [3, 10, 3, 11, 4]);
        assert_eq!(groups.ids(1, "n9"), [10, 11]);
        assert_eq!(groups.ids(1, "n3"), [3, 10]);
        assert_eq!(groups.names(2, 4).collect::<Vec<_>>(), ["n1", "n3"]);
    }

    #[test]
    fn numbers_that_cannot_be_groups_are_refused() {
        let message = |groups: &[(usize, &[i32])]| ids_of(groups).unwrap_err().to_string();
        assert!(message(&[(1, &[0])]).contains("a physical group 0"));
        assert!(message(&[(2, &[1, i32::MAX])]).contains("group 2147483647 leaves no number"));
    }
}
