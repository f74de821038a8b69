use cfd_adapt::mesh::canonical::names;
use cfd_adapt::metric::{MetricError, View};
use cfd_adapt::remesh::{Adapting, Carried, Remesh};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::{Admits, Conserve, Rule};
use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::{Boundaries, BoundaryKind, Derived, ElementKind, ElementMesh, Given, TRIANGLES};
use cfd_partition::{Options, Order, set_up};
use exact_sum::ExactSum;

const NEEDS: &[&Derived] = &[&TRIANGLES];
const SIDE: BoundaryKind =
    BoundaryKind { name: "side", flag: 1, known: &["x_min", "x_max", "y_min", "y_max"], meaning: "sides" };

fn sides() -> Boundaries {
    Boundaries::new(std::slice::from_ref(&SIDE))
}

/// Fine along a line that turns from round to round.
fn metric(round: usize, [x, y]: [f64; 2]) -> Tensor<2> {
    let [c, s] = [[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]][round % 5];
    let away = c * (x - 0.5) + s * (y - 0.5);
    let (across, along) = (1.0 / (0.03 + 0.4 * away * away), 1.0 / 0.25);
    let [a, b] = [across * across, along * along];
    Tensor([[a * c * c + b * s * s, (a - b) * c * s], [(a - b) * c * s, a * s * s + b * c * c]])
}

/// The unit square and its domain.
fn set_out(comm: &Comm, options: &Options, threads: usize) -> (ElementMesh, Domain) {
    let elements = ElementBox::unit(Filling::Only(ElementKind::Triangle), [12, 9, 1]).mesh(comm).unwrap();
    let given = Given::Elements(elements).prepare(comm, NEEDS, &sides(), 1).unwrap();
    let primary = NEEDS[0].primary(&given.mesh);
    let with = DomainOptions { threads, ..DomainOptions::default() };
    let domain = set_up(comm, given.mesh, &primary, options, Order::File, with).unwrap();
    (given.elements.unwrap(), domain)
}

/// Dats of two fields, and their masses.
fn dats(domain: &mut Domain) -> [(Dat<2>, Dat<4>); 2] {
    let vertices = domain.set(names::VERTICES).unwrap();
    ["u", "w"]
        .map(|name| (domain.new_dat(vertices, name), domain.new_dat(vertices, &format!("{name}.masses"))))
}

/// This rank's block of a dat.
fn block(domain: &mut Domain, dat: AnyDat) -> Vec<f64> {
    match dat.read_block(domain).unwrap() {
        Values::F64(values) => values,
        Values::I32(_) => panic!("fields are f64"),
    }
}

/// The sum of all components' masses on all ranks, to the last bit.
fn exact_total(domain: &mut Domain, masses: Dat<4>) -> Vec<u64> {
    let (parts, mut sum) = (block(domain, masses.into()), ExactSum::new());
    parts.iter().for_each(|&part| sum.add(part));
    let mut words = sum.words().to_vec();
    domain.comm().all_reduce(&mut words, ReduceOp::Sum);
    ExactSum::from_words(&words).words().to_vec()
}

/// Fills a dat with a function of place.
fn fill<const N: usize>(domain: &mut Domain, dat: Dat<N>, f: impl Fn([f64; 2]) -> [f64; N]) {
    let x: Dat<2> = domain.dat(names::X).unwrap();
    let x = domain.read(x).unwrap();
    domain.write(dat, &x.as_chunks::<2>().0.iter().flat_map(|&p| f(p)).collect::<Vec<_>>());
}

fn field([x, y]: [f64; 2]) -> [f64; 2] {
    [1.0 / (0.1 + x + y * y), if x < 0.4 { 3.0 } else { y - 0.7 }]
}

/// All that ten rounds end with, on all ranks.
#[derive(Clone, Debug, PartialEq)]
struct Ended {
    fields: [Vec<u64>; 2],
    /// Of both fields after each round: the components' totals, and the exact sum of all masses.
    totals: Vec<[(Vec<u64>, Vec<u64>); 2]>,
}

/// The first field is carried with its masses, the second without.
fn ended(comm: &Comm, method: &str, threads: usize) -> Ended {
    let options = Options { method: method.parse().unwrap(), ..Options::default() };
    let (mut elements, mut domain) = set_out(comm, &options, threads);
    let remesh = Remesh { partition: options, ..Remesh::new(NEEDS, sides()) };
    let mut dats_now = dats(&mut domain);
    dats_now.iter().for_each(|&(dat, _)| fill(&mut domain, dat, field));
    let positive: Admits = |u| u[0] > 0.0;
    let mut totals = Vec::new();
    for round in 0..10 {
        let [(u, masses), (w, _)] = dats_now;
        let first = match round {
            0 => Carried::conserved_nodes("u", u, Conserve::Exact, Some(positive)),
            _ => Carried::conserved_nodes_with_masses("u", u, Conserve::Exact, Some(positive), masses),
        };
        let carried = [first, Carried::conserved_nodes("w", w, Conserve::Exact, Some(positive))];
        let shown = |mesh: &cfd_adapt::mesh::Mesh<2>| -> Result<Vec<Tensor<2>>, MetricError> {
            let vertices = View::vertices(mesh) as u32;
            Ok((0..vertices).map(|v| metric(round, View::position(mesh, v))).collect())
        };
        let made = remesh.round(&mut domain, &elements, &carried, shown).unwrap();
        dats_now = dats(&mut domain);
        let mut of = |at: usize| {
            let (name, (dat, masses)) = (["u", "w"][at], dats_now[at]);
            made.write(&mut domain, name, dat).unwrap();
            made.write_masses(&mut domain, name, masses).unwrap();
            (bits(made.total(name).unwrap()), exact_total(&mut domain, masses))
        };
        totals.push([of(0), of(1)]);
        elements = made.elements;
    }
    let fields = dats_now.map(|(dat, _)| comm.all_gather(&bits(&block(&mut domain, dat.into()))).concat());
    Ended { fields, totals }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// With their masses, that is; without, a total is what the values are worth, which is another sum each time.
#[test]
fn ten_rounds_from_domain_to_domain_keep_the_total_to_the_last_bit_on_any_ranks_and_threads() {
    let mut expected: Option<Ended> = None;
    for (ranks, method, threads) in
        [(1, "block", 1), (1, "block", 2), (2, "metis", 2), (3, "random", 1), (5, "rcb", 1)]
    {
        for ended in Comm::simulate(ranks, |comm| ended(&comm, method, threads)) {
            let first = &ended.totals[0];
            assert!(ended.totals.iter().all(|totals| totals[0] == first[0]), "{:?}", ended.totals);
            assert!(ended.totals.iter().any(|totals| totals[1].1 != first[1].1), "{:?}", ended.totals);
            let [first, last] = [0, 9].map(|round: usize| f64::from_bits(ended.totals[round][1].0[0]));
            assert!((last - first).abs() < 1e-13 * first, "{first:e} {last:e}");
            assert!(ended.fields[1].len() > 200, "{}", ended.fields[1].len());
            assert!(*expected.get_or_insert_with(|| ended.clone()) == ended, "{ranks} {method} {threads}");
        }
    }
}

#[test]
fn values_on_nodes_are_read_at_all_vertices_of_the_mesh_before_it_changes() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let (elements, mut domain) = set_out(&comm, &Options::default(), 1);
            let [(u, _), _] = dats(&mut domain);
            fill(&mut domain, u, |p| p);
            let remesh = Remesh::new(NEEDS, sides());
            let mut adapting = Adapting::new(&remesh, &comm, &elements).unwrap();
            let places = adapting.at_vertices(&mut domain, u).unwrap();
            let vertices = adapting.mesh().local().vertices();
            assert_eq!(places.len(), 2 * vertices.len());
            for v in 0..vertices.len() as u32 {
                assert_eq!(&places[2 * v as usize..][..2], vertices.position(v));
            }
            let on_elements: Dat<1> = domain.new_dat(domain.set(names::ELEMENTS).unwrap(), "e");
            let error = adapting.at_vertices(&mut domain, on_elements).unwrap_err().to_string();
            assert!(error.contains("not f64 on the 130 nodes"), "{error}");
            let carried = Carried::conserved_nodes("e", on_elements, Conserve::Rounding, None);
            let error = adapting.carry(&mut domain, &[carried]).unwrap_err().to_string();
            assert!(error.contains("\"e\" is not f64 on the 130 nodes"), "{error}");
            let carried = Carried::conserved_nodes_with_masses("u", u, Conserve::Exact, None, u);
            let error = adapting.carry(&mut domain, &[carried]).unwrap_err().to_string();
            assert!(error.contains("4 values each"), "{error}");
            let others = [
                Carried::conserved_nodes("u", u, Conserve::Rounding, None),
                Carried::cells("e", on_elements, Rule::default()),
            ];
            assert!(format!("{others:?}").contains("Conserved"));
            adapting.carry(&mut domain, &others).unwrap();
            let round = adapting.finish(&mut domain).unwrap();
            let [(u, masses), _] = dats(&mut domain);
            round.write(&mut domain, "u", u).unwrap();
            let error = round.write_masses(&mut domain, "u", masses).unwrap_err().to_string();
            assert!(error.contains("has no units"), "{error}");
            let total = round.total("u").unwrap();
            assert!(total.iter().all(|total| (total - 0.5).abs() < 1e-14), "{total:?}");
        });
    }
}
