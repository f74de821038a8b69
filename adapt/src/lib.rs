//! Anisotropic mesh adaptation: one adapted mesh, bit for bit, on any number of ranks and threads.
//!
//! A mesh of simplices of dimension `D` is distributed by vertices: a rank holds every element that touches one of its
//! own vertices. Operations come in passes of one kind, and a pass consists of
//!
//! ```text
//! evaluate   each owned vertex proposes at most one operation; reads the elements around it, changes nothing
//! select     among proposals that conflict, the one with the higher priority; a fixed number of rounds
//! apply      the owners carry out what was selected, and send other ranks the elements that changed
//! ```
//!
//! All decisions are functions of the elements around a vertex, of identities, and of priorities, which are hashes of
//! identities; local numbers, ranks, threads and the order of messages decide nothing.
//!
//! | module | contents | may use |
//! | --- | --- | --- |
//! | [`tensor`] | symmetric tensors: eigenvalues, exponential, logarithm, intersection | - |
//! | [`metric`] | metrics from fields, formulas and files; limits, gradation, complexity | `tensor`, `mesh` |
//! | [`mesh`] | the distributed mesh, its changes and its messages | `tensor` |
//! | [`outline`] | what bounds a plane mesh: corners, splines and known curves between them | `mesh`, `geometry` |
//! | [`operation`] | coarsen, refine, swap, smooth; selection | `mesh` |
//! | [`transfer`] | fields that are carried along with the mesh | `mesh` |
//! | [`remesh`] | a round of adaptation, from a domain to the domain of the new mesh | all of these |
//! | [`coloring`], [`sharing`] | colorings of graphs and ways to share loops among threads, as a study | - |
pub mod coloring;
pub mod geometry;
pub mod mesh;
pub mod metric;
pub mod operation;
pub mod outline;
pub mod remesh;
pub mod sharing;
pub mod tensor;
mod threads;
pub mod transfer;
