//! Meshes that cannot be adapted.

use cfd_adapt::mesh::{Input, InputError, Mesh};
use cfd_adapt::operation::{AdaptError, Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::square::{Wanted, block_of, mesh, square};

fn error(change: impl Fn(&mut Input<2>) + Sync) -> InputError {
    let comm = Comm::single();
    let mut input = square(&comm, 4);
    change(&mut input);
    match Mesh::new(&comm, &input) {
        Ok(_) => panic!("a mesh that is none was taken"),
        Err(error) => error,
    }
}

#[test]
fn meshes_that_are_none_are_refused_with_what_and_where() {
    assert_eq!(error(|m| m.elements[4] = 99), InputError::NoVertex { row: 1, vertex: 99, vertices: 25 });
    assert!(matches!(error(|m| m.positions[7][1] = f64::NAN), InputError::NoPlace { vertex: 7, .. }));
    assert!(matches!(error(|m| m.elements[2] = m.elements[1]), InputError::Flat { element: 0, .. }));
    let bare = error(|m| {
        m.rows[0] += 1;
        m.positions.push([0.5, 0.5]);
    });
    assert!(matches!(bare, InputError::Bare { vertex: 25, .. }), "{bare}");
    let open = error(|m| {
        m.rows[2] -= 1;
        m.facets.truncate(2 * m.rows[2] as usize);
        m.tags.truncate(m.rows[2] as usize);
    });
    assert!(open.to_string().contains("no other element"), "{open}");
    let twice = error(|m| {
        m.rows[2] += 2;
        m.facets.extend([6, 7, 7, 6]);
        m.tags.extend([1, 1]);
    });
    assert!(twice.to_string().contains("2 elements and on 2 boundaries"), "{twice}");
}

/// Two triangles on the same side of the side that they share, each of positive area.
#[test]
fn a_mesh_that_folds_over_itself_is_refused() {
    let folded = Input {
        rows: [4, 2, 4],
        positions: vec![[0.0, 0.0], [1.0, 0.0], [0.2, 1.0], [0.8, 0.7]],
        elements: vec![0, 1, 2, 1, 0, 3],
        facets: vec![1, 2, 2, 0, 0, 3, 3, 1],
        tags: vec![1; 4],
        boundaries: vec!["wall".into()],
        ..Input::default()
    };
    for ranks in [1, 2] {
        let errors = Comm::simulate(ranks, |comm| {
            Mesh::new(&comm, &block_of(&comm, &folded)).err().expect("a fold").to_string()
        });
        for error in errors {
            assert_eq!(
                error,
                "elements 0 and 1 are on the same side of their facet [0, 1], where the mesh folds over itself; expected one \
                 element on each side"
            );
        }
    }
}

#[test]
fn all_ranks_refuse_what_one_rank_finds() {
    let errors = Comm::simulate(3, |comm| {
        let mut input = square(&comm, 4);
        if comm.rank() == 1 {
            input.positions[0] = [f64::INFINITY, 0.0];
        }
        Mesh::new(&comm, &input).err()
    });
    assert!(errors[0].is_some() && errors.iter().all(|error| *error == errors[0]), "{errors:?}");
}

fn adapt(mesh: &mut Mesh<2>) -> Result<(), AdaptError> {
    let pool = ThreadPool::new(1);
    let adapter = Adapter {
        bounds: Bounds::default(),
        metric: MetricAt::Carried,
        pool: &pool,
        balance: None,
        most: None,
    };
    adapter.adapt(mesh, |_, _| ()).map(|_| ())
}

#[test]
fn a_metric_that_is_none_is_refused_with_its_vertex() {
    for bad in [[[f64::NAN, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, -1.0]]] {
        let results = Comm::simulate(2, |comm| {
            let mut mesh = mesh(&comm, 4);
            let at =
                |p: &[f64; 2]| if *p == [0.5, 0.25] { Tensor(bad) } else { Tensor([[9.0, 0.0], [0.0, 9.0]]) };
            mesh.set_metric_at(at);
            adapt(&mut mesh)
        });
        for result in results {
            let Err(AdaptError::Metric { vertex, place, .. }) = result else { panic!("{result:?}") };
            assert_eq!((&vertex[..], &place[..]), ("7", "[0.5, 0.25]"));
        }
    }
}

/// With twelve bits, two new vertices soon have the same name, which is an error on all ranks and never a merge.
#[test]
fn two_vertices_of_one_name_are_an_error() {
    for ranks in [1, 3] {
        let results = Comm::simulate(ranks, |comm| {
            let mut mesh = mesh(&comm, 12);
            mesh.shorten_identities(12);
            mesh.set_metric_at(|p| Wanted::Front { eta: 0.02, time: 0.0 }.at(p));
            adapt(&mut mesh)
        });
        for result in results {
            assert!(matches!(result, Err(AdaptError::Identity { .. })), "{result:?} on {ranks} ranks");
        }
    }
}
