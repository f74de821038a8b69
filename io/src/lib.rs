//! cfd-io
