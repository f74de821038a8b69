//! Colorings: whatever the graph and the threads, no neighbours share a color; reproducible colorings have one result.

use cfd_adapt::coloring::{
    Algorithm, Coloring, ColoringError, Graph, Numbering, Quadrants, check, first_fit, first_fit_in_order,
    jones_plassmann, priority, rmat, triangulation,
};
use cfd_engine::plug::ThreadPool;
use proptest::prelude::*;

/// Miri runs a hundred times slower.
const SCALE: u32 = if cfg!(miri) { 4 } else { 9 };
const SEEDS: u64 = if cfg!(miri) { 1 } else { 3 };
const CASES: u32 = if cfg!(miri) { 2 } else { 64 };
const THREADS: &[usize] = if cfg!(miri) { &[1, 3] } else { &[1, 2, 3, 5] };

/// Meshes and random graphs, few and many edges, a vertex adjacent to all others, no vertices, no edges.
fn graphs() -> Vec<Graph> {
    let side = 1 << (SCALE / 2);
    let mut graphs = vec![Graph::from_edges(0, &[]).unwrap(), Graph::from_edges(5, &[]).unwrap()];
    for seed in 0..SEEDS {
        for numbering in [Numbering::Natural, Numbering::Shuffled] {
            graphs.push(triangulation([side, side + 3], numbering, seed).unwrap());
            for quadrants in [Quadrants::ER, Quadrants::G, Quadrants::B] {
                graphs.push(rmat(SCALE, 8 << SCALE, quadrants, numbering, seed).unwrap());
            }
        }
        let few = SCALE / 2 + 1;
        graphs.push(rmat(few, 50 << few, Quadrants::ER, Numbering::Shuffled, seed).unwrap());
    }
    let star: Vec<[u32; 2]> = (1..1 << (SCALE / 2)).map(|leaf| [leaf, 0]).collect();
    graphs.push(Graph::from_edges(1 << (SCALE / 2), &star).unwrap());
    graphs.push(large());
    graphs
}

/// Enough vertices that the first independent sets are divided among all threads.
fn large() -> Graph {
    let side = if cfg!(miri) { 6 } else { 120 };
    triangulation([side, side], Numbering::Shuffled, 9).unwrap()
}

fn is_greedy(algorithm: Algorithm) -> bool {
    algorithm != Algorithm::MultiHash
}

#[track_caller]
fn assert_proper(graph: &Graph, algorithm: Algorithm, coloring: &Coloring) {
    check(graph, &coloring.colors).unwrap_or_else(|error| panic!("{}: {error}", algorithm.name()));
    if is_greedy(algorithm) {
        // A vertex with d neighbours has one of the first d + 1 colors.
        let within =
            |vertex: u32| coloring.colors[vertex as usize] as usize <= graph.neighbours(vertex).len();
        assert!((0..graph.vertices()).all(within), "{}", algorithm.name());
    }
}

#[test]
fn no_neighbours_share_a_color_on_any_number_of_threads() {
    for &threads in THREADS {
        let pool = ThreadPool::new(threads);
        for graph in graphs() {
            for algorithm in Algorithm::ALL {
                assert_proper(&graph, algorithm, &algorithm.color(&graph, &pool));
            }
        }
    }
}

#[test]
fn jones_plassmann_is_greedy_coloring_by_priority() {
    for graph in graphs() {
        let mut order: Vec<u32> = (0..graph.vertices()).collect();
        order.sort_by_key(|&vertex| std::cmp::Reverse(priority(vertex)));
        let greedy = first_fit_in_order(&graph, order);
        for &threads in THREADS {
            assert_eq!(jones_plassmann(&graph, &ThreadPool::new(threads)).colors, greedy.colors);
        }
    }
}

#[test]
fn reproducible_colorings_do_not_depend_on_threads() {
    for graph in graphs() {
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_reproducible()) {
            let results: Vec<Coloring> =
                THREADS.iter().map(|&threads| algorithm.color(&graph, &ThreadPool::new(threads))).collect();
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{}", algorithm.name());
        }
    }
}

#[test]
fn speculation_on_one_thread_is_first_fit_without_conflicts() {
    let pool = ThreadPool::new(1);
    for graph in graphs() {
        let greedy = first_fit(&graph);
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.is_reproducible()) {
            let coloring = algorithm.color(&graph, &pool);
            assert_eq!((coloring.colors, coloring.conflicts), (greedy.colors.clone(), 0));
        }
    }
}

#[test]
fn records_count_rounds_and_barriers() {
    let (pool, graph) = (ThreadPool::new(1), triangulation([9, 9], Numbering::Shuffled, 1).unwrap());
    let record = |algorithm: Algorithm| {
        let coloring = algorithm.color(&graph, &pool);
        (coloring.rounds, coloring.barriers)
    };
    assert_eq!(record(Algorithm::FirstFit), (1, 0));
    assert_eq!(record(Algorithm::MultiHash), (1, 1));
    assert_eq!(record(Algorithm::GebremedhinManne), (1, 2));
    assert_eq!(record(Algorithm::Catalyurek), (1, 2));
    assert_eq!(record(Algorithm::Rokos), (1, 2));
    let (rounds, barriers) = record(Algorithm::JonesPlassmann);
    assert!(rounds > 3 && barriers == 1, "few vertices are colored without barriers");
    let Coloring { rounds, barriers, .. } = jones_plassmann(&large(), &pool);
    assert!(1 < barriers && barriers < rounds, "{barriers} barriers");
}

/// Along a path of ascending priorities, each vertex waits for the next.
#[test]
fn rounds_are_as_long_as_the_longest_way_of_ascending_priorities() {
    let pool = ThreadPool::new(2);
    let mut vertices: Vec<u32> = (0..10).collect();
    vertices.sort_by_key(|&vertex| priority(vertex));
    let path: Vec<[u32; 2]> = vertices.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    assert_eq!(jones_plassmann(&Graph::from_edges(10, &path).unwrap(), &pool).rounds, 10);
    assert_eq!(jones_plassmann(&Graph::from_edges(10, &[]).unwrap(), &pool).rounds, 1);
}

#[test]
fn colors_are_counted_once_each() {
    let coloring = Coloring { colors: vec![3, 0, 3, 9, 0], rounds: 1, barriers: 0, conflicts: 0 };
    assert_eq!(coloring.count(), 3);
}

#[test]
fn a_planted_conflict_is_noticed() {
    for graph in graphs().into_iter().filter(|graph| graph.edges() > 0) {
        let mut colors = first_fit(&graph).colors;
        let vertex = (0..graph.vertices()).rfind(|&v| !graph.neighbours(v).is_empty()).expect("an edge");
        let other = graph.neighbours(vertex)[0];
        colors[vertex as usize] = colors[other as usize];
        let found = check(&graph, &colors);
        assert!(
            matches!(found, Err(ColoringError::Conflict { ends, .. }) if ends.contains(&vertex)),
            "{found:?}"
        );
    }
    let graph = Graph::from_edges(3, &[[2, 1]]).unwrap();
    let conflict = check(&graph, &[0, 4, 4]).unwrap_err();
    assert_eq!(conflict.to_string(), "vertices 1 and 2 are neighbours, and both have color 4");
    assert_eq!(check(&graph, &[0, 4]), Err(ColoringError::Length { colors: 2, vertices: 3 }));
    assert_eq!(check(&graph, &[u32::MAX, 4, 5]), Err(ColoringError::Uncolored { vertex: 0 }));
}

#[test]
fn algorithms_have_names() {
    for algorithm in Algorithm::ALL {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
    }
    let error = "welsh-powell".parse::<Algorithm>().unwrap_err().to_string();
    assert!(error.contains("\"welsh-powell\"") && error.ends_with("catalyurek, rokos"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn any_edges_are_colored(
        edges in prop::collection::vec([0..40u32, 0..40u32], 0..300),
        threads in 1..5usize,
    ) {
        let (graph, pool) = (Graph::from_edges(40, &edges).unwrap(), ThreadPool::new(threads));
        for algorithm in Algorithm::ALL {
            assert_proper(&graph, algorithm, &algorithm.color(&graph, &pool));
        }
    }
}
