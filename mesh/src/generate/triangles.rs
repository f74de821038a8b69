//! The unit square, in triangles.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use crate::MeshError;

/// The unit square in `size[0]` by `size[1]` equal rectangles, each cut into two triangles along one of its diagonals,
/// along the other one in its four neighbours.
///
/// Vertices and rectangles are numbered row by row; a rectangle's triangles follow each other. The boundary facets are
/// those at the bottom (tag 1), on the right (2), at the top (3) and on the left (4), each by increasing x or y.
///
/// # Errors
/// A size of zero, or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_mesh::generate::triangles(&Comm::single(), [4, 3]).unwrap();
/// let sizes: Vec<u64> = mesh.sets.iter().map(|set| set.rows).collect();
/// assert_eq!(sizes, [5 * 4, 2 * 4 * 3, 2 * (4 + 3)]);
/// ```
pub fn triangles(comm: &Comm, size: [u64; 2]) -> Result<Mesh, MeshError> {
    let [n, m] = size;
    let most = 2 * u128::from(n) * u128::from(m);
    if n == 0 || m == 0 || most > u128::from(u32::MAX) * comm.size() as u128 {
        return Err(MeshError::Generate(format!(
            "a square of {n} x {m} cells is not possible on {} ranks; both sizes are at least 1, and a rank holds fewer \
             than 2^32 triangles",
            comm.size()
        )));
    }
    let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let vertex = |i: u64, j: u64| j * (n + 1) + i;
    let mut mesh = Mesh::default();
    let vertices = mesh.add_set("vertices", (n + 1) * (m + 1));
    let elements = mesh.add_set("elements", 2 * n * m);
    let facets = mesh.add_set("facets", 2 * (n + m));
    let corners = own(2 * n * m).flat_map(|e| {
        let (i, j) = (e / 2 % n, e / 2 / n);
        let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
        match (e % 2, (i + j) % 2) {
            (0, 0) => [a, b, c],
            (_, 0) => [a, c, d],
            (0, _) => [a, b, d],
            _ => [b, c, d],
        }
    });
    let (ends, tags): (Vec<[u64; 2]>, Vec<i32>) = own(2 * (n + m))
        .map(|f| match f {
            f if f < n => ([vertex(f, 0), vertex(f + 1, 0)], 1),
            f if f < n + m => ([vertex(n, f - n), vertex(n, f - n + 1)], 2),
            f if f < 2 * n + m => ([vertex(f - n - m, m), vertex(f - n - m + 1, m)], 3),
            f => ([vertex(0, f - 2 * n - m), vertex(0, f - 2 * n - m + 1)], 4),
        })
        .unzip();
    let x = own((n + 1) * (m + 1))
        .flat_map(|v| [(v % (n + 1)) as f64 / n as f64, (v / (n + 1)) as f64 / m as f64]);
    mesh.add_map("element_vertices", elements, vertices, 3, corners.collect());
    mesh.add_map("facet_vertices", facets, vertices, 2, ends.into_flattened());
    mesh.add_dat("x", vertices, 2, Values::F64(x.collect()));
    mesh.add_dat("boundary", facets, 1, Values::I32(tags));
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_run_counter_clockwise_and_fill_the_square() {
        let mesh = triangles(&Comm::single(), [5, 3]).unwrap();
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates are f64") };
        let at = |v: u64| [x[2 * v as usize], x[2 * v as usize + 1]];
        let areas = mesh.maps[0].rows.chunks_exact(3).map(|corners| {
            let [a, b, c] = [0, 1, 2].map(|k| at(corners[k]));
            0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
        });
        let areas: Vec<f64> = areas.collect();
        assert!(areas.iter().all(|area| (area - 1.0 / 30.0).abs() < 1e-15), "{areas:?}");
        let length = |f: &[u64]| {
            let ([x0, y0], [x1, y1]) = (at(f[0]), at(f[1]));
            (x1 - x0).abs() + (y1 - y0).abs()
        };
        let around: f64 = mesh.maps[1].rows.chunks_exact(2).map(length).sum();
        assert!((around - 4.0).abs() < 1e-14, "{around}");
    }

    #[test]
    fn ranks_have_blocks_of_one_mesh() {
        let whole = triangles(&Comm::single(), [4, 3]).unwrap();
        let parts = Comm::simulate(3, |comm| triangles(&comm, [4, 3]).unwrap());
        for (at, map) in whole.maps.iter().enumerate() {
            let rows: Vec<u64> = parts.iter().flat_map(|part| part.maps[at].rows.clone()).collect();
            assert_eq!(rows, map.rows, "{}", map.name);
        }
    }

    #[test]
    fn impossible_squares_are_refused() {
        for size in [[0, 3], [3, 0], [1 << 20, 1 << 20]] {
            assert!(triangles(&Comm::single(), size).unwrap_err().to_string().contains("is not possible"));
        }
    }
}
