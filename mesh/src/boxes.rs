//! A binary tree of bounding boxes, for what is nearest to a point.

/// Things in a leaf.
const LEAF: usize = 8;

/// Things with corners, and the boxes around groups of them.
pub(crate) struct Boxes<T, const DIM: usize> {
    things: Vec<T>,
    /// In the order in which they were made, a box before those within it.
    nodes: Vec<Node<DIM>>,
}

/// A box around the things `start..end`; within it, the next box and that at `other`, or none.
struct Node<const DIM: usize> {
    low: [f64; DIM],
    high: [f64; DIM],
    start: usize,
    end: usize,
    other: Option<usize>,
}

impl<T: AsRef<[[f64; DIM]]>, const DIM: usize> Boxes<T, DIM> {
    /// Halves the things along the longest side of their box until few are left.
    pub(crate) fn new(things: Vec<T>) -> Boxes<T, DIM> {
        let count = things.len();
        let mut boxes = Boxes { things, nodes: Vec::new() };
        if count > 0 {
            boxes.divide(0, count);
        }
        boxes
    }

    fn divide(&mut self, start: usize, end: usize) {
        let (mut low, mut high) = ([f64::INFINITY; DIM], [f64::NEG_INFINITY; DIM]);
        for corner in self.things[start..end].iter().flat_map(AsRef::as_ref) {
            for axis in 0..DIM {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis]);
            }
        }
        let at = self.nodes.len();
        self.nodes.push(Node { low, high, start, end, other: None });
        if end - start <= LEAF {
            return;
        }
        let side = |axis: &usize| high[*axis] - low[*axis];
        let axis = (0..DIM).max_by(|a, b| side(a).total_cmp(&side(b))).expect("there is an axis");
        let place = |thing: &T| {
            let corners = thing.as_ref();
            corners.iter().map(|corner| corner[axis]).sum::<f64>() / corners.len() as f64
        };
        let middle = (end - start) / 2;
        self.things[start..end].select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)));
        self.divide(start, start + middle);
        self.nodes[at].other = Some(self.nodes.len());
        self.divide(start + middle, end);
    }

    /// The lower of `least` and the square of the distance from a point to the nearest thing. `square` is that to one; it is
    /// called for all that may be as near as the nearest, and some others.
    pub(crate) fn nearest(&self, point: [f64; DIM], least: f64, square: &mut impl FnMut(&T) -> f64) -> f64 {
        match self.nodes.is_empty() {
            true => least,
            false => self.nearest_in(0, point, least, square),
        }
    }

    fn nearest_in(
        &self,
        node: usize,
        point: [f64; DIM],
        least: f64,
        square: &mut impl FnMut(&T) -> f64,
    ) -> f64 {
        let Node { start, end, other, .. } = self.nodes[node];
        let Some(other) = other else {
            return self.things[start..end].iter().map(square).fold(least, f64::min);
        };
        let mut within = [node + 1, other].map(|child| (self.gap(child, point), child));
        within.sort_by(|a, b| a.0.total_cmp(&b.0));
        within.into_iter().fold(least, |least, (gap, child)| {
            // Rounding may make a box's distance larger than that of a thing within it, by far less than this.
            if gap <= least * (1.0 + 1e-12) { self.nearest_in(child, point, least, square) } else { least }
        })
    }

    /// The square of the distance from a point to a box.
    fn gap(&self, node: usize, point: [f64; DIM]) -> f64 {
        let Node { low, high, .. } = &self.nodes[node];
        let along = |axis: usize| (low[axis] - point[axis]).max(point[axis] - high[axis]).max(0.0);
        (0..DIM).map(|axis| along(axis) * along(axis)).sum()
    }
}
