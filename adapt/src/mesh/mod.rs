//! (text to come)
