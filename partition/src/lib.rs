//! cfd-partition
