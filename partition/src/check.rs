//! Checks that every rank's block is what the mesh says, so that later steps can index without checking.

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::Mesh;

use crate::PartitionError;

/// Checks block lengths and that every map's targets exist. Collective: one rank's error becomes every rank's.
pub(crate) fn check_mesh(comm: &Comm, mesh: &Mesh) -> Result<(), PartitionError> {
    comm.agree(check_block(comm, mesh))
}

/// Checks that `owners` names one of `parts` parts for every row of this rank's block of every set. Collective.
pub(crate) fn check_owners(
    comm: &Comm,
    mesh: &Mesh,
    owners: &[Vec<u32>],
    parts: usize,
) -> Result<(), PartitionError> {
    let check = || {
        check_sets(mesh, "owners", owners.len())?;
        (0..mesh.sets.len()).try_for_each(|set| check_owners_of_set(comm, mesh, set, &owners[set], parts))
    };
    comm.agree(check())
}

/// As [`check_owners`] for one set, on this rank alone.
pub(crate) fn check_owners_of_set(
    comm: &Comm,
    mesh: &Mesh,
    set: usize,
    owners: &[u32],
    parts: usize,
) -> Result<(), PartitionError> {
    let name = &mesh.sets[set].name;
    check_length(comm, || format!("owners of \"{name}\""), owners.len(), block_rows(comm, mesh, set))?;
    match owners.iter().position(|&owner| owner as usize >= parts) {
        None => Ok(()),
        Some(i) => Err(PartitionError::Owner {
            set: name.clone(),
            row: mesh.blocks(set, comm).range(comm.rank()).start + i as u64,
            owner: owners[i],
            parts: parts as u64,
        }),
    }
}

/// Checks that every set has a key for each of its rows on every rank, or none at all; returns which sets have keys.
/// Collective.
pub(crate) fn check_keys(comm: &Comm, mesh: &Mesh, keys: &[Vec<u64>]) -> Result<Vec<bool>, PartitionError> {
    comm.agree(check_sets(mesh, "keys", keys.len()))?;
    // A rank with an empty block cannot tell by itself whether the others have keys.
    let mut counts: Vec<u64> = keys.iter().map(|keys| keys.len() as u64).collect();
    comm.all_reduce(&mut counts, ReduceOp::Sum);
    let ordered: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
    let check = || {
        (0..mesh.sets.len()).filter(|&set| ordered[set]).try_for_each(|set| {
            let what = || format!("keys of \"{}\"", mesh.sets[set].name);
            check_length(comm, what, keys[set].len(), block_rows(comm, mesh, set))
        })
    };
    comm.agree(check())?;
    Ok(ordered)
}

/// Rows of this rank's block of a set.
pub(crate) fn block_rows(comm: &Comm, mesh: &Mesh, set: usize) -> usize {
    let block = mesh.blocks(set, comm).range(comm.rank());
    (block.end - block.start) as usize
}

fn check_sets(mesh: &Mesh, what: &str, found: usize) -> Result<(), PartitionError> {
    let expected = mesh.sets.len();
    if found == expected {
        Ok(())
    } else {
        Err(PartitionError::SetCount { what: what.into(), found, expected })
    }
}

fn check_block(comm: &Comm, mesh: &Mesh) -> Result<(), PartitionError> {
    let rows = |set: usize| block_rows(comm, mesh, set);
    for map in &mesh.maps {
        check_length(comm, || format!("map \"{}\"", map.name), map.rows.len(), rows(map.from) * map.arity)?;
        let target = &mesh.sets[map.to];
        if let Some(i) = map.rows.iter().position(|&t| t >= target.rows) {
            return Err(PartitionError::Target {
                map: map.name.clone(),
                row: mesh.blocks(map.from, comm).range(comm.rank()).start + (i / map.arity) as u64,
                position: i % map.arity,
                target: map.rows[i],
                set: target.name.clone(),
                rows: target.rows,
            });
        }
    }
    for dat in &mesh.dats {
        check_length(comm, || format!("dat \"{}\"", dat.name), dat.values.len(), rows(dat.set) * dat.dim)?;
    }
    Ok(())
}

fn check_length(
    comm: &Comm,
    what: impl Fn() -> String,
    found: usize,
    expected: usize,
) -> Result<(), PartitionError> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found as u64, expected as u64);
    Err(PartitionError::Length { what: what(), rank: comm.rank(), found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_out_of_range_on_one_rank_is_every_ranks_error() {
        let errors = Comm::simulate(3, |comm| {
            let mut mesh = Mesh::default();
            let (a, b) = (mesh.add_set("a", 6), mesh.add_set("b", 4));
            let rows: Vec<u64> =
                mesh.blocks(a, &comm).range(comm.rank()).map(|i| if i == 5 { 4 } else { 0 }).collect();
            mesh.add_map("a_b", a, b, 1, rows);
            check_mesh(&comm, &mesh).unwrap_err().to_string()
        });
        for error in errors {
            assert_eq!(error, "map \"a_b\", row 5, target 0: 4 is not below 4, the size of \"b\"");
        }
    }

    #[test]
    fn blocks_of_a_wrong_length_are_refused() {
        let errors = Comm::simulate(2, |comm| {
            let mut mesh = Mesh::default();
            let a = mesh.add_set("a", 4);
            mesh.add_map("a_a", a, a, 2, vec![0; if comm.is_root() { 4 } else { 3 }]);
            let map = check_mesh(&comm, &mesh).unwrap_err().to_string();
            let owners = check_owners(&comm, &mesh, &[vec![0; 3]], 1).unwrap_err().to_string();
            (map, owners)
        });
        assert_eq!(errors[0], errors[1]);
        assert_eq!(errors[0].0, "map \"a_a\": rank 1 holds 3 values where its block has 4");
        assert_eq!(errors[0].1, "owners of \"a\": rank 0 holds 3 values where its block has 2");
    }

    #[test]
    fn an_owner_that_is_no_part_is_named_with_its_row() {
        let mut mesh = Mesh::default();
        mesh.add_set("a", 3);
        let error = check_owners(&Comm::single(), &mesh, &[vec![0, 1, 2]], 2).unwrap_err();
        assert_eq!(error.to_string(), "\"a\" row 2: owner 2 is not below 2, the number of parts");
        let error = check_owners(&Comm::single(), &mesh, &[], 2).unwrap_err();
        assert_eq!(error.to_string(), "owners are given for 0 sets, but the mesh has 1");
    }

    #[test]
    fn keys_belong_to_all_rows_of_a_set_or_to_none() {
        // One row, which rank 1 holds: rank 0 has no key to give anyway.
        let answers = Comm::simulate(2, |comm| {
            let mut mesh = Mesh::default();
            mesh.add_set("a", 1);
            mesh.add_set("b", 4);
            let check = |a: usize, b: usize| {
                check_keys(&comm, &mesh, &[vec![7; a], vec![7; b]]).map_err(|e| e.to_string())
            };
            let own = comm.rank();
            let sets = check_keys(&comm, &mesh, &[vec![]]).map_err(|e| e.to_string());
            [check(own, 2), check(own, 0), check(0, 2), check(own, 2 * own), check(own, 1 + own), sets]
        });
        assert_eq!(answers[0], answers[1]);
        let [both, first, second, one_rank, too_few, sets] = &answers[0];
        let error = |text: &str| Err(text.to_string());
        assert_eq!(*both, Ok(vec![true, true]));
        assert_eq!(*first, Ok(vec![true, false]));
        assert_eq!(*second, Ok(vec![false, true]));
        assert_eq!(*one_rank, error("keys of \"b\": rank 0 holds 0 values where its block has 2"));
        assert_eq!(*too_few, error("keys of \"b\": rank 0 holds 1 values where its block has 2"));
        assert_eq!(*sets, error("keys are given for 1 sets, but the mesh has 2"));
    }
}
