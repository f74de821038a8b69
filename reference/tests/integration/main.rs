//! The plain programs against what is published and what can be worked out by hand.

// LULESH against the public code.
mod lulesh;
// What can be worked out by hand, and refusals.
mod plain;
// The published residuals of Airfoil and Aero.
mod published;
