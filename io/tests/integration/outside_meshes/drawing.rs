//! A small geometry, and the files that describe it.

use std::fmt::Write;

/// Nodes, cells and named boundaries of a mesh. Everything is written in this order.
#[derive(Clone)]
pub struct Drawing {
    pub nodes: Vec<[f64; 2]>,
    pub cells: Vec<Vec<usize>>,
    /// Name and edges of each boundary.
    pub boundaries: Vec<(&'static str, Vec<[usize; 2]>)>,
}

/// How a Gmsh file stores numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

impl Drawing {
    /// Four by four squares without the middle two of the second row: a wall inside, the far field outside. Every third
    /// square is cut into triangles.
    pub fn new() -> Drawing {
        let at = |i: usize, j: usize| i + 5 * j;
        let nodes = (0..25).map(|k| [0.3 * (k % 5) as f64, 0.25 * (k / 5) as f64 + 0.01 * (k % 3) as f64]);
        let mut cells = Vec::new();
        for j in 0..4 {
            for i in 0..4 {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                match (i, j) {
                    (1 | 2, 1) => {}
                    _ if (i + j) % 3 == 0 => cells.extend([vec![a, b, c], vec![a, c, d]]),
                    _ => cells.push(vec![a, b, c, d]),
                }
            }
        }
        let outer = (0..4).flat_map(|k| {
            [
                [at(k, 0), at(k + 1, 0)],
                [at(k, 4), at(k + 1, 4)],
                [at(0, k), at(0, k + 1)],
                [at(4, k), at(4, k + 1)],
            ]
        });
        let inner = [[6, 7], [7, 8], [8, 13], [12, 13], [11, 12], [6, 11]];
        Drawing {
            nodes: nodes.collect(),
            cells,
            boundaries: vec![("Body", inner.to_vec()), ("far field", outer.collect())],
        }
    }

    pub fn su2(&self) -> String {
        let mut text = String::from("% two dimensions\nNDIME= 2\n\n");
        writeln!(text, "NELEM= {} % cells", self.cells.len()).unwrap();
        for (row, cell) in self.cells.iter().enumerate() {
            let nodes: Vec<String> = cell.iter().map(usize::to_string).collect();
            writeln!(text, "{} {} {row}", if cell.len() == 3 { 5 } else { 9 }, nodes.join("\t")).unwrap();
        }
        writeln!(text, "NPOIN= {} {}", self.nodes.len(), self.nodes.len()).unwrap();
        for (row, [x, y]) in self.nodes.iter().enumerate() {
            writeln!(text, " {x:?} {y:e} {row}").unwrap();
        }
        writeln!(text, "NMARK= {}", self.boundaries.len()).unwrap();
        for (name, edges) in &self.boundaries {
            writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {}", edges.len()).unwrap();
            edges.iter().for_each(|[a, b]| writeln!(text, "3 {a} {b}").unwrap());
        }
        text
    }

    /// Gmsh's file: node tags are not row numbers, nodes are in two blocks, and there are a point, a curve without a
    /// physical group, and unneeded sections.
    pub fn gmsh(&self, encoding: Encoding) -> Vec<u8> {
        let tag = |node: usize| 1000 - 3 * node as u64;
        let mut file = Writer::new(encoding);
        file.text("$Comments\nmade $ by $End hand\n$EndComments\n");
        file.text(&format!("$PhysicalNames\n{}\n2 77 \"gas\"\n", self.boundaries.len() + 1));
        for (k, (name, _)) in self.boundaries.iter().enumerate() {
            file.text(&format!("1 {} \"{name}\"\n", k + 5));
        }
        file.text("$EndPhysicalNames\n$Entities\n");
        let curves = self.boundaries.len();
        [1, curves as u64 + 1, 1, 0].into_iter().for_each(|n| file.size(n));
        file.line();
        file.int(1);
        [0.0; 3].into_iter().for_each(|x| file.double(x));
        file.size(0);
        file.line();
        for curve in 0..=curves {
            file.int(curve as i32 + 1);
            [0.0; 6].into_iter().for_each(|x| file.double(x));
            // The last curve has no physical group; the first goes against its direction.
            let sign = if curve == 0 { -1 } else { 1 };
            if curve < curves {
                file.size(1);
                file.int(sign * (curve as i32 + 5));
            } else {
                file.size(0);
            }
            file.size(2);
            [1, -1].into_iter().for_each(|point| file.int(point));
            file.line();
        }
        file.int(1);
        [0.0; 6].into_iter().for_each(|x| file.double(x));
        file.size(1);
        file.int(77);
        file.size(0);
        file.line();
        file.text("$EndEntities\n$Nodes\n");

        [2, self.nodes.len() as u64, tag(self.nodes.len() - 1), tag(0)]
            .into_iter()
            .for_each(|n| file.size(n));
        file.line();
        let blocks = [(1, 1, 0..10), (2, 0, 10..self.nodes.len())];
        for (dimension, parametric, nodes) in blocks {
            [dimension, 1, parametric].into_iter().for_each(|n| file.int(n));
            file.size(nodes.len() as u64);
            file.line();
            for node in nodes.clone() {
                file.size(tag(node));
                file.line();
            }
            for node in nodes {
                let [x, y] = self.nodes[node];
                [x, y, 0.0].into_iter().for_each(|x| file.double(x));
                if parametric == 1 {
                    file.double(0.5);
                }
                file.line();
            }
        }
        file.text("$EndNodes\n$Elements\n");

        // Dimension, entity, type, nodes.
        let mut blocks: Vec<(i32, i32, i32, Vec<Vec<usize>>)> = vec![(0, 1, 15, vec![vec![0]])];
        for (k, (_, edges)) in self.boundaries.iter().enumerate() {
            blocks.push((1, k as i32 + 1, 1, edges.iter().map(|edge| edge.to_vec()).collect()));
        }
        blocks.push((1, curves as i32 + 1, 1, vec![vec![0, 6]]));
        for cells in self.cells.chunk_by(|a, b| a.len() == b.len()) {
            blocks.push((2, 1, cells[0].len() as i32 - 1, cells.to_vec()));
        }
        let elements: usize = blocks.iter().map(|(.., rows)| rows.len()).sum();
        [blocks.len() as u64, elements as u64, 1, elements as u64].into_iter().for_each(|n| file.size(n));
        file.line();
        let mut number = 0;
        for (dimension, entity, kind, rows) in blocks {
            [dimension, entity, kind].into_iter().for_each(|n| file.int(n));
            file.size(rows.len() as u64);
            file.line();
            for row in rows {
                number += 1;
                file.size(number);
                row.iter().for_each(|&node| file.size(tag(node)));
                file.line();
            }
        }
        file.text("$EndElements\n");
        file.bytes
    }
}

/// Numbers in sequence, as Gmsh stores them.
pub struct Writer {
    pub bytes: Vec<u8>,
    pub encoding: Encoding,
}

impl Writer {
    /// A file with the section `$MeshFormat`.
    pub fn new(encoding: Encoding) -> Writer {
        let mut file = Writer { bytes: Vec::new(), encoding };
        file.text(if encoding == Encoding::Text {
            "$MeshFormat\n4.1 0 8\n"
        } else {
            "$MeshFormat\n4.1 1 8\n"
        });
        if encoding != Encoding::Text {
            file.int(1);
            file.text("\n");
        }
        file.text("$EndMeshFormat\n");
        file
    }

    /// Text in every encoding.
    pub fn text(&mut self, text: &str) {
        if text.starts_with("$End") && self.encoding != Encoding::Text {
            self.bytes.push(b'\n');
        }
        self.bytes.extend(text.as_bytes());
    }

    fn number<const N: usize>(&mut self, text: String, big_endian: [u8; N]) {
        match self.encoding {
            Encoding::Text => self.bytes.extend(format!("{text} ").as_bytes()),
            Encoding::BigEndian => self.bytes.extend(big_endian),
            Encoding::LittleEndian => self.bytes.extend(big_endian.iter().rev()),
        }
    }

    pub fn int(&mut self, value: i32) {
        self.number(value.to_string(), value.to_be_bytes());
    }

    pub fn size(&mut self, value: u64) {
        self.number(value.to_string(), value.to_be_bytes());
    }

    pub fn double(&mut self, value: f64) {
        self.number(format!("{value:?}"), value.to_be_bytes());
    }

    /// The end of a line of text.
    pub fn line(&mut self) {
        if self.encoding == Encoding::Text {
            self.bytes.push(b'\n');
        }
    }
}
