//! Flow on meshes that are broken or odd, and with conditions that make no sense: each run ends properly, or is refused with
//! what is wrong and where.

use std::fmt::Write as _;

use crate::launch::{Ended, Place, Ranks};

/// Squares along each side of the unit square, each cut into two triangles.
const N: usize = 4;

/// Nodes, elements and named sides of a mesh in SU2's format.
#[derive(Clone, Default)]
struct Su2 {
    nodes: Vec<[f64; 2]>,
    elements: Vec<Vec<usize>>,
    sides: Vec<(&'static str, Vec<[usize; 2]>)>,
}

impl Su2 {
    /// The unit square.
    fn square() -> Su2 {
        let node = |i: usize, j: usize| i + (N + 1) * j;
        let of_row = |j: usize| (0..=N).map(move |i| [i, j].map(|k| k as f64 / N as f64));
        let pair = |i: usize, j: usize| {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            [vec![a, b, c], vec![a, c, d]]
        };
        let along = |side: &dyn Fn(usize) -> usize| (0..N).map(|k| [side(k), side(k + 1)]).collect();
        Su2 {
            nodes: (0..=N).flat_map(of_row).collect(),
            elements: (0..N).flat_map(|j| (0..N).flat_map(move |i| pair(i, j))).collect(),
            sides: vec![
                ("left", along(&|k| node(0, k))),
                ("right", along(&|k| node(N, k))),
                ("lower", along(&|k| node(k, 0))),
                ("upper", along(&|k| node(k, N))),
            ],
        }
    }

    /// A single element between these nodes, whose sides are `names`.
    fn single(nodes: &[[f64; 2]], names: &[&'static str]) -> Su2 {
        let n = nodes.len();
        let sides = names.iter().enumerate().map(|(k, name)| (*name, vec![[k, (k + 1) % n]]));
        Su2 { nodes: nodes.to_vec(), elements: vec![(0..n).collect()], sides: sides.collect() }
    }

    /// The same after a change.
    fn with(mut self, change: impl FnOnce(&mut Su2)) -> Su2 {
        change(&mut self);
        self
    }

    /// A triangle far away, whose sides are in the boundary `name`, if any.
    fn add_island(&mut self, name: Option<&str>) {
        let first = self.nodes.len();
        self.nodes.extend([[3.0, 3.0], [4.0, 3.0], [3.0, 4.0]]);
        self.elements.push(vec![first, first + 1, first + 2]);
        let side = self.sides.iter_mut().find(|(own, _)| Some(*own) == name);
        if let Some((_, lines)) = side {
            lines.extend([[first, first + 1], [first + 1, first + 2], [first + 2, first]]);
        }
    }

    fn text(&self) -> String {
        let mut text = format!("NDIME= 2\nNELEM= {}\n", self.elements.len());
        let list = |nodes: &[usize]| nodes.iter().map(|node| format!(" {node}")).collect::<String>();
        for nodes in &self.elements {
            writeln!(text, "{}{}", if nodes.len() == 3 { 5 } else { 9 }, list(nodes)).unwrap();
        }
        writeln!(text, "NPOIN= {}", self.nodes.len()).unwrap();
        self.nodes.iter().for_each(|[x, y]| writeln!(text, "{x:?} {y:?}").unwrap());
        writeln!(text, "NMARK= {}", self.sides.len()).unwrap();
        for (name, lines) in &self.sides {
            writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {}", lines.len()).unwrap();
            lines.iter().for_each(|nodes| writeln!(text, "3{}", list(nodes)).unwrap());
        }
        text
    }
}

const CONDITIONS: &str =
    "left = \"far_field\"\nright = \"far_field\"\nlower = \"slip\"\nupper = \"far_field\"\n";

/// A place with a mesh and a configuration that has these keys and conditions.
fn place(mesh: &Su2, keys: &str, conditions: &str) -> Place {
    let place = Place::new();
    place.write("m.su2", mesh.text());
    place.write(
        "c.toml",
        format!(
            "case = \"flow\"\nmesh.file = \"m.su2\"\n[flow]\nscheme = \"newton\"\niterations = 8\n{keys}[flow.boundaries]\n\
             {conditions}"
        ),
    );
    place
}

fn run(mesh: &Su2, keys: &str, conditions: &str) -> Ended {
    place(mesh, keys, conditions).run(Ranks::Alone, &["--config", "c.toml"])
}

#[test]
fn broken_meshes_are_refused_with_the_place() {
    let square = Su2::square;
    let meshes: Vec<(Su2, &[&str])> = vec![
        // A node that is moved over an edge inverts a triangle.
        (square().with(|mesh| mesh.nodes[6] = [0.7, 0.7]), &["triangle 10", "folded, or elements overlap"]),
        (square().with(|mesh| mesh.nodes[6] = [0.25, 0.0]), &["m.su2:3", "degenerate triangle", "area is 0"]),
        (square().with(|mesh| mesh.elements[3][1] = 1), &["m.su2:6", "degenerate triangle", "repeated"]),
        (
            square().with(|mesh| mesh.elements.push(mesh.elements[3].clone())),
            &["triangle 32", "belongs to 3 elements"],
        ),
        // A node for each of two elements at the same place leaves a crack, whose sides have no name.
        (
            square().with(|mesh| {
                mesh.nodes.push(mesh.nodes[12]);
                mesh.elements[10][2] = 25;
            }),
            &["side of nodes", "belongs to no other element and to no named boundary"],
        ),
        (square().with(|mesh| mesh.add_island(None)), &["triangle 32", "no named boundary"]),
        (
            square().with(|mesh| {
                mesh.nodes.push([-1.0, -1.0]);
                mesh.sides[2].1.push([0, 25]);
            }),
            &["m.su2:", "boundary edge has a node that is in no cell"],
        ),
        (
            square().with(|mesh| mesh.sides[2].1.push([0, 12])),
            &["boundary line", "is not a side of an element"],
        ),
        (square().with(|mesh| mesh.nodes[12][0] = f64::NAN), &["m.su2:48:1", "NaN is not a finite number"]),
        (
            square().with(|mesh| {
                let rest = mesh.sides[0].1.split_off(2);
                mesh.sides.push(("left", rest));
            }),
            &["m.su2:84:1", "the marker \"left\" has been listed before"],
        ),
        (square().with(|mesh| mesh.elements.clear()), &["no element of 2 dimensions"]),
    ];
    for (mesh, words) in meshes {
        run(&mesh, "", CONDITIONS).refused(2, words);
    }
}

#[test]
fn odd_meshes_have_their_flow() {
    let three = "left = \"far_field\"\nlower = \"slip\"\nupper = \"far_field\"\n";
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    for (mesh, conditions) in [
        // Elements are turned to the same direction.
        (Su2::square().with(|mesh| mesh.elements[9].swap(0, 1)), CONDITIONS),
        // What no element has is left out.
        (Su2::square().with(|mesh| mesh.nodes.push([5.0, 5.0])), CONDITIONS),
        (Su2::square().with(|mesh| mesh.add_island(Some("left"))), CONDITIONS),
        (Su2::square().with(|mesh| mesh.add_island(Some("lower"))), CONDITIONS),
        (Su2::square().with(|mesh| mesh.nodes[6] = [0.25, 1e-17]), CONDITIONS),
        (Su2::single(&corners[..3], &["lower", "upper", "left"]), three),
        (Su2::single(&corners, &["lower", "right", "upper", "left"]), CONDITIONS),
    ] {
        run(&mesh, "", conditions).succeeded();
    }
}

#[test]
fn conditions_that_make_no_sense_are_refused() {
    let channel = |inlet: &str, outlet: &str| {
        format!("left = {inlet}\nright = {outlet}\nlower = \"slip\"\nupper = \"slip\"\n")
    };
    let high = channel("{ kind = \"inlet\", total_pressure = 0.8 }", "{ kind = \"outlet\", pressure = 0.9 }");
    let slow = channel("\"supersonic_inlet\"", "\"supersonic_outlet\"");
    let open = CONDITIONS.replace("upper = \"far_field\"\n", "");
    let (twice, roof) =
        (format!("{CONDITIONS}left = \"slip\"\n"), format!("{CONDITIONS}upper1 = \"slip\"\n"));
    for (keys, conditions, words) in [
        ("", &high[..], &["0.9", "outlet \"right\"", "total pressure 0.8", "inlet \"left\""][..]),
        ("mach = 0.3\n", &slow, &["Mach 0.300", "\"left\"", "supersonic inlet"]),
        ("", &open, &["the boundary \"upper\"", "give it a condition"]),
        ("", &roof, &["no boundary \"upper1\"", "did you mean \"upper\"?"]),
        ("", &twice, &["c.toml:11:1", "duplicate key"]),
        (
            "equations = \"spalart-allmaras\"\nreynolds = 1e5\n",
            CONDITIONS,
            &["spalart-allmaras", "distance from a wall"],
        ),
        ("mach = -0.5\n", CONDITIONS, &["c.toml:6:8", "flow.mach must be", "greater than 0", "-0.5"]),
        (
            "equations = \"laminar\"\nreynolds = 0.0\n",
            CONDITIONS,
            &["c.toml:7:12", "flow.reynolds", "greater than 0"],
        ),
        ("alpha = nan\n", CONDITIONS, &["c.toml:6:9", "flow.alpha must be a finite number", "nan"]),
        (
            "limiter = \"venkatakrishna\"\n",
            CONDITIONS,
            &["flow.limiter", "did you mean \"venkatakrishnan\"?"],
        ),
    ] {
        run(&Su2::square(), keys, conditions).refused(2, words);
    }
    let metis = place(&Su2::square(), "", CONDITIONS);
    metis
        .run(Ranks::Alone, &["--config", "c.toml", "--partitioner", "metiss"])
        .refused(2, &["metiss", "did you mean \"metis\"?"]);
}

/// What leaves slower than sound through a boundary that takes everything from inside does so undisturbed.
#[test]
fn a_free_stream_leaves_a_supersonic_outlet_slower_than_sound() {
    let conditions = CONDITIONS.replace("right = \"far_field\"", "right = \"supersonic_outlet\"");
    let place = place(&Su2::square(), "mach = 0.3\n", &conditions);
    place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
    let force = place.summary("out")["values"]["forces.lower.lift"].as_f64().unwrap();
    assert!(force.abs() < 1e-12, "{force}");
}
