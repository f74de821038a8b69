use std::path::Path;

use cfd_api::prelude::*;

use crate::domain;

/// Values that tell rows and components apart.
fn values<const D: usize>(domain: &Domain, set: Set) -> Vec<f64> {
    let value = |id: u64| (0..D).map(move |m| (id * 10) as f64 + m as f64 + 0.1);
    domain.global_ids(set).iter().flat_map(|&id| value(id)).collect()
}

fn dats(domain: &mut Domain) -> (Dat<3>, Dat<1, i32>, Set) {
    let (nodes, cells) = (domain.set("nodes").unwrap(), domain.set("cells").unwrap());
    (domain.new_dat(cells, "q"), domain.new_dat(nodes, "flag"), cells)
}

fn written(ranks: usize, path: &Path) -> Digest {
    let hashes = Comm::simulate(ranks, |comm| {
        let mut domain = domain(&comm);
        let (q, flag, cells) = dats(&mut domain);
        let all = values::<3>(&domain, cells);
        domain.write(q, &all);
        let flags: Vec<i32> =
            domain.global_ids(domain.set("nodes").unwrap()).iter().map(|&id| -(id as i32)).collect();
        domain.write(flag, &flags);
        save(&mut domain, path, TimeLevel { step: 3, time: 0.3 }, &[q.into(), flag.into()]).unwrap()
    });
    hashes[0]
}

#[test]
fn dats_come_back_to_their_rows_on_any_other_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.h5");
    for from in [1, 3] {
        let hash = written(from, &path);
        for to in [1, 2, 3, 5] {
            Comm::simulate(to, |comm| {
                let mut domain = domain(&comm);
                let (q, flag, cells) = dats(&mut domain);
                let level = load(&mut domain, &path, &[q.into(), flag.into()]).unwrap();
                assert_eq!(level, TimeLevel { step: 3, time: 0.3 });
                assert_eq!(domain.read(q).unwrap(), values::<3>(&domain, cells), "{from} to {to} ranks");
                let again = folder.path().join("again.h5");
                assert_eq!(save(&mut domain, &again, level, &[q.into(), flag.into()]).unwrap(), hash);
                // A rank's block in global order; `write` of it takes every value to its row.
                let field = read_field(&comm, &path, "q").unwrap();
                let blank = vec![0.0; 3 * domain.global_ids(cells).len()];
                domain.write(q, &blank);
                field.write(&mut domain, q.into()).unwrap();
                assert_eq!(domain.read(q).unwrap(), values::<3>(&domain, cells));
            });
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_on_all_ranks_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.h5");
    written(2, &path);
    Comm::simulate(3, |comm| {
        let mut domain = domain(&comm);
        let (q, _, cells) = dats(&mut domain);
        let other: Dat<1> = domain.new_dat(cells, "flag of cells");
        let refused = |domain: &mut Domain, path: &Path, dats: &[AnyDat]| {
            load(domain, path, dats).unwrap_err().to_string()
        };
        let message = refused(&mut domain, &path, &[q.into(), other.into()]);
        assert!(message.ends_with("state.h5: `flag of cells`: the dataset is missing"), "{message}");
        assert!(domain.read(q).unwrap().iter().all(|&value| value == 0.0), "q is as it was");
        let message = refused(&mut domain, &folder.path().join("none.h5"), &[q.into()]);
        assert!(message.contains("none.h5: cannot be read: No such file"), "{message}");
        let mut short = self::domain(&comm);
        let nodes = short.set("nodes").unwrap();
        let q: Dat<3> = short.new_dat(nodes, "q");
        let message = refused(&mut short, &path, &[q.into()]);
        assert!(message.ends_with("`q`: the shape is (36, 3), expected (49, 3)"), "{message}");
        let mut whole = self::domain(&comm);
        let cells = whole.set("cells").unwrap();
        let q: Dat<3, i32> = whole.new_dat(cells, "q");
        let message = refused(&mut whole, &path, &[q.into()]);
        assert!(message.ends_with("0.1 is not a 32-bit integer"), "{message}");
    });
}
