//! The applications by the engine and by the sequential reference, on the same mesh; sums by another algorithm.

// Each test program uses its own part.
#![allow(dead_code)]

pub mod aero;
pub mod euler;
pub mod lulesh;
pub mod mgcfd;
pub mod sum;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::CELL_EDGES;
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::airfoil::{Airfoil, Config};

use sum::correctly_rounded;

/// Both programs, in the free stream.
pub struct Pair {
    /// The reference.
    pub reference: cfd_reference::Airfoil,
    /// The solver on the engine, and its domain of one rank.
    pub solver: Airfoil,
    /// The domain of the solver.
    pub domain: Domain,
}

impl Pair {
    /// Sets up both on the airfoil mesh of 3 `size[0]` `size[1]` cells.
    pub fn new(size: [u64; 2], config: &Config, options: DomainOptions) -> Pair {
        let comm = Comm::single();
        let mesh = cfd_mesh::generate::naca0012::cells(&comm, size[0], size[1], Some(6))
            .expect("the size is possible");
        let reference = cfd_reference::Airfoil::new(reference_mesh(&mesh), constants(config))
            .expect("a generated mesh is sound");
        let primary = CELL_EDGES.primary(&mesh);
        let whole = Options { method: Method::Block, ..Options::default() };
        let mut domain =
            set_up(&comm, mesh, &primary, &whole, Order::File, options).expect("a generated mesh is sound");
        let solver = Airfoil::new(&mut domain, config).expect("an airfoil mesh has what Airfoil needs");
        Pair { reference, solver, domain }
    }

    /// Values of `q`, in file order, whose bits differ between the two.
    pub fn differing_values(&mut self) -> usize {
        let engine = self.domain.read(self.solver.q()).unwrap();
        let reference = self.reference.q().as_flattened();
        assert_eq!(engine.len(), reference.len());
        engine.iter().zip(reference).filter(|(a, b)| a.to_bits() != b.to_bits()).count()
    }
}

/// The reference on the airfoil mesh, with its loops in a canonical order.
pub struct Reference {
    /// `q` of all cells.
    pub q: Vec<[f64; 4]>,
    /// sqrt(sum(del^2) / cells) of every iteration, the sum being correctly rounded.
    pub history: Vec<f64>,
}

impl Reference {
    /// Runs it.
    pub fn run(size: [u64; 2], iterations: usize, order: Order) -> Reference {
        let comm = Comm::single();
        let mesh = cfd_mesh::generate::naca0012::cells(&comm, size[0], size[1], Some(6))
            .expect("the size is possible");
        let keys = cfd_partition::canonical_keys(&comm, &mesh, order, "x").expect("the mesh has coordinates");
        let keys_of = |set: &str| &keys[mesh.set(set).expect("an airfoil mesh has the set")][..];
        let mesh = in_order(reference_mesh(&mesh), keys_of("edges"), keys_of("bedges"));
        let mut airfoil = cfd_reference::Airfoil::new(mesh, constants(&Config::default()))
            .expect("a generated mesh is sound");
        let residual = |_| {
            let terms = airfoil.iterate_and_fold(Vec::new, |mut terms, term| {
                terms.push(term);
                terms
            });
            let cells = terms.len() as f64;
            (correctly_rounded(terms) / cells).sqrt()
        };
        let history = (0..iterations).map(residual).collect();
        Reference { q: airfoil.q().to_vec(), history }
    }
}

/// The same mesh with its edges and boundary edges by ascending key, then row. No keys: as they are.
fn in_order(mesh: cfd_reference::Mesh, edges: &[u64], bedges: &[u64]) -> cfd_reference::Mesh {
    fn sorted<T: Copy>(rows: &[T], keys: &[u64]) -> Vec<T> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&row| keys.get(row).copied());
        order.into_iter().map(|row| rows[row]).collect()
    }
    cfd_reference::Mesh {
        edge_nodes: sorted(&mesh.edge_nodes, edges),
        edge_cells: sorted(&mesh.edge_cells, edges),
        bedge_nodes: sorted(&mesh.bedge_nodes, bedges),
        bedge_cell: sorted(&mesh.bedge_cell, bedges),
        bedge_bound: sorted(&mesh.bedge_bound, bedges),
        ..mesh
    }
}

fn constants(config: &Config) -> cfd_reference::Constants {
    cfd_reference::Constants {
        gamma: config.gamma,
        cfl: config.cfl,
        eps: config.eps,
        mach: config.mach,
        alpha: config.alpha,
    }
}

/// The reference's form of a mesh that one rank holds.
pub fn reference_mesh(mesh: &Mesh) -> cfd_reference::Mesh {
    let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("an airfoil mesh has the dat")].values;
    let Values::F64(x) = dat("x") else { panic!("coordinates are double precision") };
    let Values::I32(bound) = dat("bound") else { panic!("bounds are integers") };
    cfd_reference::Mesh {
        x: x.as_chunks().0.to_vec(),
        cell_nodes: map(mesh, "cell_nodes"),
        edge_nodes: map(mesh, "edge_nodes"),
        edge_cells: map(mesh, "edge_cells"),
        bedge_nodes: map(mesh, "bedge_nodes"),
        bedge_cell: map(mesh, "bedge_cell").into_iter().map(|[cell]| cell).collect(),
        bedge_bound: bound.clone(),
    }
}

fn map<const N: usize>(mesh: &Mesh, name: &str) -> Vec<[u32; N]> {
    let map = &mesh.maps[mesh.map(name).expect("an airfoil mesh has the map")];
    let narrow = |id: u64| u32::try_from(id).expect("a test mesh has fewer than 2^32 rows");
    map.rows.as_chunks::<N>().0.iter().map(|row| row.map(narrow)).collect()
}
