//! A mesh while it is adapted.

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::{Blocks, Values as Block, rows_to_blocks};
use cfd_engine::plug::ThreadPool;
use cfd_engine::prelude::AnyDat;
use cfd_mesh::{ElementMesh, Given, Named, Periodic, Prepared, Request, TRIANGLES};
use cfd_partition::{Options, Order, set_up};

use super::carried::{Carried, On, block};
use super::elements::Tags;
use super::round::{Round, Rows, Values};
use super::{Redistribute, Remesh, RemeshError};
use crate::mesh::{Input, Mesh, Paired, Sides};
use crate::operation::{Adapter, Balance, MetricAt, Phase, Report};
use crate::tensor::Tensor;
use crate::transfer::{Conserve, Rule};

/// The elements of a domain in the form in which they are adapted: the stages of [`Remesh::round`] one by one, for solvers
/// that look at the mesh between them.
pub struct Adapting<'a> {
    remesh: &'a Remesh,
    mesh: Mesh<2>,
    tags: Tags,
    /// As long as no operation has changed the mesh.
    input: Option<Input<2>>,
    carried: Vec<Carried>,
    /// Values that are not carried but were computed on the mesh.
    added: Vec<Added>,
    partition: Options,
}

/// Values on the vertices or the elements of the mesh, by local number.
struct Added {
    name: String,
    on_nodes: bool,
    dim: usize,
    values: Vec<f64>,
}

impl<'a> Adapting<'a> {
    /// The mesh of these elements, without a metric. Collective.
    ///
    /// # Errors
    /// The mesh cannot be adapted.
    pub fn new(remesh: &'a Remesh, comm: &Comm, elements: &ElementMesh) -> Result<Adapting<'a>, RemeshError> {
        let (mut tags, mut input) = Tags::of(comm, elements)?;
        input.numbering = remesh.numbering;
        let sides = match &remesh.outline {
            None => Sides::default(),
            Some(outline) => {
                let (boundaries, sides) = outline.fit(comm, &input)?.apply(&mut input);
                tags.extend(&boundaries);
                sides
            }
        };
        let pairs = paired(&remesh.boundaries.pairs, &input.boundaries)?;
        let mesh = Mesh::with_sides(comm, &input, &sides.with_pairs(pairs))?;
        let partition = Options { weights: None, ..remesh.partition.clone() };
        Ok(Adapting {
            remesh,
            mesh,
            tags,
            input: Some(input),
            carried: Vec::new(),
            added: Vec::new(),
            partition,
        })
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh<2> {
        &self.mesh
    }

    /// Adds fields of the domain that was made from the elements. To be called before the mesh changes. Collective.
    ///
    /// # Errors
    /// A field that is not on the nodes or cells of the mesh, is not finite, or has a name that is taken.
    pub fn carry(&mut self, domain: &mut Domain, fields: &[Carried]) -> Result<(), RemeshError> {
        let input = self.input.as_ref().expect("fields are added before the mesh is adapted");
        for field in fields {
            let (name, dim) = (&field.name, field.dat.dim());
            let mesh = &self.mesh;
            let at_nodes = |domain: &mut Domain, dat, dim| -> Result<Vec<f64>, RemeshError> {
                Ok(mesh.vertex_values_of(input, dim, &field.block(domain, dat, input.rows[0])?)?)
            };
            let on_cells = |domain: &mut Domain, dat, dim| -> Result<Vec<f64>, RemeshError> {
                Ok(mesh.cell_values_of(input, dim, &field.block(domain, dat, input.rows[1])?)?)
            };
            match &field.on {
                On::Nodes => {
                    let values = at_nodes(domain, field.dat, dim)?;
                    self.mesh.add_vertex_field(name, dim, &values)?;
                }
                On::Cells(rule, masses) => {
                    let values = on_cells(domain, field.dat, dim)?;
                    let masses = masses.map(|masses| on_cells(domain, masses, 2 * dim)).transpose()?;
                    self.mesh.add_cell_field_with_masses(name, dim, *rule, &values, masses.as_deref())?;
                }
                On::Conserved(conserve, admits, masses) => {
                    let values = at_nodes(domain, field.dat, dim)?;
                    let masses = masses.map(|masses| at_nodes(domain, masses, 2 * dim)).transpose()?;
                    let (conserve, admits, masses) = (*conserve, *admits, masses.as_deref());
                    self.mesh.add_nodal_field_with_masses(name, dim, conserve, admits, &values, masses)?;
                }
            }
            self.carried.push(field.clone());
        }
        Ok(())
    }

    /// The values of a dat on the nodes of the domain that was made from the elements, by local vertex number, with those of
    /// ghosts: what a metric is computed from. To be called before the mesh changes. Collective.
    ///
    /// # Errors
    /// A dat that is not f64 on the nodes of the mesh.
    pub fn at_vertices(&self, domain: &mut Domain, dat: impl Into<AnyDat>) -> Result<Vec<f64>, RemeshError> {
        let input = self.input.as_ref().expect("values are read before the mesh is adapted");
        let dat = dat.into();
        let block = block(domain, dat, input.rows[0], "the dat", "nodes")?;
        let values = self.mesh.vertex_values_of(input, dat.dim(), &block)?;
        Ok(self.mesh.with_ghosts(dat.dim(), &values))
    }

    /// Sets the metric: a tensor for each local vertex. Collective.
    pub fn set_metric(&mut self, metric: &[Tensor<2>]) {
        self.mesh.set_metric(metric);
    }

    /// Moves the mesh between the ranks, if that is wanted. Collective.
    ///
    /// # Errors
    /// The partitioner's.
    pub fn redistribute(&mut self) -> Result<(), RemeshError> {
        if self.remesh.redistribute != Redistribute::Never {
            self.mesh.balance(&self.partition)?;
        }
        Ok(())
    }

    /// Adapts the mesh to its metric. Collective.
    ///
    /// # Errors
    /// A tensor that is not a metric, or something that a pass cannot do.
    pub fn adapt(&mut self, metric: MetricAt<'_, 2>, pool: &ThreadPool) -> Result<Report, RemeshError> {
        self.input = None;
        let balance = match self.remesh.redistribute {
            Redistribute::Above(above) => Some(Balance { options: &self.partition, above }),
            Redistribute::Never | Redistribute::First => None,
        };
        let adapter = Adapter { bounds: self.remesh.bounds, metric, pool, balance, most: self.remesh.most };
        Ok(adapter.adapt(&mut self.mesh, check_pass)?)
    }

    /// Adds values on the vertices by local number, for [`Round::write`]; those of this rank's own count.
    pub fn add_at_nodes(&mut self, name: &str, dim: usize, values: Vec<f64>) {
        self.added.push(Added { name: name.into(), on_nodes: true, dim, values });
    }

    /// Adds values on the elements by local number, for [`Round::write`]; those of this rank's own count.
    pub fn add_on_cells(&mut self, name: &str, dim: usize, values: Vec<f64>) {
        self.added.push(Added { name: name.into(), on_nodes: false, dim, values });
    }

    /// Puts the mesh into canonical order, derives what is needed, divides that among the ranks, and moves the domain
    /// there. Collective.
    ///
    /// # Errors
    /// What is needed cannot be derived or divided; the domain is then as it was.
    pub fn finish(self, domain: &mut Domain) -> Result<Round, RemeshError> {
        let comm = domain.comm().clone();
        let canonical = self.mesh.canonical();
        let mut elements = self.tags.elements(&comm, &canonical);
        if let Some(outline) = &self.remesh.outline {
            outline.mark(&comm, &mut elements);
        }
        let values = self.values(&comm, [&canonical.vertex_rows, &canonical.element_rows])?;
        let given = match self.remesh.needs {
            // Their facets have the groups themselves, so names decide nothing.
            [only] if *only == &TRIANGLES => {
                let request = Request { boundaries: &Named::default(), levels: 1.into() };
                let mesh = TRIANGLES.derive(&comm, &elements, &request)?;
                Prepared { mesh, elements: Some(elements), boundaries: Named::default() }
            }
            needs => Given::Elements(elements).prepare(
                &comm,
                needs,
                &self.remesh.boundaries,
                self.remesh.levels,
            )?,
        };
        let Prepared { mesh, elements, boundaries } = given;
        let elements = elements.expect("sets derived from elements come with them");
        let primary = self.remesh.needs[0].primary(&mesh);
        let next =
            set_up(&comm, mesh.clone(), &primary, &self.partition, Order::File, domain.options_of_next())?;
        domain.replace(next);
        Ok(Round { elements, sets: mesh, boundaries, values })
    }

    /// What the new domain's fields start from, in blocks by row. Collective.
    fn values(&self, comm: &Comm, rows: [&[u64]; 2]) -> Result<Vec<Values>, RemeshError> {
        let local = self.mesh.local();
        let own: [Vec<u32>; 2] = [local.own_vertices().collect(), local.own_elements().collect()];
        let counts = self.mesh.counts();
        let block = |name: &str, on_nodes: bool, dim: usize, values: &[f64]| {
            let at = usize::from(!on_nodes);
            let numbers: Vec<u64> = own[at].iter().map(|&n| rows[at][n as usize]).collect();
            let values: Vec<f64> =
                own[at].iter().flat_map(|&n| &values[n as usize * dim..][..dim]).copied().collect();
            let blocks = Blocks::new(counts[at], comm.size());
            let values = rows_to_blocks(comm, name, blocks, dim, &numbers, &values);
            Rows { rows: counts[at], dim, values: Block::F64(values) }
        };
        let mut all = Vec::new();
        for Carried { name, dat, on } in &self.carried {
            let dim = dat.dim();
            let is_exact = |conserve: &Conserve| *conserve == Conserve::Exact;
            let (values, masses, total) = match on {
                On::Nodes => (block(name, true, dim, &self.mesh.vertex_field(name)?), None, Vec::new()),
                On::Cells(Rule { conserve, .. }, _) => {
                    let means = block(name, false, dim, &self.mesh.cell_field(name)?);
                    let masses = is_exact(conserve).then(|| self.mesh.cell_masses(name)).transpose()?;
                    let masses = masses.map(|masses| block(name, false, 2 * dim, &masses));
                    (means, masses, self.mesh.total(name)?)
                }
                On::Conserved(conserve, ..) => {
                    let values = block(name, true, dim, &self.mesh.nodal_field(name)?);
                    let masses = is_exact(conserve).then(|| self.mesh.nodal_masses(name)).transpose()?;
                    let masses = masses.map(|masses| block(name, true, 2 * dim, &masses));
                    (values, masses, self.mesh.total(name)?)
                }
            };
            all.push(Values { name: name.clone(), values, masses, total });
        }
        for Added { name, on_nodes, dim, values } in &self.added {
            let values = block(name, *on_nodes, *dim, values);
            all.push(Values { name: name.clone(), values, masses: None, total: Vec::new() });
        }
        Ok(all)
    }
}

/// The pairs of periodic boundaries of a mesh with these boundaries, by number less 1.
fn paired(pairs: &[Periodic], boundaries: &[String]) -> Result<Vec<Paired>, RemeshError> {
    let numbers = |name: &String| -> Result<Vec<u16>, RemeshError> {
        let numbers: Vec<u16> =
            (1..).zip(boundaries).filter(|(_, of)| *of == name).map(|(number, _)| number).collect();
        if numbers.is_empty() {
            return Err(RemeshError::Unsuitable(format!("there is no boundary \"{name}\" in the mesh")));
        }
        Ok(numbers)
    };
    let paired = |given: &Periodic| {
        let named =
            |name: &&String| pairs.iter().flat_map(|pair| &pair.names).filter(|of| of == name).count() > 1;
        if let Some(name) = given.names.iter().find(named) {
            return Err(RemeshError::Unsuitable(format!(
                "the periodic boundary \"{name}\" is in more than one pair; expected each pair once, given for one of its \
                 two boundaries"
            )));
        }
        let [first, second] = given.names.each_ref().map(numbers);
        let refused = |what| format!("the periodic boundary \"{}\" {what}", given.names[0]);
        given.motion.check(2).map_err(refused).map_err(RemeshError::Unsuitable)?;
        Ok(Paired { given: given.clone(), numbers: [first?, second?] })
    };
    pairs.iter().map(paired).collect()
}

/// In debug builds, every pass must leave the mesh intact.
fn check_pass(mesh: &Mesh<2>, phase: Phase) {
    if cfg!(debug_assertions) {
        mesh.check().unwrap_or_else(|defect| panic!("after {phase:?}: {defect}"));
    }
}
