//! Which of the operations that vertices propose are carried out.
//!
//! ```text
//! priority of a proposal = (level, hash of the identity and a salt, identity)
//! ```
//!
//! A round selects every undecided proposal whose priority is higher than that of all undecided ones with which it
//! conflicts, and rejects those that conflict with a selected one. Run to the end, this gives the set that a sequential
//! program gets by going through the proposals in descending priority (Blelloch, Fineman, Shun 2012). Few levels and a
//! hash make that O(log n) rounds; what a fixed number leaves undecided is proposed again in the next pass.

use cfd_engine::plug::ThreadPool;

use crate::mesh::identity::mixed;
use crate::mesh::{Identity, Local, Mesh, NONE};
use crate::threads::map;

/// What a vertex would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proposal {
    /// The other vertex of the operation.
    pub target: u32,
    /// The urgency, from 1.
    pub level: u8,
}

/// The state of a vertex's proposal.
const NOTHING: u8 = 0;
const UNDECIDED: u8 = 1;
const SELECTED: u8 = 2;
const REJECTED: u8 = 3;

/// The proposals of this rank's vertices and of ghosts.
pub(crate) struct Proposals {
    /// By local vertex number; level 0 if there is none. The target of a ghost is `NONE` if this rank does not hold it.
    proposals: Vec<Proposal>,
    states: Vec<u8>,
    salt: u64,
}

impl Proposals {
    /// Collective.
    pub fn new<const D: usize>(mesh: &Mesh<D>, own: &[(u32, Proposal)], salt: u64) -> Proposals {
        let local = &mesh.local;
        let mut proposals = vec![Proposal { target: NONE, level: 0 }; local.vertices.len()];
        for &(v, proposal) in own {
            proposals[v as usize] = proposal;
        }
        if mesh.comm.size() > 1 {
            fill_ghosts(mesh, &mut proposals);
        }
        let states = proposals.iter().map(|p| if p.level > 0 { UNDECIDED } else { NOTHING }).collect();
        Proposals { proposals, states, salt }
    }

    /// The other vertex of the operation that `v` proposes.
    #[inline]
    pub fn target(&self, v: u32) -> u32 {
        self.proposals[v as usize].target
    }

    fn priority<const D: usize>(&self, local: &Local<D>, v: u32) -> (u8, u64, Identity) {
        let identity = local.identity(v);
        (self.proposals[v as usize].level, mixed(identity, self.salt), identity)
    }

    /// Decides the state of the proposal of `v` in this round.
    fn decide<const D: usize>(
        &self,
        local: &Local<D>,
        v: u32,
        conflict: impl Fn(&Proposals, u32, u32) -> bool,
    ) -> u8 {
        let own = self.priority(local, v);
        let mut state = SELECTED;
        for &e in local.star(v) {
            for &w in local.elements.corners(e) {
                let other = self.states[w as usize];
                if w == v || !(other == UNDECIDED || other == SELECTED) || !conflict(self, v, w) {
                    continue;
                }
                if other == SELECTED {
                    return REJECTED;
                }
                if self.priority(local, w) > own {
                    state = UNDECIDED;
                }
            }
        }
        state
    }

    /// This rank's vertices whose proposals are selected, in the order of `own`. `conflict` tells whether the proposals
    /// of two neighbours conflict. Collective.
    pub fn select<const D: usize>(
        &mut self,
        mesh: &Mesh<D>,
        pool: &ThreadPool,
        own: &[(u32, Proposal)],
        rounds: usize,
        conflict: impl Fn(&Proposals, u32, u32) -> bool + Sync,
    ) -> Vec<(u32, u32)> {
        let local = &mesh.local;
        let mut undecided: Vec<u32> = own.iter().map(|&(v, _)| v).collect();
        for round in 1..=rounds {
            let decisions = map(pool, &undecided, |&v| self.decide(local, v, &conflict));
            for (&v, decision) in undecided.iter().zip(decisions) {
                self.states[v as usize] = decision;
            }
            undecided.retain(|&v| self.states[v as usize] == UNDECIDED);
            if round < rounds {
                mesh.update_ghosts(&mut self.states);
            }
        }
        let selected = own.iter().filter(|&&(v, _)| self.states[v as usize] == SELECTED);
        selected.map(|&(v, proposal)| (v, proposal.target)).collect()
    }

    /// Once [`Proposals::select`] has decided: the selected proposals of vertices of any rank whose two vertices this
    /// rank holds. Collective.
    pub fn selected_anywhere<const D: usize>(&mut self, mesh: &Mesh<D>) -> Vec<(u32, u32)> {
        mesh.update_ghosts(&mut self.states);
        let selected = (0..).zip(self.states.iter().zip(&self.proposals));
        let selected =
            selected.filter(|&(_, (&state, proposal))| state == SELECTED && proposal.target != NONE);
        selected.map(|(v, (_, proposal))| (v, proposal.target)).collect()
    }
}

/// Fetches the proposals of ghosts from their owners.
fn fill_ghosts<const D: usize>(mesh: &Mesh<D>, proposals: &mut [Proposal]) {
    let local = &mesh.local;
    let named = |p: &Proposal| match p.level {
        0 => [0; 3],
        level => {
            let target = local.identity(p.target);
            [u64::from(level), target as u64, (target >> 64) as u64]
        }
    };
    let mut sent: Vec<[u64; 3]> = proposals.iter().map(named).collect();
    mesh.update_ghosts(&mut sent);
    for neighbour in &mesh.ghosts.neighbours {
        for &v in &neighbour.receives {
            let [level, low, high] = sent[v as usize];
            let target = Identity::from(low) | Identity::from(high) << 64;
            let held = |&&w: &&u32| w != v && local.identity(w) == target;
            let corners = local.star(v).iter().flat_map(|&e| local.elements.corners(e));
            let target = if level == 0 { NONE } else { corners.copied().find(|w| held(&w)).unwrap_or(NONE) };
            proposals[v as usize] = Proposal { target, level: level as u8 };
        }
    }
}
