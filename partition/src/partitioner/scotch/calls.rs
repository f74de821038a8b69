//! The library's functions, and its objects.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

use cfd_engine::comm::Native;

use super::library::Library;
use crate::partitioner::graph::{Graph, Index};

/// Options of a context.
const DETERMINISTIC: c_int = 0;
const RANDOM_FIXED_SEED: c_int = 1;

/// By how much halves may differ in each bisection; what adds up is a few percent.
const IMBALANCE: f64 = 0.01;

/// Words for an object, which are many times those that any needs.
const OBJECT_WORDS: usize = 256;

/// The library has values that all threads share: one call at a time (simulated ranks and tests are threads).
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What to divide a graph into.
pub(super) struct Problem<N> {
    pub parts: N,
    /// What the parts should weigh in proportion; none if all should weigh the same.
    pub shares: Option<Vec<N>>,
    pub seed: N,
}

type Pointer = *mut c_void;
type Init = unsafe extern "C" fn(Pointer) -> c_int;
type Exit = unsafe extern "C" fn(Pointer);
type Bind = unsafe extern "C" fn(Pointer, Pointer, Pointer) -> c_int;
type Part<N> = unsafe extern "C" fn(Pointer, N, Pointer, *mut N) -> c_int;
type Map<N> = unsafe extern "C" fn(Pointer, Pointer, Pointer, *mut N) -> c_int;
type GraphBuild<N> = unsafe extern "C" fn(
    Pointer,
    N,
    N,
    *const N,
    *const N,
    *const N,
    *const N,
    N,
    *const N,
    *const N,
) -> c_int;
type DgraphBuild<N> = unsafe extern "C" fn(
    Pointer,
    N,
    N,
    N,
    *mut N,
    *mut N,
    *mut N,
    *mut N,
    N,
    N,
    *mut N,
    *mut N,
    *mut N,
) -> c_int;

/// The functions that both ways of dividing use.
pub(super) struct Calls<'a, N> {
    library: &'a Library,
    integers: PhantomData<N>,
}

/// An object of the library.
struct Object {
    memory: Box<[u64; OBJECT_WORDS]>,
    exit: Option<Exit>,
}

impl Object {
    /// Memory for an object that needs no freeing.
    fn plain() -> Object {
        Object { memory: Box::new([0; OBJECT_WORDS]), exit: None }
    }

    fn at(&mut self) -> Pointer {
        self.memory.as_mut_ptr().cast()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let at = self.at();
        if let Some(exit) = self.exit {
            // SAFETY: the object was made by the function that belongs to this one.
            unsafe { exit(at) };
        }
    }
}

impl<'a, N: Index> Calls<'a, N> {
    /// The functions of a library whose integers are these.
    pub fn of(library: &'a Library) -> Result<Calls<'a, N>, String> {
        assert_eq!(library.index_bytes, size_of::<N>(), "the library's integers");
        Ok(Calls { library, integers: PhantomData })
    }

    /// The part of every vertex of a graph that this rank has whole.
    pub fn divide(
        &self,
        graph: &Graph<N>,
        weights: Option<&[N]>,
        problem: &Problem<N>,
    ) -> Result<Vec<u32>, String> {
        if graph.neighbours.is_empty() {
            return Err("its graph has no edges".into());
        }
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let vertices = graph.starts.len() - 1;
        let mut context = self.context(problem.seed)?;
        let mut whole = self.object("SCOTCH_graphInit", "SCOTCH_graphExit")?;
        // SAFETY: the function has this type.
        let build: GraphBuild<N> = unsafe { self.library.function("SCOTCH_graphBuild") }?;
        let (starts, neighbours) = (graph.starts.as_ptr(), graph.neighbours.as_ptr());
        let weights = weights.map_or(null(), <[N]>::as_ptr);
        let [vertex_count, arcs] = [vertices, graph.neighbours.len()].map(|count| N::of(count as u64));
        let at = whole.at();
        // SAFETY: the arrays have these lengths, and outlive the object.
        done("SCOTCH_graphBuild", unsafe {
            build(at, N::default(), vertex_count, starts, null(), weights, null(), arcs, neighbours, null())
        })?;
        let mut strategy = self.object("SCOTCH_stratInit", "SCOTCH_stratExit")?;
        // SAFETY: the function has this type, and the object was made for it.
        done("SCOTCH_stratGraphMapBuild", unsafe {
            let build: unsafe extern "C" fn(Pointer, N, N, f64) -> c_int =
                self.library.function("SCOTCH_stratGraphMapBuild")?;
            build(strategy.at(), N::default(), problem.parts, IMBALANCE)
        })?;
        let mut bound = self.bound("SCOTCH_contextBindGraph", &mut context, &mut whole)?;
        let names = ["SCOTCH_graphPart", "SCOTCH_graphMap"];
        self.parts(names, &mut bound, &mut strategy, problem, vertices)
    }

    /// The parts of this rank's vertices of a graph that is distributed over these ranks, more than one. Collective.
    pub fn divide_among(
        &self,
        ranks: Native,
        mut graph: Graph<N>,
        mut weights: Option<Vec<N>>,
        problem: &Problem<N>,
    ) -> Result<Vec<u32>, String> {
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let vertices = graph.starts.len() - 1;
        let mut context = self.context(problem.seed)?;
        let mut rows = self.distributed(ranks)?;
        // SAFETY: the function has this type.
        let build: DgraphBuild<N> = unsafe { self.library.function("SCOTCH_dgraphBuild") }?;
        let (starts, neighbours) = (graph.starts.as_mut_ptr(), graph.neighbours.as_mut_ptr());
        let weights = weights.as_mut().map_or(null_mut(), |weights| weights.as_mut_ptr());
        let [own, arcs] = [vertices, graph.neighbours.len()].map(|count| N::of(count as u64));
        let (at, zero, none) = (rows.at(), N::default(), null_mut());
        // SAFETY: the arrays have these lengths, and outlive the object.
        done("SCOTCH_dgraphBuild", unsafe {
            build(at, zero, own, own, starts, none, weights, none, arcs, arcs, neighbours, none, none)
        })?;
        let mut strategy = self.object("SCOTCH_stratInit", "SCOTCH_stratExit")?;
        // SAFETY: the function has this type, and the object was made for it.
        done("SCOTCH_stratDgraphMapBuild", unsafe {
            let build: unsafe extern "C" fn(Pointer, N, N, N, f64) -> c_int =
                self.library.function("SCOTCH_stratDgraphMapBuild")?;
            build(strategy.at(), zero, problem.parts, problem.parts, IMBALANCE)
        })?;
        let mut bound = self.bound("SCOTCH_contextBindDgraph", &mut context, &mut rows)?;
        let names = ["SCOTCH_dgraphPart", "SCOTCH_dgraphMap"];
        self.parts(names, &mut bound, &mut strategy, problem, vertices)
    }

    /// The parts that a graph is divided into, by the first of these functions if all are equal, and else by the second.
    fn parts(
        &self,
        [part, map]: [&str; 2],
        graph: &mut Object,
        strategy: &mut Object,
        problem: &Problem<N>,
        vertices: usize,
    ) -> Result<Vec<u32>, String> {
        let mut parts = vec![N::default(); vertices];
        match &problem.shares {
            None => {
                // SAFETY: the function has this type; there is a place for each vertex.
                done(part, unsafe {
                    let divide: Part<N> = self.library.function(part)?;
                    divide(graph.at(), problem.parts, strategy.at(), parts.as_mut_ptr())
                })?;
            }
            Some(shares) => {
                let mut targets = self.object("SCOTCH_archInit", "SCOTCH_archExit")?;
                // SAFETY: the functions have these types; there is a place for each vertex, and a share for each part.
                done("SCOTCH_archCmpltw", unsafe {
                    let weigh: unsafe extern "C" fn(Pointer, N, *const N) -> c_int =
                        self.library.function("SCOTCH_archCmpltw")?;
                    weigh(targets.at(), problem.parts, shares.as_ptr())
                })?;
                // SAFETY: as above.
                done(map, unsafe {
                    let divide: Map<N> = self.library.function(map)?;
                    divide(graph.at(), targets.at(), strategy.at(), parts.as_mut_ptr())
                })?;
            }
        }
        let number =
            |part: N| part.try_into().map_err(|_| format!("it gives {part:?} as the number of a part"));
        parts.into_iter().map(number).collect()
    }

    /// What makes it draw the same random numbers each time, in one thread, and wait for messages in a fixed order.
    fn context(&self, seed: N) -> Result<Object, String> {
        let mut context = self.object("SCOTCH_contextInit", "SCOTCH_contextExit")?;
        let at = context.at();
        // SAFETY: the functions have these types, and the object was made for them.
        unsafe {
            let set: unsafe extern "C" fn(Pointer, c_int, N) -> c_int =
                self.library.function("SCOTCH_contextOptionSetNum")?;
            for option in [DETERMINISTIC, RANDOM_FIXED_SEED] {
                done("SCOTCH_contextOptionSetNum", set(at, option, N::of(1)))?;
            }
            let clone: Init = self.library.function("SCOTCH_contextRandomClone")?;
            done("SCOTCH_contextRandomClone", clone(at))?;
            let sow: unsafe extern "C" fn(Pointer, N) = self.library.function("SCOTCH_contextRandomSeed")?;
            sow(at, seed);
            let spawn: unsafe extern "C" fn(Pointer, c_int, *const c_int) -> c_int =
                self.library.function("SCOTCH_contextThreadSpawn")?;
            done("SCOTCH_contextThreadSpawn", spawn(at, 1, null()))?;
        }
        Ok(context)
    }

    /// An object that these functions make and free.
    fn object(&self, init: &str, exit: &str) -> Result<Object, String> {
        let mut made = Object::plain();
        // SAFETY: the functions have these types; the memory is larger than any object.
        unsafe {
            let (make, free): (Init, Exit) = (self.library.function(init)?, self.library.function(exit)?);
            done(init, make(made.at()))?;
            made.exit = Some(free);
        }
        Ok(made)
    }

    /// A graph that is distributed over these ranks, as yet without vertices.
    fn distributed(&self, ranks: Native) -> Result<Object, String> {
        let mut made = Object::plain();
        let name = "SCOTCH_dgraphInit";
        // SAFETY: the functions have these types, as the program and the library have the same MPI; the memory is larger
        // than any object.
        unsafe {
            let free: Exit = self.library.function("SCOTCH_dgraphExit")?;
            let code = match ranks {
                Native::Pointer(ranks) => {
                    let make: unsafe extern "C" fn(Pointer, Pointer) -> c_int =
                        self.library.function(name)?;
                    make(made.at(), ranks)
                }
                Native::Integer(ranks) => {
                    let make: unsafe extern "C" fn(Pointer, c_int) -> c_int = self.library.function(name)?;
                    make(made.at(), ranks)
                }
            };
            done(name, code)?;
            made.exit = Some(free);
        }
        Ok(made)
    }

    /// A graph with a context; both must outlive it.
    fn bound(&self, bind: &str, context: &mut Object, graph: &mut Object) -> Result<Object, String> {
        let mut bound = Object::plain();
        // SAFETY: the function has this type, and the objects were made for it.
        unsafe {
            let call: Bind = self.library.function(bind)?;
            done(bind, call(context.at(), graph.at(), bound.at()))?;
        }
        Ok(bound)
    }
}

/// The error that a function returns.
fn done(name: &str, code: c_int) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{name} fails")) }
}
