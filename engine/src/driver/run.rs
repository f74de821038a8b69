//! The driver: begin exchange → core → end exchange → rest, of a loop or a chain of loops, on whatever runs it.

use super::backend::BackendError;
use super::state::State;
use crate::base::timer::Stopwatch;

/// A loop, or loops that are run together, on what runs them.
pub trait Unit {
    /// An exchange under way.
    type Exchange;

    /// Where the exchange's time is counted.
    fn timer(&self) -> usize;

    /// How often elements are run with fresh halo copies in between: the same number on every rank.
    fn phases(&self, _state: &State) -> usize {
        1
    }

    /// Begins to fetch the halo copies that are read and are stale; from then on they are not.
    ///
    /// # Errors
    /// A device fails.
    fn begin_exchange(&mut self, state: &mut State) -> Result<Option<Self::Exchange>, BackendError>;

    /// Runs what needs no halo copy while they are on their way. Without an exchange it may leave that to `rest`.
    ///
    /// # Errors
    /// A device fails.
    fn core(
        &mut self,
        state: &mut State,
        phase: usize,
        exchange: Option<&mut Self::Exchange>,
    ) -> Result<(), BackendError>;

    /// Waits for the halo copies and stores them.
    ///
    /// # Errors
    /// A device fails.
    fn end_exchange(&mut self, state: &mut State, exchange: Self::Exchange) -> Result<(), BackendError>;

    /// Runs what may need halo copies, then notes whose are old now.
    ///
    /// # Errors
    /// A device fails.
    fn rest(&mut self, state: &mut State, phase: usize) -> Result<(), BackendError>;
}

/// Runs a unit. With overlap switched off an exchange ends before the core.
///
/// # Errors
/// A device fails.
pub fn run<U: Unit>(unit: &mut U, state: &mut State) -> Result<(), BackendError> {
    for phase in 0..unit.phases(state) {
        let watch = Stopwatch::start();
        let mut exchange = unit.begin_exchange(state)?;
        if exchange.is_some() {
            if let Some(exchange) = exchange.take_if(|_| !state.options.overlap) {
                unit.end_exchange(state, exchange)?;
            }
            watch.add_to(&mut state.timers[unit.timer()].halo_wait);
        }
        unit.core(state, phase, exchange.as_mut())?;
        if let Some(exchange) = exchange {
            let watch = Stopwatch::start();
            unit.end_exchange(state, exchange)?;
            watch.add_to(&mut state.timers[unit.timer()].halo_wait);
        }
        unit.rest(state, phase)?;
    }
    Ok(())
}
