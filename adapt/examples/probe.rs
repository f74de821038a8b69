use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::operation::*;
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_engine::plug::ThreadPool;

fn square(comm: &Comm, n: u64) -> Input<2> {
    let rows = [(n + 1) * (n + 1), 2 * n * n, 4 * n];
    let block = |i: usize| Blocks::new(rows[i], comm.size()).range(comm.rank());
    let at = |i: u64, j: u64| j * (n + 1) + i;
    let positions =
        block(0).map(|v| [(v % (n + 1)) as f64 / n as f64, (v / (n + 1)) as f64 / n as f64]).collect();
    let elements = block(1)
        .flat_map(|e| {
            let (i, j, k) = (e / 2 % n, e / 2 / n, e % 2);
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            match (k, (i + j) % 2) {
                (0, 0) => [a, b, c],
                (_, 0) => [a, c, d],
                (0, _) => [a, b, d],
                _ => [b, c, d],
            }
        })
        .collect();
    let facets = block(2)
        .flat_map(|f| {
            let (side, i) = (f / n, f % n);
            match side {
                0 => [at(i, 0), at(i + 1, 0)],
                1 => [at(n, i), at(n, i + 1)],
                2 => [at(i, n), at(i + 1, n)],
                _ => [at(0, i), at(0, i + 1)],
            }
        })
        .collect();
    let tags = block(2).map(|f| 1 + (f / n) as u16).collect();
    let boundaries = ["bottom", "right", "top", "left"].map(String::from).to_vec();
    Input { rows, positions, elements, facets, tags, boundaries }
}

fn front(p: &[f64; 2], eta: f64) -> Tensor<2> {
    let (x, y) = (2.0 * p[0] - 1.0, 2.0 * p[1] - 1.0);
    let u = 2.0 * x - (5.0 * y).sin();
    let d = 0.01 + u * u;
    let (f1, f2) = (0.1 / d, -0.2 * u / (d * d));
    let (uy, uyy) = (-5.0 * (5.0 * y).cos(), 25.0 * (5.0 * y).sin());
    let h = [-250.0 * (50.0 * x).sin() + f2 * 4.0, f2 * 2.0 * uy, f2 * uy * uy + f1 * uyy].map(|v| 4.0 * v);
    let (m, dd) = (0.5 * (h[0] + h[2]), 0.5 * (h[0] - h[2]));
    let r = (dd * dd + h[1] * h[1]).sqrt();
    let (l1, l2) = ((m + r).abs().max(1e-3), (m - r).abs().max(1e-3));
    let (s, t) = (0.5 * (l1 + l2), if r > 0.0 { 0.5 * (l1 - l2) / r } else { 0.0 });
    let f = (l1 * l2).powf(-1.0 / 6.0) / eta;
    Tensor([[f * (s + t * dd), f * t * h[1]], [f * t * h[1], f * (s - t * dd)]])
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |key: &str, default: f64| {
        args.iter().find_map(|a| a.strip_prefix(&format!("{key}="))).map_or(default, |v| v.parse().unwrap())
    };
    let (n, eta, ranks, threads) =
        (get("n", 158.0), get("eta", 1e-3), get("ranks", 1.0), get("threads", 1.0));
    let bounds = Bounds {
        passes: get("passes", 20.0) as usize,
        quality: get("quality", 0.7),
        laplacian: get("laplacian", 5.0) as usize,
        optimisation: get("optimisation", 20.0) as usize,
        turns: get("turns", 4.0) as usize,
        swap: get("swap", 0.9),
        longest: get("longest", 1.7),
        shortest: get("shortest", 0.5),
        rounds: get("rounds", 5.0) as usize,
        ..Default::default()
    };
    let _ = get("x", 0.0);
    let check = get("check", 0.0) > 0.0;
    let results = Comm::simulate(ranks as usize, |comm| {
        let mut mesh = Mesh::<2>::new(&comm, &square(&comm, n as u64)).unwrap();
        let places = mesh.local().vertices().clone();
        let _ = places;
        mesh.set_metric_at(|p| front(p, eta));
        if get("hess", 0.0) > 0.0 {
            use cfd_adapt::metric::*;
            let waves = Waves { time: get("t", 0.0), period: 100.0 };
            let values: Vec<f64> = (0..mesh.local().vertices().len() as u32)
                .map(|v| waves.value(mesh.local().vertices().position(v)))
                .collect();
            let recovery = if get("hess", 0.0) > 1.0 { Recovery::Projection } else { Recovery::LeastSquares };
            let h = hessian(&mesh, &values, recovery).unwrap();
            let m = Curvature {
                norm: Norm::Eta { p: 2.0, eta, epsilon: get("eps", 0.0) },
                floors: Floors::default(),
            }
            .metric(&mesh, &h)
            .unwrap();
            println!("complexity {}", Measure::new(&mesh).complexity(&mesh, &m));
            mesh.set_metric(&m);
        }
        let options = cfd_partition::Options {
            method: args.iter().find_map(|a| a.strip_prefix("part=")).unwrap_or("hilbert").parse().unwrap(),
            ..Default::default()
        };
        if get("balance", 0.0) > 0.0 {
            mesh.balance(&options).unwrap();
            mesh.check().unwrap();
        }
        let pool = ThreadPool::new(threads as usize);
        let again = get("again", 0.0) > 0.0;
        if again {
            Adapter { bounds, metric: MetricAt::Carried, pool: &pool }.adapt(&mut mesh, |_, _| ()).unwrap();
            println!("{:?}", mesh.counts());
            if get("again", 0.0) > 1.0 {
                mesh.set_metric_at(|p| front(p, eta));
            }
        }
        let adapter = Adapter { bounds, metric: MetricAt::Carried, pool: &pool };
        let start = std::time::Instant::now();
        let report = adapter
            .adapt(&mut mesh, |mesh, phase| {
                if check {
                    if let Err(e) = mesh.check() {
                        panic!("after {phase:?}: {e}");
                    }
                }
            })
            .unwrap();
        let time = start.elapsed();
        let [v, e] = mesh.counts();
        let local = mesh.local();
        let q: Vec<f64> = local.own_elements().map(|e| local.quality(e)).collect();
        let mean = mesh.exact_sum(q.iter().copied()) / e as f64;
        let worst = q.iter().copied().fold(1.0, f64::min);
        let mut lengths: Vec<f64> = Vec::new();
        for e in local.own_elements() {
            let c = local.elements().corners(e);
            for i in 0..3 {
                lengths.push(local.length(c[i], c[(i + 1) % 3]));
            }
        }
        lengths.sort_by(f64::total_cmp);
        let band =
            lengths.iter().filter(|l| (0.71..=1.41).contains(*l)).count() as f64 / lengths.len() as f64;
        let c = mesh.canonical();
        let hash = cfd_io::mesh_hash(&comm, &c.mesh);
        if comm.is_root() {
            for (i, c) in report.passes.iter().enumerate() {
                println!("{:3} {c:?}", i + 1);
            }
            println!("{:?} converged {}", report.total, report.converged);
        }
        if get("short", 0.0) > 0.0 {
            let mut es: Vec<(f64, u32, u32)> = local
                .own_elements()
                .flat_map(|e| {
                    let c = local.elements().corners(e);
                    (0..3)
                        .map(|i| (local.length(c[i], c[(i + 1) % 3]), c[i], c[(i + 1) % 3]))
                        .collect::<Vec<_>>()
                })
                .collect();
            es.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (l, a, b) in es.iter().take(get("short", 0.0) as usize) {
                let la: Vec<f64> = local.neighbours(*a).iter().map(|&w| local.length(*a, w)).collect();
                let lb: Vec<f64> = local.neighbours(*b).iter().map(|&w| local.length(*b, w)).collect();
                let q: Vec<f64> = local.star(*a).iter().map(|&e| local.quality(e)).collect();
                println!(
                    "{l:.3} {:.4?} {:.4?} {la:.2?} {lb:.2?} {q:.2?}",
                    local.vertices().position(*a),
                    local.vertices().position(*b)
                );
            }
        }
        if get("worst", 0.0) > 0.0 {
            let mut es: Vec<(f64, u32)> = local.own_elements().map(|e| (local.quality(e), e)).collect();
            es.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (q, e) in es.iter().take(get("worst", 0.0) as usize) {
                let c = local.elements().corners(*e);
                let l: Vec<f64> = (0..3).map(|i| local.length(c[i], c[(i + 1) % 3])).collect();
                let d: Vec<usize> = c.iter().map(|&c| local.star(c).len()).collect();
                println!(
                    "{q:.4} {l:.3?} stars {d:?} at {:.4?} tags {:?}",
                    local.vertices().position(c[0]),
                    local.elements().tags(*e)
                );
            }
        }
        println!(
            "{v} vertices {e} triangles, mean {mean:.4} worst {worst:.4}, below .6: {}, below .7: {}, lengths {:.3} {:.3} band {band:.4}, area {:e}, {time:?}, times {:?} traffic {:?}",
            q.iter().filter(|q| **q < 0.6).count(),
            q.iter().filter(|q| **q < 0.7).count(),
            lengths[0],
            lengths[lengths.len() - 1],
            mesh.measure() - 1.0,
            report.times,
            mesh.traffic()
        );
        hash.to_string()
    });
    println!("{}", results[0]);
}
