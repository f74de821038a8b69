//! The order of vertices and elements in the input.

use cfd_adapt::mesh::{Input, InputError, Mesh, Numbering};
use cfd_adapt::operation::{Bounds, MetricAt};
use cfd_engine::comm::Comm;
use cfd_partition::{Method, Options};

use crate::square::{Wanted, adapt, block_of, hash, shuffled, square};

const FRONT: Wanted = Wanted::Front { eta: 0.05, time: 0.0 };

/// The hash of the adapted mesh.
fn adapted(whole: &Input<2>, ranks: usize, threads: usize, method: Option<Method>) -> String {
    let hashes = Comm::simulate(ranks, |comm| {
        let mut mesh = Mesh::new(&comm, &block_of(&comm, whole)).expect("a mesh");
        if let Some(method) = &method {
            mesh.balance(&Options { method: method.clone(), ..Options::default() }).expect("parts");
        }
        adapt(&mut mesh, FRONT, threads, Bounds::default());
        hash(&mesh)
    });
    hashes.into_iter().next().expect("a rank")
}

#[test]
fn the_order_of_a_file_changes_nothing() {
    let whole = square(&Comm::single(), 12);
    let one = adapted(&whole, 1, 1, None);
    let points = [
        (1, 1, None),
        (1, 2, None),
        (2, 1, Some(Method::Hilbert)),
        (3, 2, Some(Method::Random)),
        (5, 1, Some(Method::Rcb)),
        (8, 1, None),
    ];
    for (seed, (ranks, threads, method)) in (1..).zip(points) {
        let here = format!("order {seed} on {ranks} ranks, {threads} threads, {method:?}");
        assert_eq!(adapted(&shuffled(&whole, seed), ranks, threads, method), one, "{here}");
    }
}

/// What the canonical order is there for.
#[test]
fn numbers_by_the_file_give_another_mesh_for_another_order() {
    let by_file = |input: Input<2>| Input { numbering: Numbering::File, ..input };
    let whole = square(&Comm::single(), 12);
    let one = adapted(&by_file(whole.clone()), 1, 1, None);
    assert_eq!(adapted(&by_file(whole.clone()), 3, 1, Some(Method::Random)), one);
    assert_ne!(adapted(&by_file(shuffled(&whole, 1)), 1, 1, None), one);
}

/// A mesh in canonical order keeps its numbers: adapting on, and adapting what was written, give the same.
#[test]
fn an_adapted_mesh_is_numbered_by_its_rows() {
    let comm = Comm::single();
    let mut mesh = Mesh::new(&comm, &shuffled(&square(&comm, 12), 4)).expect("a mesh");
    adapt(&mut mesh, FRONT, 1, Bounds::default());
    let written = input_of(&mesh);
    let by_file = Input { numbering: Numbering::File, ..written.clone() };
    assert_eq!(adapted(&written, 1, 1, None), adapted(&by_file, 1, 1, None));
}

/// The mesh as it is written.
fn input_of(mesh: &Mesh<2>) -> Input<2> {
    use cfd_adapt::mesh::canonical::names;
    use cfd_engine::mesh::Values;
    let written = mesh.canonical().mesh;
    let rows = |name: &str| written.sets.iter().find(|set| set.name == name).expect("a set").rows;
    let map = |name: &str| written.maps.iter().find(|map| map.name == name).expect("a map").rows.to_vec();
    let dat = |name: &str| &written.dats.iter().find(|dat| dat.name == name).expect("a dat").values;
    let (Values::F64(x), Values::I32(tags)) = (dat(names::X), dat(names::BOUNDARY)) else {
        panic!("coordinates are f64, tags i32")
    };
    Input {
        rows: [rows(names::VERTICES), rows(names::ELEMENTS), rows(names::FACETS)],
        positions: x.as_chunks::<2>().0.to_vec(),
        elements: map(names::ELEMENT_VERTICES),
        facets: map(names::FACET_VERTICES),
        tags: tags.iter().map(|&tag| tag as u16).collect(),
        boundaries: mesh.boundaries().to_vec(),
        ..Input::default()
    }
}

/// Two squares that touch along a slit: four of their vertices are at the places of four others.
fn slit() -> Input<2> {
    let below = square(&Comm::single(), 3);
    let above = |c: &u64| c + below.rows[0];
    let lifted = below.positions.iter().map(|[x, y]| [*x, y + 1.0]);
    let twice = |list: &[u64]| list.iter().copied().chain(list.iter().map(above)).collect();
    Input {
        rows: below.rows.map(|rows| 2 * rows),
        positions: below.positions.iter().copied().chain(lifted).collect(),
        elements: twice(&below.elements),
        facets: twice(&below.facets),
        tags: [&below.tags[..], &below.tags].concat(),
        ..below
    }
}

#[test]
fn the_two_sides_of_a_slit_are_told_apart_by_their_elements() {
    let adapted = |whole: &Input<2>, ranks: usize| {
        let hashes = Comm::simulate(ranks, |comm| {
            let mut mesh = Mesh::new(&comm, &block_of(&comm, whole)).expect("a mesh");
            mesh.set_metric_at(|place| Wanted::Front { eta: 0.1, time: 0.0 }.at(place));
            let pool = cfd_engine::plug::ThreadPool::new(1);
            let (bounds, metric) = (Bounds::default(), MetricAt::Carried);
            let adapter =
                cfd_adapt::operation::Adapter { bounds, metric, pool: &pool, balance: None, most: None };
            adapter
                .adapt(&mut mesh, |mesh, _| mesh.check().expect("a sound mesh"))
                .expect("it can be adapted");
            hash(&mesh)
        });
        hashes.into_iter().next().expect("a rank")
    };
    let one = adapted(&slit(), 1);
    for (seed, ranks) in [(1, 1), (2, 3)] {
        assert_eq!(adapted(&shuffled(&slit(), seed), ranks), one, "order {seed} on {ranks} ranks");
    }
}

#[test]
fn vertices_that_nothing_tells_apart_are_refused_or_numbered_by_the_file() {
    let mut double = slit();
    let half = double.positions.len() / 2;
    double.positions.copy_within(..half, half);
    for ranks in [1, 3] {
        let errors = Comm::simulate(ranks, |comm| Mesh::new(&comm, &block_of(&comm, &double)).err());
        for error in errors {
            let Some(InputError::Twin { vertex: 0, ref place }) = error else { panic!("{error:?}") };
            assert_eq!(place, "[0.0, 0.0]");
        }
    }
    let by_file = Input { numbering: Numbering::File, ..double };
    assert!(Mesh::new(&Comm::single(), &by_file).is_ok());
}
