//! Colored blocks: elements in blocks; blocks of one color share no target and run at the same time. Within a block,
//! increments are added by the colors of its elements.
//!
//! The execution plan of Mudalige et al., "Design and initial performance of a high-level unstructured mesh framework
//! on heterogeneous parallel systems", Parallel Computing 39 (2013), section 4.1, DOI 10.1016/j.parco.2013.09.004.

use cfd_engine::plug::OWNED;

use super::region_lists::Increments;

/// The blocks of a loop: first those of the core, then the others, both by color.
pub(crate) struct ColoredBlocks {
    /// The elements of block b are numbers `bounds[b]` to `bounds[b + 1]` of the sources.
    pub(crate) bounds: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    /// The color of every element within its block.
    pub(crate) colors: Vec<u16>,
    /// The number of such colors in every block.
    pub(crate) counts: Vec<u32>,
    /// Ranges of blocks of one color: those that need no halo copies, and those that may.
    pub(crate) core: Vec<std::ops::Range<u32>>,
    pub(crate) rest: Vec<std::ops::Range<u32>>,
}

impl ColoredBlocks {
    /// Blocks of at most `size` elements. `imported` rows are also executed.
    pub(crate) fn new(increments: &Increments<'_>, imported: &[u32], size: usize) -> ColoredBlocks {
        let mark = |row: usize| row as u32 | OWNED;
        let core: Vec<u32> = (0..increments.core).map(mark).collect();
        let rest = (increments.core..increments.owned).map(mark).chain(imported.iter().copied());
        let rest: Vec<u32> = rest.collect();
        let mut blocks = ColoredBlocks {
            bounds: vec![0],
            sources: Vec::new(),
            colors: Vec::new(),
            counts: Vec::new(),
            core: Vec::new(),
            rest: Vec::new(),
        };
        blocks.core = blocks.add(increments, &core, size);
        blocks.rest = blocks.add(increments, &rest, size);
        blocks
    }

    /// Cuts elements into blocks and appends the blocks by color.
    fn add(
        &mut self,
        increments: &Increments<'_>,
        elements: &[u32],
        size: usize,
    ) -> Vec<std::ops::Range<u32>> {
        let mut by_color: Vec<Vec<&[u32]>> = Vec::new();
        let mut taken = Taken::new(increments);
        for block in elements.chunks(size) {
            let color = taken.first_free(increments, block);
            if by_color.len() <= color {
                by_color.resize_with(color + 1, Vec::new);
            }
            by_color[color].push(block);
        }
        let mut ranges = Vec::new();
        let mut within = Taken::new(increments);
        for blocks in by_color {
            let first = self.counts.len() as u32;
            for block in blocks {
                let mut count = 0;
                for element in block {
                    let color = within.first_free(increments, std::slice::from_ref(element));
                    self.colors.push(u16::try_from(color).expect("fewer colors than elements of a block"));
                    count = count.max(color as u32 + 1);
                }
                within.forget(increments, block);
                self.sources.extend(block);
                self.bounds.push(u32::try_from(self.sources.len()).expect("fewer than 2^32 rows on a rank"));
                self.counts.push(count);
            }
            ranges.push(first..self.counts.len() as u32);
        }
        ranges
    }
}

/// The colors already taken at each target, by set and row.
struct Taken(Vec<Vec<Vec<u32>>>);

impl Taken {
    fn new(increments: &Increments<'_>) -> Taken {
        let sets = increments.groups.iter().map(|group| group.set + 1).max().unwrap_or(0);
        let mut rows = vec![0; sets];
        for argument in &increments.arguments {
            let set = increments.groups[argument.group].set;
            let last = argument.indices.iter().max().map_or(0, |&row| row as usize + 1);
            rows[set] = last.max(rows[set]);
        }
        Taken(rows.into_iter().map(|rows| vec![Vec::new(); rows]).collect())
    }

    fn targets(increments: &Increments<'_>, elements: &[u32]) -> impl Iterator<Item = (usize, usize)> {
        elements.iter().flat_map(move |&marked| {
            let row = marked & !OWNED;
            increments
                .arguments
                .iter()
                .map(move |argument| (increments.groups[argument.group].set, argument.target(row) as usize))
        })
    }

    /// The first color that no target of these elements has; they have it from then on.
    fn first_free(&mut self, increments: &Increments<'_>, elements: &[u32]) -> usize {
        let mut used: Vec<u32> = Self::targets(increments, elements)
            .flat_map(|(set, row)| self.0[set][row].iter().copied())
            .collect();
        used.sort_unstable();
        used.dedup();
        let free = (0u32..).zip(&used).find(|(color, used)| color != *used);
        let free = free.map_or(used.len() as u32, |(color, _)| color);
        for (set, row) in Self::targets(increments, elements) {
            if self.0[set][row].last() != Some(&free) {
                self.0[set][row].push(free);
            }
        }
        free as usize
    }

    fn forget(&mut self, increments: &Increments<'_>, elements: &[u32]) {
        for (set, row) in Self::targets(increments, elements) {
            self.0[set][row].clear();
        }
    }
}
