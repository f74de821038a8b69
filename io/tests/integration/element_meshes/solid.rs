//! A row of boxes, each of a different kind of element, with known sizes, and the files that describe it.

use std::fmt::Write;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

use crate::outside_meshes::drawing::{Encoding, Writer};

/// Elements of one kind in one group: its name, or none.
#[derive(Clone)]
pub struct Part {
    pub group: Option<&'static str>,
    pub kind: ElementKind,
    pub elements: Vec<Vec<usize>>,
}

/// Nodes and elements of a mesh, and its known properties.
#[derive(Clone)]
pub struct Solid {
    pub dimension: usize,
    pub nodes: Vec<[f64; 3]>,
    /// What fills the domain, and its boundary.
    pub parts: Vec<Part>,
    /// Elements of each kind.
    pub counts: Vec<(ElementKind, u64)>,
    /// Dimension, name and length, area or volume of each group, and of all that fills the domain (no name).
    pub sizes: Vec<(usize, &'static str, f64)>,
}

/// How a unit box becomes one of the mesh: its sides.
const SIDES: [f64; 3] = [0.5, 2.0, 3.0];

/// The nodes of an element in an order that turns it inside out.
fn inside_out(kind: ElementKind, nodes: &[usize]) -> Vec<usize> {
    let order: &[usize] = match kind {
        ElementKind::Line => &[1, 0],
        ElementKind::Triangle => &[0, 2, 1],
        ElementKind::Quadrilateral => &[0, 3, 2, 1],
        ElementKind::Tetrahedron => &[0, 1, 3, 2],
        ElementKind::Pyramid => &[0, 3, 2, 1, 4],
        ElementKind::Prism => &[3, 4, 5, 0, 1, 2],
        ElementKind::Hexahedron => &[4, 5, 6, 7, 0, 1, 2, 3],
    };
    order.iter().map(|&k| nodes[k]).collect()
}

impl Solid {
    /// Four boxes from left to right: a hexahedron, six pyramids, two prisms, ten tetrahedra and a pyramid. The left
    /// end is the inlet, the right end the outlet, everything else the wall; the first box is porous.
    pub fn boxes() -> Solid {
        use ElementKind::*;
        let at = |i: usize, j: usize, k: usize| i + 5 * (j + 2 * k);
        let mut nodes: Vec<[f64; 3]> =
            (0..20).map(|n| [n % 5, n / 5 % 2, n / 10].map(|v| v as f64)).collect();
        nodes.extend([[1.5, 0.5, 0.5], [3.5, 0.5, 0.5]]);
        let corners = |i: usize| {
            [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
                .map(|(x, j, k)| at(i + x, j, k))
        };
        // Faces of a box, around their normals that point inwards: left, right, front, back, bottom, top.
        let faces = |i: usize| {
            let c = corners(i);
            let face = |f: [usize; 4]| f.map(|k| c[k]);
            [[0, 3, 7, 4], [1, 5, 6, 2], [0, 4, 5, 1], [3, 2, 6, 7], [0, 1, 2, 3], [4, 7, 6, 5]].map(face)
        };
        let part = |group, kind, elements: Vec<Vec<usize>>| Part { group, kind, elements };
        let to = |apex: usize| move |face: [usize; 4]| [&face[..], &[apex]].concat();
        let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
        let p = corners(2);
        let prisms = [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]].map(|f| f.map(|k| p[k]).to_vec());
        let last = faces(3);
        let tetrahedra =
            last[1..].iter().flat_map(|&face| halves(face)).map(|half| [&half[..], &[21]].concat());
        let mut parts = vec![
            part(Some("porous"), Hexahedron, vec![corners(0).to_vec()]),
            part(Some("free"), Pyramid, faces(1).map(to(20)).to_vec()),
            part(Some("free"), Prism, prisms.to_vec()),
            part(Some("free"), Tetrahedron, tetrahedra.collect()),
            part(None, Pyramid, vec![to(21)(last[0])]),
        ];
        for (k, elements) in
            parts.iter_mut().flat_map(|part| part.elements.iter_mut().map(|e| (part.kind, e))).enumerate()
        {
            let (kind, element) = elements;
            if k % 3 == 1 {
                *element = inside_out(kind, element);
            }
        }
        let triangles = |faces: &[[usize; 4]]| {
            faces.iter().flat_map(|&f| halves(f)).map(|t| t.to_vec()).collect::<Vec<_>>()
        };
        let sides = |i: usize| faces(i)[2..].to_vec();
        let mut walls: Vec<Vec<usize>> =
            [0, 1].iter().flat_map(|&i| sides(i)).map(|face| face.to_vec()).collect();
        walls.extend(faces(2)[2..4].iter().map(|face| face.to_vec()));
        let cut = [&faces(2)[4..], &sides(3)[..]].concat();
        parts.extend([
            part(Some("inlet"), Quadrilateral, vec![faces(0)[0].to_vec()]),
            part(Some("wall"), Quadrilateral, walls),
            part(Some("wall"), Triangle, triangles(&cut)),
            part(Some("outlet"), Triangle, triangles(&[faces(3)[1]])),
        ]);
        let [x, y, z] = SIDES;
        nodes.iter_mut().for_each(|node| *node = [0, 1, 2].map(|k| 7.0 + SIDES[k] * node[k]));
        Solid {
            dimension: 3,
            nodes,
            parts,
            counts: vec![
                (Tetrahedron, 10),
                (Pyramid, 7),
                (Prism, 2),
                (Hexahedron, 1),
                (Triangle, 14),
                (Quadrilateral, 11),
            ],
            sizes: vec![
                (3, "", 4.0 * x * y * z),
                (3, "porous", x * y * z),
                (3, "free", (3.0 - 1.0 / 6.0) * x * y * z),
                (2, "inlet", y * z),
                (2, "outlet", y * z),
                (2, "wall", 4.0 * (2.0 * x * z + 2.0 * x * y)),
            ],
        }
    }

    /// A rectangle of three squares, the middle one cut into two triangles.
    pub fn plane() -> Solid {
        use ElementKind::*;
        let at = |i: usize, j: usize| i + 4 * j;
        let nodes = (0..8).map(|n| [0.5 * (n % 4) as f64 - 1.0, 2.0 * (n / 4) as f64, 0.25]);
        let square = |i: usize| [at(i, 0), at(i + 1, 0), at(i + 1, 1), at(i, 1)];
        let [a, b, c, d] = square(1);
        let part = |group, kind, elements: Vec<Vec<usize>>| Part { group, kind, elements };
        let ends = (0..3).flat_map(|i| [vec![at(i, 0), at(i + 1, 0)], vec![at(i + 1, 1), at(i, 1)]]);
        Solid {
            dimension: 2,
            nodes: nodes.collect(),
            parts: vec![
                part(Some("porous"), Quadrilateral, vec![square(0).to_vec()]),
                part(Some("free"), Triangle, vec![vec![a, b, c], vec![a, d, c]]),
                part(None, Quadrilateral, vec![inside_out(Quadrilateral, &square(2))]),
                part(Some("inlet"), Line, vec![vec![at(0, 0), at(0, 1)]]),
                part(Some("outlet"), Line, vec![vec![at(3, 0), at(3, 1)]]),
                part(Some("wall"), Line, ends.collect()),
            ],
            counts: vec![(Triangle, 2), (Quadrilateral, 2), (Line, 8)],
            sizes: vec![
                (2, "", 3.0),
                (2, "porous", 1.0),
                (2, "free", 1.0),
                (1, "inlet", 2.0),
                (1, "outlet", 2.0),
                (1, "wall", 3.0),
            ],
        }
    }

    /// Dimension and name of each group, with its number: by dimension, in the order in which they occur.
    pub fn groups(&self) -> Vec<(usize, &'static str, i32)> {
        let mut groups: Vec<(usize, &'static str, i32)> = Vec::new();
        for Part { group, kind, .. } in &self.parts {
            let (dimension, Some(name)) = (kind.dimension(), *group) else { continue };
            if !groups.iter().any(|known| (known.0, known.1) == (dimension, name)) {
                groups.push((dimension, name, 40 + groups.len() as i32));
            }
        }
        groups
    }

    fn id(&self, part: &Part) -> Option<i32> {
        let name = part.group?;
        let groups = self.groups();
        groups.iter().find(|known| (known.0, known.1) == (part.kind.dimension(), name)).map(|known| known.2)
    }

    /// The mesh from memory: each rank adds every `size`-th node and element.
    pub fn build(&self, comm: &Comm) -> Result<ElementMesh, MeshError> {
        let mut builder = ElementMeshBuilder::new(self.dimension);
        let share = |rows: usize| {
            let bound = |rank: usize| rows * rank * rank / (comm.size() * comm.size());
            bound(comm.rank())..bound(comm.rank() + 1)
        };
        for node in &self.nodes[share(self.nodes.len())] {
            builder.add_nodes(node[..self.dimension].iter().copied());
        }
        for kind in ElementKind::ALL {
            let all: Vec<(i32, &Vec<usize>)> = self
                .parts
                .iter()
                .filter(|part| part.kind == kind)
                .flat_map(|part| part.elements.iter().map(|nodes| (self.id(part).unwrap_or(0), nodes)))
                .collect();
            for (group, nodes) in &all[share(all.len())] {
                builder.add_elements(kind, *group, nodes.iter().map(|&node| node as u64));
            }
        }
        self.groups().iter().for_each(|(dimension, name, id)| builder.name_group(*dimension, *id, name));
        builder.build(comm)
    }

    /// SU2's file, which has no groups of cells.
    pub fn su2(&self) -> String {
        let mut text = format!("NDIME= {}\n", self.dimension);
        let cells: Vec<&Part> =
            self.parts.iter().filter(|part| part.kind.dimension() == self.dimension).collect();
        let row = |kind: ElementKind, nodes: &[usize]| {
            let nodes: Vec<String> = nodes.iter().map(usize::to_string).collect();
            format!("{} {}\n", kind.vtk_type(), nodes.join(" "))
        };
        let count: usize = cells.iter().map(|part| part.elements.len()).sum();
        writeln!(text, "NELEM= {count}").unwrap();
        cells.iter().for_each(|part| part.elements.iter().for_each(|e| text.push_str(&row(part.kind, e))));
        writeln!(text, "NPOIN= {}", self.nodes.len()).unwrap();
        for node in &self.nodes {
            let x: Vec<String> = node[..self.dimension].iter().map(|x| format!("{x:?}")).collect();
            writeln!(text, "{}", x.join(" ")).unwrap();
        }
        let names = self.groups().into_iter().filter(|group| group.0 < self.dimension);
        let names: Vec<&str> = names.map(|group| group.1).collect();
        writeln!(text, "NMARK= {}", names.len()).unwrap();
        for name in names {
            let parts: Vec<&Part> = self.parts.iter().filter(|part| part.group == Some(name)).collect();
            let count: usize = parts.iter().map(|part| part.elements.len()).sum();
            writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {count}").unwrap();
            parts
                .iter()
                .for_each(|part| part.elements.iter().for_each(|e| text.push_str(&row(part.kind, e))));
        }
        text
    }

    /// Gmsh's file: an entity for each part, node tags that are not rows, and parts to be ignored: a point, a curve in
    /// space, an interior surface without a group, a node in no element.
    pub fn gmsh(&self, encoding: Encoding) -> Vec<u8> {
        let tag = |node: usize| 1000 - 3 * node as u64;
        let mut file = Writer::new(encoding);
        let groups = self.groups();
        file.text(&format!("$PhysicalNames\n{}\n", groups.len()));
        groups.iter().for_each(|(dimension, name, id)| file.text(&format!("{dimension} {id} \"{name}\"\n")));
        file.text("$EndPhysicalNames\n$Entities\n");
        let mut parts = self.parts.clone();
        let within = parts[0].elements[0][..self.dimension].to_vec();
        let kind = if self.dimension == 2 { ElementKind::Line } else { ElementKind::Triangle };
        parts.push(Part { group: None, kind, elements: vec![within.clone()] });
        if self.dimension == 3 {
            parts.push(Part { group: None, kind: ElementKind::Line, elements: vec![within[..2].to_vec()] });
        }
        let of_dimension =
            |d: usize| parts.iter().enumerate().filter(move |(_, part)| part.kind.dimension() == d);
        file.size(1);
        (1..4).for_each(|d| file.size(of_dimension(d).count() as u64));
        file.line();
        file.int(1);
        [0.0; 3].into_iter().for_each(|x| file.double(x));
        file.size(0);
        file.line();
        for (entity, part) in (1..4).flat_map(of_dimension) {
            file.int(entity as i32 + 1);
            [0.0; 6].into_iter().for_each(|x| file.double(x));
            match self.id(part) {
                Some(id) => {
                    file.size(1);
                    file.int(id);
                }
                None => file.size(0),
            }
            file.size(0);
            file.line();
        }
        file.text("$EndEntities\n$Nodes\n");
        let rows = self.nodes.len();
        [1, rows as u64 + 1, tag(rows), tag(0)].into_iter().for_each(|n| file.size(n));
        file.line();
        [self.dimension as i32, 1, 0].into_iter().for_each(|n| file.int(n));
        file.size(rows as u64 + 1);
        file.line();
        for node in 0..=rows {
            file.size(tag(node));
            file.line();
        }
        for node in self.nodes.iter().chain([&[99.0; 3]]) {
            node.iter().for_each(|&x| file.double(x));
            file.line();
        }
        file.text("$EndNodes\n$Elements\n");
        let elements: usize = 1 + parts.iter().map(|part| part.elements.len()).sum::<usize>();
        [parts.len() as u64 + 1, elements as u64, 1, elements as u64].into_iter().for_each(|n| file.size(n));
        file.line();
        let mut number = 0;
        let mut block = |dimension: i32, entity: i32, kind: i32, rows: &[Vec<usize>]| {
            [dimension, entity, kind].into_iter().for_each(|n| file.int(n));
            file.size(rows.len() as u64);
            file.line();
            for row in rows {
                number += 1;
                file.size(number);
                row.iter().for_each(|&node| file.size(tag(node)));
                file.line();
            }
        };
        block(0, 1, 15, &[vec![0]]);
        for (entity, part) in parts.iter().enumerate() {
            let number = match part.kind {
                ElementKind::Line => 1,
                ElementKind::Triangle => 2,
                ElementKind::Quadrilateral => 3,
                ElementKind::Tetrahedron => 4,
                ElementKind::Hexahedron => 5,
                ElementKind::Prism => 6,
                ElementKind::Pyramid => 7,
            };
            block(part.kind.dimension() as i32, entity as i32 + 1, number, &part.elements);
        }
        file.text("$EndElements\n");
        file.bytes
    }
}
