use std::collections::BTreeSet;
use std::f64::consts::TAU;

use cfd_adapt::metric::View;
use cfd_adapt::outline::{Bounded, Form, Outline, Rules};
use cfd_adapt::remesh::{Remesh, RemeshError, outline};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Values};
use cfd_mesh::{Boundaries, ElementKind, ElementMesh, ElementMeshBuilder, Mark};
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

/// Between the regions, below the wire, a seam; above it, lines without a name but their number.
fn with_seam(comm: &Comm) -> ElementMesh {
    let mut mesh = square(comm, true);
    let lines = mesh.elements().into_iter().find(|list| list.kind == ElementKind::Line).expect("lines");
    let (set, map) = (lines.set, lines.map);
    let dat = mesh.mesh.dat("boundary_line_group").expect("their groups");
    let rows = mesh.mesh.sets[set].rows;
    let node = |j: u64| 3 + j * (N + 1);
    let mut nodes = comm.all_gather(&mesh.mesh.maps[map].rows).concat();
    let Values::I32(groups) = &mesh.mesh.dats[dat].values else { panic!("groups are integers") };
    let mut groups = comm.all_gather(groups).concat();
    for j in 0..N {
        nodes.extend([node(j), node(j + 1)]);
        groups.push(if j < 6 { 5 } else { 8 });
    }
    let blocks = Blocks::new(rows + N, comm.size()).range(comm.rank());
    let own = blocks.start as usize..blocks.end as usize;
    mesh.mesh.sets[set].rows = rows + N;
    mesh.mesh.maps[map].rows = nodes[2 * own.start..2 * own.end].to_vec();
    mesh.mesh.dats[dat].values = Values::I32(groups[own].to_vec());
    mesh.groups.add(1, 5, "seam");
    mesh
}

/// Through several rounds; and either name selects it, the mesh's own before that of the regions.
#[test]
fn lines_between_regions_keep_a_name_on_any_ranks() {
    let form = |form| Bounded { form, deviation: 0.01 };
    let rules = |named: &[(&str, Form)]| Rules {
        named: named.iter().map(|(name, of)| (name.to_string(), form(of.clone()))).collect(),
        ..Rules::default()
    };
    let run = |comm: &Comm, named: &[(&str, Form)], method: &str| {
        let mesh = adapted(comm, with_seam(comm), &rules(named), method, &[0.2, 0.03, 0.2]).unwrap();
        let lines = found(comm, &mesh, "seam");
        assert!(found(comm, &mesh, "8").sides.is_empty(), "a number is no name");
        (lines.sides, lines.bits)
    };
    let comm = Comm::single();
    let (sides, alone) = run(&comm, &[], "block");
    assert!((2..5).contains(&sides.len()), "{} sides", sides.len());
    let foot = place([3, 0]).map(f64::to_bits);
    let top = place([3, 6]).map(f64::to_bits);
    assert!([foot, top].iter().all(|end| sides.iter().flatten().any(|p| p == end)), "its ends");
    for (ranks, method) in [(2, "metis"), (3, "random")] {
        for (_, bits) in Comm::simulate(ranks, |comm| run(&comm, &[], method)) {
            assert!(bits == alone, "{ranks} ranks by {method}");
        }
    }
    let kept = |named: &[(&str, Form)]| run(&comm, named, "block").0.len();
    assert_eq!(kept(&[("seam", Form::Required)]), 6);
    assert_eq!(kept(&[("left|right", Form::Required)]), 6);
    assert!(kept(&[("left|right", Form::Required), ("seam", Form::Spline)]) < 5);
    let regions = BTreeSet::from(["left".to_string()]);
    let of_region = Rules { required_regions: regions, ..Rules::default() };
    let mesh = adapted(&comm, with_seam(&comm), &of_region, "block", &[0.3, 0.05]).unwrap();
    assert_eq!(found(&comm, &mesh, "seam").sides.len(), 6);
    let unknown = adapted(&comm, with_seam(&comm), &rules(&[("weld", Form::Spline)]), "block", &[0.2]);
    let message = unknown.unwrap_err().to_string();
    assert!(message.contains("\"seam\", \"left|right\""), "{message}");
}

/// The places of what is marked, of each mark in order.
fn marked(comm: &Comm, mesh: &ElementMesh, mark: Mark) -> BTreeSet<Vec<[u64; 2]>> {
    let x = comm.all_gather(mesh.x()).concat();
    let nodes = comm.all_gather(mesh.marked(mark)).concat();
    let place = |v: &u64| [x[2 * *v as usize], x[2 * *v as usize + 1]].map(f64::to_bits);
    let row = |row: &[u64]| {
        let mut row: Vec<[u64; 2]> = row.iter().map(place).collect();
        row.sort_unstable();
        row
    };
    nodes.chunks_exact(mark.nodes()).map(row).collect()
}

/// A corner on the curve, vertices inside and on the boundary, sides of the boundary, of the wire and of the interface, and
/// two triangles.
fn with_marks(comm: &Comm) -> ElementMesh {
    let mut mesh = with_seam(comm);
    let node = |[i, j]: [u64; 2]| i + j * (N + 1);
    let marks: [(Mark, &[[u64; 2]]); 4] = [
        (Mark::Corner, &[[6, 6], [0, 0], [8, 3]]),
        (Mark::Node, &[[2, 2], [7, 0]]),
        (Mark::Line, &[[4, 0], [3, 0], [7, 6], [8, 6], [3, 8], [3, 9]]),
        (Mark::Triangle, &[[8, 9], [9, 9], [9, 10], [8, 9], [9, 10], [8, 10]]),
    ];
    for (mark, at) in marks {
        let nodes: Vec<u64> = at.iter().map(|&at| node(at)).collect();
        mesh.mark(comm, mark, if comm.is_root() { &nodes } else { &[] });
    }
    mesh
}

#[test]
fn what_a_mesh_marks_stays_through_several_rounds_on_any_ranks() {
    let run = |comm: &Comm, method: &str| {
        let given = with_marks(comm);
        let before = Mark::ALL.map(|mark| marked(comm, &given, mark));
        assert_eq!(before.each_ref().map(BTreeSet::len), [3, 2, 3, 2]);
        let mesh = adapted(comm, given, &Rules::default(), method, &[0.3, 0.04, 0.3]).unwrap();
        assert!(Mark::ALL.map(|mark| marked(comm, &mesh, mark)) == before);
        // Marked sides are listed, also those of an interface whose name is a number.
        let listed = ["rim", "wire", "seam"].map(|name| found(comm, &mesh, name));
        assert!(!marked(comm, &mesh, Mark::Line).is_empty());
        assert_eq!(found(comm, &mesh, "8").sides.len(), 1);
        let bits: Vec<u64> =
            Mark::ALL.iter().flat_map(|mark| comm.all_gather(mesh.marked(*mark)).concat()).collect();
        [listed[0].bits.clone(), bits].concat()
    };
    let alone = run(&Comm::single(), "block");
    for (ranks, method) in [(2, "metis"), (3, "random"), (5, "rcb")] {
        for bits in Comm::simulate(ranks, |comm| run(&comm, method)) {
            assert!(bits == alone, "{ranks} ranks by {method}");
        }
    }
}

/// As in a checkpoint, whose sets have no marks.
#[test]
fn marks_come_back_from_the_numbers_of_an_outline() {
    let comm = Comm::single();
    let (mut elements, _) = set_out(&comm, with_marks(&comm), &Options::default(), 1);
    let first = outline(&comm, &elements, &Rules::default()).unwrap();
    let numbers = first.to_numbers();
    let before = Mark::ALL.map(|mark| marked(&comm, &elements, mark));
    elements.mesh.sets.truncate(3);
    elements.mesh.maps.truncate(2);
    assert!(elements.marked(Mark::Line).is_empty());
    Outline::mark_by_numbers(&comm, &numbers, &mut elements);
    assert!(Mark::ALL.map(|mark| marked(&comm, &elements, mark)) == before);
    let names = cfd_adapt::remesh::boundary_names(&comm, &elements).unwrap();
    let again = Outline::of_numbers(&numbers, &names, &Rules::default()).unwrap();
    assert_eq!(again.to_numbers(), numbers);
    assert!(!again.is_straight());
    assert!(Outline::of_numbers(&numbers[..numbers.len() - 1], &names, &Rules::default()).is_none());
}
