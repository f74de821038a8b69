//! Vertices that may move at the same time.

use cfd_engine::comm::ReduceOp;
use cfd_engine::plug::ThreadPool;

use super::mark_round;
use crate::mesh::identity::mixed;
use crate::mesh::{Ghosts, Identity, Local, Mesh, Moved};
use crate::tensor::Tensor;
use crate::threads::map;
use crate::transfer::exchange_moves;

/// A vertex without a color.
const NONE: u32 = 0;

/// A proper coloring of the vertices: ends of an edge differ.
pub struct Colors {
    /// By color.
    pub classes: Vec<Class>,
}

/// The vertices of one color.
pub struct Class {
    /// This rank's own.
    pub own: Vec<u32>,
    /// Those shared with neighbours.
    ghosts: Ghosts,
}

impl Colors {
    /// Jones-Plassmann: as soon as all its neighbours of higher priority have a color, a vertex takes the lowest that
    /// none of its neighbours has. Collective.
    pub fn new<const D: usize>(mesh: &Mesh<D>, pool: &ThreadPool, salt: u64) -> Colors {
        let local = &mesh.local;
        let numbers: Vec<u32> = (0..local.vertices.len() as u32).collect();
        let hashes = map(pool, &numbers, |&v| mixed(local.identity(v), salt));
        let mut colors = vec![NONE; local.vertices.len()];
        // Each with a neighbour that it waits for; at first, perhaps, for none.
        let mut waiting: Vec<(u32, Option<u32>)> = local.own_vertices().map(|v| (v, None)).collect();
        while mesh.comm.sum(waiting.len() as u64) > 0 {
            let taken = map(pool, &waiting, |&(v, other)| match other {
                Some(other) if colors[other as usize] == NONE => Err(other),
                _ => take(local, &colors, &hashes, v),
            });
            let mut left = Vec::new();
            for (&(v, _), taken) in waiting.iter().zip(taken) {
                match taken {
                    Ok(color) => colors[v as usize] = color,
                    Err(other) => left.push((v, Some(other))),
                }
            }
            waiting = left;
            mesh.update_ghosts(&mut colors);
        }
        let mut most = [u64::from(colors.iter().copied().max().unwrap_or(0))];
        mesh.comm.all_reduce(&mut most, ReduceOp::Max);
        let mut own = vec![Vec::new(); most[0] as usize];
        for v in local.own_vertices() {
            own[colors[v as usize] as usize - 1].push(v);
        }
        let class = |(color, own)| {
            let ghosts = mesh.ghosts.filtered(|v| colors[v as usize] == color);
            Class { own, ghosts }
        };
        Colors { classes: (1..).zip(own).map(class).collect() }
    }
}

/// The color of a vertex, or a neighbour that has to have one before.
fn take<const D: usize>(local: &Local<D>, colors: &[u32], hashes: &[u64], v: u32) -> Result<u32, u32> {
    let priority = |v: u32| -> (u64, Identity) { (hashes[v as usize], local.identity(v)) };
    let own = priority(v);
    let mut used = 0u128;
    for &c in local.star(v).iter().flat_map(|&e| local.elements.corners(e)) {
        match colors[c as usize] {
            NONE if c != v && priority(c) > own => return Err(c),
            color => used |= 1u128.checked_shl(color).unwrap_or(0),
        }
    }
    // Color 0 means none.
    Ok((!(used | 1)).trailing_zeros())
}

impl Class {
    /// Sends the moves of these vertices, and the field values that they have changed, to the other ranks; marks the
    /// neighbours of moved vertices.
    pub fn exchange<const D: usize>(&self, mesh: &mut Mesh<D>, moves: &[Moved<D>]) {
        if mesh.comm.size() == 1 {
            return;
        }
        let local = &mesh.local;
        let row_of = |local: &Local<D>, v: u32| {
            let mut row = [[0.0; D]; 4];
            row[0] = *local.position(v);
            row[1..=D].copy_from_slice(&local.metric(v).0);
            row
        };
        let mut rows: Vec<[[f64; D]; 4]> = vec![[[0.0; D]; 4]; local.vertices.len()];
        let shared =
            || self.ghosts.neighbours.iter().flat_map(|n| n.sends.iter().chain(&n.receives)).copied();
        for v in shared() {
            rows[v as usize] = row_of(local, v);
        }
        self.ghosts.update(&mesh.comm, &mut rows);
        exchange_moves(mesh, &self.ghosts, moves);
        let local = &mut mesh.local;
        mesh.ghosts.add_traffic(&self.ghosts);
        for v in self.ghosts.neighbours.iter().flat_map(|n| n.receives.iter().copied()) {
            let row = &rows[v as usize];
            // On a curve, a vertex may come back to where it was, with another metric.
            if bits(row) != bits(&row_of(local, v)) {
                local.vertices.position[v as usize] = row[0];
                local.vertices.metric[v as usize] = Tensor(std::array::from_fn(|i| row[1 + i]));
                mark_round(local, v);
            }
        }
    }
}

fn bits<const D: usize>(row: &[[f64; D]; 4]) -> [[u64; D]; 4] {
    row.map(|part| part.map(f64::to_bits))
}
