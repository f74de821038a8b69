//! The additions of a tree, in order.
//!
//! A shape says nothing about messages: several algorithms have the same shape, and give the same bits. Nor does it say
//! which of two numbers is the first operand, because an addition does not depend on that.

/// Additions that leave the sum of all ranks at one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The value of the first rank becomes the sum of both.
    additions: Vec<[u32; 2]>,
    /// The rank where the sum ends up.
    root: u32,
}

impl Shape {
    /// No additions yet; the sum is to end up at `root`.
    pub(crate) fn new(ranks: u32, root: u32) -> Shape {
        Shape { additions: Vec::with_capacity(ranks.saturating_sub(1) as usize), root }
    }

    /// Starts with the number of `first`, and adds the others in order.
    pub fn in_order(ranks: u32, first: u32, others: impl Iterator<Item = u32>) -> Shape {
        let mut shape = Shape::new(ranks, first);
        others.for_each(|other| shape.add(first, other));
        shape
    }

    /// The same additions, which leave the sum at `root`.
    pub(crate) fn at(self, root: u32) -> Shape {
        Shape { root, ..self }
    }

    /// Adds the value of `from` to that of `into`.
    pub(crate) fn add(&mut self, into: u32, from: u32) {
        self.additions.push([into, from]);
    }

    /// The sum of the ranks' numbers, which are overwritten.
    pub fn sum(&self, numbers: &mut [f64]) -> f64 {
        for &[into, from] in &self.additions {
            numbers[into as usize] += numbers[from as usize];
        }
        numbers[self.root as usize]
    }

    /// The same with values of any type; `add` adds the second to the first. Returns the sum.
    pub fn fold<'a, T>(&self, values: &'a mut [T], mut add: impl FnMut(&mut T, &T)) -> &'a T {
        for &[into, from] in &self.additions {
            let both = values.get_disjoint_mut([into as usize, from as usize]);
            let [into, from] = both.expect("an addition is of two ranks");
            add(into, from);
        }
        &values[self.root as usize]
    }

    /// The number of additions.
    pub fn additions(&self) -> usize {
        self.additions.len()
    }

    /// The most additions that any rank's number goes through.
    pub fn depth(&self, ranks: u32) -> u32 {
        let mut depths = vec![0u32; ranks as usize];
        for &[into, from] in &self.additions {
            depths[into as usize] = depths[into as usize].max(depths[from as usize]) + 1;
        }
        depths[self.root as usize]
    }
}

/// Additions in groups of ranks.
pub(crate) mod pieces {
    use super::Shape;

    /// A binomial tree: with v the position relative to the root, for m = 1, 2, 4, ..., position v + m is added to v, a
    /// multiple of 2 m.
    pub(crate) fn binomial(shape: &mut Shape, members: &[u32], root: usize) {
        let count = members.len();
        let member = |position: usize| members[(position + root) % count];
        let mut mask = 1;
        while mask < count {
            for position in (0..count - mask).step_by(2 * mask) {
                shape.add(member(position), member(position + mask));
            }
            mask *= 2;
        }
    }

    /// Recursive doubling, which gives all ranks the same bits. If the number of ranks is not a power of two, the first
    /// pairs are added beforehand, to the second rank of each. Returns the member that ends up with the sum.
    pub(crate) fn doubling(shape: &mut Shape, members: &[u32]) -> u32 {
        let left = survivors(members);
        for pair in members[..2 * (members.len() - left.len())].chunks_exact(2) {
            shape.add(pair[1], pair[0]);
        }
        binomial(shape, &left, 0);
        left[0]
    }

    /// Parents and children of an interleaved tree: from the lowest level to the highest, one child of every parent
    /// after the other.
    pub(crate) fn interleaved(
        ranks: u32,
        children: u32,
        mut see: impl FnMut(&mut dyn Iterator<Item = [u32; 2]>),
    ) {
        let [ranks, children] = [ranks, children].map(u64::from);
        // The first rank of each level, and the number of ranks for which it has room.
        let mut levels = vec![[0u64, 1]];
        while let Some([first, room]) = levels.last().map(|&[first, room]| [first + room, room * children]) {
            if first >= ranks {
                break;
            }
            levels.push([first, room]);
        }
        for level in levels.windows(2).rev() {
            let [[above, parents], [first, room]] = [level[0], level[1]];
            for child in 0..children.min(ranks - first) {
                let begin = first + child * parents;
                let these = begin..ranks.min(first + room).min(begin + parents);
                see(&mut these.map(|rank| [(above + rank - begin) as u32, rank as u32]));
            }
        }
    }

    /// The members that take part in doubling: a power of two.
    pub(crate) fn survivors(members: &[u32]) -> Vec<u32> {
        let rest = members.len() - (1 << members.len().ilog2());
        let (pairs, others) = members.split_at(2 * rest);
        pairs.iter().skip(1).step_by(2).chain(others).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_are_carried_out_in_their_order() {
        let mut shape = Shape::new(3, 2);
        shape.add(2, 1);
        shape.add(2, 0);
        assert_eq!(shape.sum(&mut [-1e16, 1e16, 1.0]), 0.0);
        assert_eq!(shape.sum(&mut [1.0, 1e16, -1e16]), 1.0);
        let words = |a: &mut String, b: &String| *a = format!("({a}+{b})");
        let mut values = ["a", "b", "c"].map(String::from);
        assert_eq!(shape.fold(&mut values, words), "((c+b)+a)");
        assert_eq!((shape.depth(3), shape.additions()), (2, 2));
    }

    #[test]
    fn an_odd_number_of_members_is_halved_until_a_power_of_two_is_left() {
        assert_eq!(pieces::survivors(&[10, 11, 12, 13, 14, 15, 16]), [11, 13, 15, 16]);
        assert_eq!(pieces::survivors(&[5, 6, 7, 8]), [5, 6, 7, 8]);
        assert_eq!(pieces::survivors(&[5]), [5]);
    }
}
