//! A user's loop that adapts its mesh: fields go from domain to domain, with one result on any ranks, threads and devices.

use cfd_adapt::metric::{MetricError, View};
use cfd_adapt::remesh::{Carried, Remesh};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::{Conserve, Order as Shape, Rule};
use cfd_engine::prelude::*;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::{Boundaries, BoundaryKind, CELL_EDGES, Derived, ElementKind, Given};
use cfd_partition::Options;

use crate::harness::{Split, domain};

/// Heat through an edge, of which the cells keep the sum.
#[kernel]
fn conduct(t: [Read<1>; 2], change: [Inc<1>; 2]) {
    let f = 0.05 * (t[1][0] - t[0][0]);
    change[0][0] += f;
    change[1][0] -= f;
}

#[kernel]
fn advance(change: Rw<1>, t: Rw<1>) {
    t[0] += change[0];
    change[0] = 0.0;
}

const NEEDS: &[&Derived] = &[&CELL_EDGES];
const SIDE: BoundaryKind =
    BoundaryKind { name: "side", flag: 1, known: &["x_min", "x_max", "y_min", "y_max"], meaning: "sides" };

/// Fine along a line that turns from round to round.
fn metric(round: u32, [x, y]: [f64; 2]) -> Tensor<2> {
    let [c, s] = [[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]][round as usize % 5];
    let away = c * (x - 0.5) + s * (y - 0.5);
    let (across, along) = (1.0 / (0.02 + 0.3 * away * away), 1.0 / 0.15);
    let [a, b] = [across * across, along * along];
    Tensor([[a * c * c + b * s * s, (a - b) * c * s], [(a - b) * c * s, a * s * s + b * c * c]])
}

/// All that a run ends with, on all ranks.
#[derive(Clone, Debug, PartialEq)]
struct Ended {
    cells: u64,
    fields: [Vec<u64>; 3],
    masses: Vec<u64>,
}

/// Ten rounds, with a step of conduction before each.
fn ended(comm: &Comm, split: &Split) -> Ended {
    let elements = ElementBox::unit(Filling::Only(ElementKind::Triangle), [14, 11, 1]).mesh(comm).unwrap();
    let boundaries = Boundaries::new(std::slice::from_ref(&SIDE));
    let given = Given::Elements(elements).prepare(comm, NEEDS, &boundaries, 1).unwrap();
    let (mut elements, mut domain) = (given.elements.unwrap(), domain(comm, given.mesh, split));
    let options = Options { method: split.method.parse().unwrap(), seed: split.seed, ..Options::default() };
    let remesh = Remesh { partition: options, ..Remesh::new(NEEDS, boundaries) };
    let exact = Rule { order: Shape::Second, conserve: Conserve::Exact };

    let fields = |domain: &mut Domain| -> (Dat<2>, Dat<4>, Dat<1>, Dat<1>) {
        let (cells, nodes) = (domain.set("cells").unwrap(), domain.set("nodes").unwrap());
        let (u, masses) = (domain.new_dat(cells, "u"), domain.new_dat(cells, "u.masses"));
        (u, masses, domain.new_dat(cells, "t"), domain.new_dat(nodes, "p"))
    };
    let (mut u, mut masses, mut t, mut p) = fields(&mut domain);
    let at = |domain: &Domain, set: &str| domain.global_ids(domain.set(set).unwrap()).to_vec();
    let [cells, nodes] = ["cells", "nodes"].map(|set| at(&domain, set));
    domain.write(
        u,
        &cells.iter().flat_map(|&c| [1.0 / (c + 1) as f64, (c % 7) as f64 - 3.0]).collect::<Vec<_>>(),
    );
    domain.write(t, &cells.iter().map(|&c| (c % 5) as f64).collect::<Vec<_>>());
    domain.write(p, &nodes.iter().map(|&n| (n % 3) as f64).collect::<Vec<_>>());
    let has_device = domain.device().is_some();

    let mut totals = Vec::new();
    for round in 0..10 {
        let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let change: Dat<1> = domain.new_dat(cells, "change");
        domain.par_loop(conduct, edges, (t.all(sides), change.all(sides)), &());
        domain.par_loop(advance, cells, (change, t), &());
        let carried = [
            match round {
                0 => Carried::cells("u", u, exact),
                _ => Carried::cells_with_masses("u", u, exact, masses),
            },
            Carried::cells("t", t, Rule::default()),
            Carried::nodes("p", p),
        ];
        let shown = |mesh: &cfd_adapt::mesh::Mesh<2>| -> Result<Vec<Tensor<2>>, MetricError> {
            let vertices = View::vertices(mesh) as u32;
            Ok((0..vertices).map(|v| metric(round, View::position(mesh, v))).collect())
        };
        let made = remesh.round(&mut domain, &elements, &carried, shown).unwrap();
        assert_eq!(domain.device().is_some(), has_device, "the domain keeps its device");
        (u, masses, t, p) = fields(&mut domain);
        made.write(&mut domain, "u", u).unwrap();
        made.write_masses(&mut domain, "u", masses).unwrap();
        made.write(&mut domain, "t", t).unwrap();
        made.write(&mut domain, "p", p).unwrap();
        totals.push(made.total("u").unwrap().iter().map(|total| total.to_bits()).collect::<Vec<u64>>());
        elements = made.elements;
    }
    assert!(
        totals.windows(2).all(|pair| pair[0] == pair[1]),
        "the mass is the same to the last bit: {totals:?}"
    );
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<u64>>();
    let mut block = |dat: AnyDat| match dat.read_block(&mut domain).unwrap() {
        Values::F64(values) => comm.all_gather(&bits(values)).concat(),
        Values::I32(_) => panic!("fields are f64"),
    };
    let fields = [block(u.into()), block(t.into()), block(p.into())];
    let cells = domain.rows(domain.set("cells").unwrap());
    Ended { cells, fields, masses: totals.pop().unwrap() }
}

#[test]
fn ten_rounds_from_domain_to_domain_give_one_result_and_keep_the_mass() {
    let mut expected: Option<Ended> = None;
    let splits = [
        Split::new(1, "block"),
        Split::new(2, "metis").with(|options| options.threads = 2),
        Split::new(5, "random"),
        Split::new(2, "rcb").on_device(3),
        Split::new(3, "hilbert").on_device(4).mixed(0b101),
    ];
    for split in splits {
        for ended in Comm::simulate(split.ranks, |comm| ended(&comm, &split)) {
            assert!(ended.cells > 300, "{ended:?}");
            assert!(*expected.get_or_insert_with(|| ended.clone()) == ended, "{split:?}");
        }
    }
}
