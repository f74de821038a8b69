use std::collections::BTreeSet;
use std::f64::consts::TAU;

use cfd_adapt::metric::View;
use cfd_adapt::outline::{Bounded, Form, Rules};
use cfd_adapt::remesh::{Remesh, RemeshError, outline};
use cfd_engine::comm::Comm;
use cfd_mesh::{Boundaries, ElementKind, ElementMesh, ElementMeshBuilder};
use cfd_partition::Options;

use crate::regions::{NEEDS, Place, edges_of, set_out};

const N: u64 = 12;

/// The unit square; its middle becomes a wave.
fn place([i, j]: [u64; 2]) -> Place {
    let [x, y] = [i, j].map(|k| k as f64 / N as f64);
    [x, y + 0.2 * y * (1.0 - y) * (TAU * x).sin()]
}

/// How far from the middle's wave a place is.
fn off([x, y]: Place) -> f64 {
    (y - 0.5 - 0.05 * (TAU * x).sin()).abs()
}

/// 288 triangles, of one region or of two with x = 0.25 between them. In the middle a wire, from the line between the regions
/// on; a fence from the boundary below.
fn square(comm: &Comm, regions: bool) -> ElementMesh {
    let mut builder = ElementMeshBuilder::new(2);
    let node = |i: u64, j: u64| i + j * (N + 1);
    if comm.is_root() {
        for j in 0..=N {
            (0..=N).for_each(|i| builder.add_nodes(place([i, j])));
        }
        for (i, j) in (0..N * N).map(|cell| (cell % N, cell / N)) {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            let region = if regions && i < N / 4 { 7 } else { 3 };
            builder.add_elements(ElementKind::Triangle, region, [a, b, c, a, c, d]);
        }
        for k in 0..N {
            let rim =
                [[[k, 0], [k + 1, 0]], [[k, N], [k + 1, N]], [[0, k], [0, k + 1]], [[N, k], [N, k + 1]]];
            builder.add_elements(ElementKind::Line, 1, rim.as_flattened().iter().map(|&[i, j]| node(i, j)));
        }
        (3..9).for_each(|i| builder.add_elements(ElementKind::Line, 2, [node(i, 6), node(i + 1, 6)]));
        (0..3).for_each(|j| builder.add_elements(ElementKind::Line, 4, [node(5, j + 1), node(5, j)]));
    }
    [(7, "left"), (3, "right")].into_iter().for_each(|(group, name)| builder.name_group(2, group, name));
    for (group, name) in [(1, "rim"), (2, "wire"), (4, "fence")] {
        builder.name_group(1, group, name);
    }
    builder.build(comm).unwrap()
}

/// All ranks' sides on a boundary or line, each from its smaller end; all vertices; the bits of everything.
struct Found {
    sides: BTreeSet<[[u64; 2]; 2]>,
    vertices: BTreeSet<[u64; 2]>,
    bits: Vec<u64>,
}

fn found(comm: &Comm, mesh: &ElementMesh, name: &str) -> Found {
    let x = comm.all_gather(mesh.x()).concat();
    let places: Vec<[u64; 2]> = x.as_chunks::<2>().0.iter().map(|p| p.map(f64::to_bits)).collect();
    let mut found = Found {
        sides: BTreeSet::new(),
        vertices: places.iter().copied().collect(),
        bits: places.as_flattened().to_vec(),
    };
    for list in mesh.elements() {
        let nodes = comm.all_gather(list.nodes).concat();
        let groups = comm.all_gather(list.groups).concat();
        found.bits.extend(&nodes);
        found.bits.extend(groups.iter().map(|&group| group as u64));
        if list.kind == ElementKind::Line {
            let named = nodes
                .as_chunks::<2>()
                .0
                .iter()
                .zip(&groups)
                .filter(|&(_, &group)| mesh.groups.names(1, group).any(|of| of == name));
            let mut rows = 0;
            for (side, _) in named {
                let mut side = side.map(|v| places[v as usize]);
                side.sort_unstable();
                found.sides.insert(side);
                rows += 1;
            }
            assert_eq!(rows, found.sides.len(), "{name}: each side once");
        }
    }
    found
}

/// A mesh with edges of length h.
fn adapted(
    comm: &Comm,
    mesh: ElementMesh,
    rules: &Rules,
    method: &str,
    sizes: &[f64],
) -> Result<ElementMesh, RemeshError> {
    let options = Options { method: method.parse().unwrap(), ..Options::default() };
    let (mut elements, mut domain) = set_out(comm, mesh, &options, 2);
    let outline = Some(outline(comm, &elements, rules)?);
    let remesh = Remesh { partition: options, outline, ..Remesh::new(NEEDS, Boundaries::new(&[])) };
    for &h in sizes {
        let even = |mesh: &cfd_adapt::mesh::Mesh<2>| Ok(vec![edges_of(h); View::vertices(mesh)]);
        elements = remesh.round(&mut domain, &elements, &[], even)?.elements;
    }
    Ok(elements)
}

/// The number of sides of a line after each of several rounds.
fn check_wire(comm: &Comm, regions: bool, method: &str) -> Vec<Vec<u64>> {
    let ends = [[3, 6], [9, 6]].map(|at| place(at).map(f64::to_bits));
    let (fence_foot, fence_top) = (place([5, 0]).map(f64::to_bits), place([5, 3]).map(f64::to_bits));
    let sizes = [0.03, 0.2, 0.05];
    (1..=sizes.len())
        .map(|rounds| {
            let mesh =
                adapted(comm, square(comm, regions), &Rules::default(), method, &sizes[..rounds]).unwrap();
            let wire = found(comm, &mesh, "wire");
            let places: BTreeSet<[u64; 2]> = wire.sides.iter().flatten().copied().collect();
            assert!(ends.iter().all(|end| places.contains(end)), "round {rounds}: ends stay");
            assert_eq!(places.len(), wire.sides.len() + 1, "round {rounds}: one path");
            let h = sizes[rounds - 1];
            let most = if h > 0.1 { 0.02 } else { 0.003 };
            for p in places.iter().map(|p| p.map(f64::from_bits)) {
                assert!(off(p) < most, "round {rounds}: {p:?} is {} off", off(p));
            }
            let length = |[a, b]: &[[u64; 2]; 2]| {
                let [a, b] = [a, b].map(|p| p.map(f64::from_bits));
                (b[0] - a[0]).hypot(b[1] - a[1])
            };
            // Of the wave between 0.25 and 0.75.
            let total: f64 = wire.sides.iter().map(length).sum();
            assert!((total - 0.5123).abs() < if h > 0.1 { 0.01 } else { 0.002 }, "round {rounds}: {total}");
            let count = wire.sides.len() as f64;
            assert!((0.6..1.7).contains(&(count * h / 0.5123)), "round {rounds}: {count} sides of {h}");
            let fence = found(comm, &mesh, "fence");
            let places: BTreeSet<[u64; 2]> = fence.sides.iter().flatten().copied().collect();
            assert!(places.contains(&fence_foot) && places.contains(&fence_top), "round {rounds}: fence");
            let foot = f64::from_bits(fence_foot[0]);
            assert!(places.iter().all(|p| (f64::from_bits(p[0]) - foot).abs() < 1e-12), "a straight fence");
            wire.bits
        })
        .collect()
}

#[test]
fn lines_inside_a_region_are_kept_on_any_ranks() {
    for regions in [false, true] {
        let alone = check_wire(&Comm::single(), regions, "block");
        for (ranks, method) in [(2, "metis"), (3, "random"), (5, "rcb")] {
            for bits in Comm::simulate(ranks, |comm| check_wire(&comm, regions, method)) {
                assert!(bits == alone, "{ranks} ranks by {method}");
            }
        }
    }
}

#[test]
fn sides_of_a_required_line_stay_as_they_are() {
    let comm = Comm::single();
    let form = Bounded { form: Form::Required, deviation: 0.01 };
    let rules = Rules { named: vec![("wire".into(), form)], ..Rules::default() };
    let given = square(&comm, false);
    let before = found(&comm, &given, "wire").sides;
    assert_eq!(before.len(), 6);
    for h in [0.03, 0.25] {
        let mesh = adapted(&comm, square(&comm, false), &rules, "block", &[h]).unwrap();
        assert!(found(&comm, &mesh, "wire").sides == before, "{h}");
        let other = found(&comm, &mesh, "fence").sides.len();
        assert!(if h < 0.1 { other > 3 } else { other < 3 }, "{h}: {other}");
    }
}

#[test]
fn vertices_stay_where_rules_say_so_on_any_ranks() {
    // Inside; on the straight boundary to the left; on the wire.
    let at = [[2, 2], [0, 5], [5, 6]].map(place);
    let kept = |comm: &Comm, points: Vec<Place>, method: &str| {
        let rules = Rules { points, ..Rules::default() };
        let mesh = adapted(comm, square(comm, false), &rules, method, &[0.3, 0.1, 0.3])?;
        let Found { vertices, bits, .. } = found(comm, &mesh, "rim");
        Ok::<_, RemeshError>((at.map(|p| vertices.contains(&p.map(f64::to_bits))), bits))
    };
    let comm = Comm::single();
    let (stay, _) = kept(&comm, Vec::new(), "block").unwrap();
    assert_eq!(stay, [false; 3], "as they please");
    // Nearly there.
    let near: Vec<Place> = at.iter().map(|p| [p[0] + 3e-7, p[1]]).collect();
    let (stay, alone) = kept(&comm, near.clone(), "block").unwrap();
    assert_eq!(stay, [true; 3]);
    for (ranks, method) in [(2, "metis"), (3, "random")] {
        for (stay, bits) in Comm::simulate(ranks, |comm| kept(&comm, near.clone(), method).unwrap()) {
            assert!(stay == [true; 3] && bits == alone, "{ranks} ranks by {method}");
        }
    }
    let error = kept(&comm, vec![[0.2, 0.21]], "block").unwrap_err().to_string();
    assert!(error.starts_with("there is no vertex at [0.2, 0.21]; the nearest is "), "{error}");
}

/// As in a checkpoint.
#[test]
fn an_outline_of_numbers_keeps_its_vertices() {
    let comm = Comm::single();
    let rules = Rules { points: vec![place([2, 2]), place([7, 9])], ..Rules::default() };
    let (elements, _) = set_out(&comm, square(&comm, false), &Options::default(), 1);
    let outline = outline(&comm, &elements, &rules).unwrap();
    let names = cfd_adapt::remesh::boundary_names(&comm, &elements).unwrap();
    let numbers = outline.to_numbers();
    let again = cfd_adapt::outline::Outline::of_numbers(&numbers, &names, &Rules::default()).unwrap();
    assert_eq!(again.to_numbers(), numbers);
    assert_eq!(numbers[numbers.len() - 5], 2.0, "{numbers:?}");
}
