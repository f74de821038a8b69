//! The plain programs against published values and hand calculations.

// LULESH against the public code.
mod lulesh;
// Hand calculations, and refusals.
mod plain;
// The published residuals of Airfoil and Aero.
mod published;
