//! cfd-solvers
