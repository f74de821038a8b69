//! Lines of a set's elements: sequences along which loops sweep.

/// Lines that a tile has at most: enough for every lane and few enough that what one element leaves for the next stays in
/// the cache.
const TILE: usize = 256;

/// One rank's lines, each whole.
#[derive(Debug)]
pub struct LineLists {
    /// The number of their set.
    pub set: usize,
    /// The numbers of the maps to the element before and the element after.
    pub maps: [usize; 2],
    /// The rows of all lines, one line after the other, the longest first.
    pub rows: Vec<u32>,
    /// Line l has the rows `starts[l]..starts[l + 1]`.
    pub starts: Vec<u32>,
}

/// Why maps do not form lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// An element's neighbour is another rank's.
    Cut(u32),
    /// An element is not the neighbour of its neighbour on the other side, or is in no line.
    Loose(u32),
}

impl LineLists {
    /// The lines of a rank that owns `owned` elements, from the rows before and after each; an end has itself.
    ///
    /// # Errors
    /// The first row that breaks a line.
    pub fn new(
        set: usize,
        maps: [usize; 2],
        owned: usize,
        before: &[u32],
        after: &[u32],
    ) -> Result<LineLists, Broken> {
        for row in 0..owned {
            let at = row as u32;
            let (b, a) = (before[row], after[row]);
            if b as usize >= owned || a as usize >= owned {
                return Err(Broken::Cut(at));
            }
            if b != at && after[b as usize] != at || a != at && before[a as usize] != at {
                return Err(Broken::Loose(at));
            }
        }
        let mut lines: Vec<Vec<u32>> = Vec::new();
        let mut met = vec![false; owned];
        for first in (0..owned as u32).filter(|&row| before[row as usize] == row) {
            let mut line = vec![first];
            met[first as usize] = true;
            let mut at = first;
            while after[at as usize] != at {
                at = after[at as usize];
                met[at as usize] = true;
                line.push(at);
            }
            lines.push(line);
        }
        // What is left runs in circles.
        if let Some(row) = met.iter().position(|met| !met) {
            return Err(Broken::Loose(row as u32));
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
        let mut starts = vec![0];
        let mut rows = Vec::with_capacity(owned);
        for line in lines {
            rows.extend(line);
            starts.push(rows.len() as u32);
        }
        Ok(LineLists { set, maps, rows, starts })
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a line.
    pub fn line(&self, line: usize) -> &[u32] {
        &self.rows[self.starts[line] as usize..self.starts[line + 1] as usize]
    }

    /// The lines whose first row `keep` chooses.
    pub fn filtered(&self, mut keep: impl FnMut(usize) -> bool) -> LineLists {
        let mut part = LineLists { set: self.set, maps: self.maps, rows: Vec::new(), starts: vec![0] };
        for line in (0..self.len()).map(|line| self.line(line)).filter(|line| keep(line[0] as usize)) {
            part.rows.extend(line);
            part.starts.push(part.rows.len() as u32);
        }
        part
    }

    /// The lines in groups that are swept together, each with the rows at every place along them: rows of one place do not
    /// depend on each other.
    pub fn tiles(&self, backward: bool) -> impl Iterator<Item = Vec<Vec<u32>>> {
        let lines: Vec<usize> = (0..self.len()).collect();
        let tiles: Vec<Vec<usize>> = lines.chunks(TILE).map(<[usize]>::to_vec).collect();
        tiles.into_iter().map(move |tile| {
            let longest = self.line(tile[0]).len();
            let place = |place: usize| {
                let rows = tile.iter().map(|&line| self.line(line)).take_while(|line| line.len() > place);
                rows.map(|line| if backward { line[line.len() - 1 - place] } else { line[place] }).collect()
            };
            (0..longest).map(place).collect()
        })
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        4 * (self.rows.len() + self.starts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(before: &[u32], after: &[u32]) -> Result<LineLists, Broken> {
        LineLists::new(0, [0, 1], before.len(), before, after)
    }

    #[test]
    fn lines_are_whole_and_the_longest_comes_first() {
        // 3-0-4, 1-2, 5
        let lines = lists(&[3, 1, 1, 3, 0, 5], &[4, 2, 2, 0, 4, 5]).unwrap();
        assert_eq!(
            (0..lines.len()).map(|l| lines.line(l).to_vec()).collect::<Vec<_>>(),
            [vec![3, 0, 4], vec![1, 2], vec![5]]
        );
        assert_eq!(lines.tiles(false).collect::<Vec<_>>(), [[vec![3, 1, 5], vec![0, 2], vec![4]]]);
        assert_eq!(lines.tiles(true).collect::<Vec<_>>(), [[vec![4, 2, 5], vec![0, 1], vec![3]]]);
    }

    #[test]
    fn broken_lines_are_found() {
        assert_eq!(lists(&[0, 0], &[1, 7]).unwrap_err(), Broken::Cut(1));
        assert_eq!(lists(&[0, 1], &[1, 1]).unwrap_err(), Broken::Loose(0));
        // A circle.
        assert_eq!(lists(&[2, 0, 1], &[1, 2, 0]).unwrap_err(), Broken::Loose(0));
    }
}
