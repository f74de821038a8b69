//! The driver: begin exchange → core → end exchange → rest, for a loop or a chain of loops, on whatever runs it.

use super::backend::BackendError;
use super::state::State;
use crate::base::timer::Stopwatch;
use crate::cpu::record::Recorded;
use crate::store::halo::ExchangedField;

/// A loop, or several run together, on what runs them.
pub trait Unit {
    /// An exchange under way.
    type Exchange;

    /// Where the exchange's time is counted.
    fn timer(&self) -> usize;

    /// How often elements are run with fresh halo copies in between: the same number on every rank.
    fn phases(&self, _state: &State) -> usize {
        1
    }

    /// The dats whose halo copies are read and are stale; they are fresh from then on.
    fn stale(&mut self, state: &mut State) -> Vec<ExchangedField>;

    /// Begins to fetch the halo copies of these dats.
    ///
    /// # Errors
    /// A device fails; nothing has been sent.
    fn begin_exchange(
        &mut self,
        state: &mut State,
        stale: &[ExchangedField],
    ) -> Result<Self::Exchange, BackendError>;

    /// Runs what needs no halo copies while they are in transit. Without an exchange, it may leave that to `rest`.
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
    /// A device fails; whether the messages have been exchanged.
    fn end_exchange(&mut self, state: &mut State, exchange: Self::Exchange) -> Result<(), Unfinished>;

    /// Runs what may need halo copies, then notes which ones are now stale.
    ///
    /// # Errors
    /// A device fails.
    fn rest(&mut self, state: &mut State, phase: usize) -> Result<(), BackendError>;
}

/// An exchange that failed.
#[derive(Debug)]
pub struct Unfinished {
    /// Why.
    pub error: BackendError,
    /// Whether its messages have been sent and received.
    pub exchanged: bool,
}

/// Runs a unit. Without overlap, an exchange ends before the core. If it fails, other ranks have received their
/// messages.
///
/// # Errors
/// A device fails.
pub fn run<U: Unit>(unit: &mut U, state: &mut State) -> Result<(), BackendError> {
    for phase in 0..unit.phases(state) {
        let whole_before = state.exchanges.whole_bytes;
        let stale = unit.stale(state);
        state.timers[unit.timer()].whole_halo_bytes += state.exchanges.whole_bytes - whole_before;
        if stale.is_empty() {
            unit.core(state, phase, None)?;
            unit.rest(state, phase)?;
            continue;
        }
        let watch = Stopwatch::start();
        let sent = state.exchanges.bytes;
        let mut exchange = match unit.begin_exchange(state, &stale) {
            Ok(exchange) => exchange,
            Err(error) => {
                state.exchange(stale);
                return Err(error);
            }
        };
        if !state.options.overlap {
            end_exchange(unit, state, exchange, stale, watch, sent)?;
            unit.core(state, phase, None)?;
            unit.rest(state, phase)?;
            continue;
        }
        watch.add_to(&mut state.timers[unit.timer()].halo_wait);
        let core = unit.core(state, phase, Some(&mut exchange));
        end_exchange(unit, state, exchange, stale, Stopwatch::start(), sent)?;
        core?;
        unit.rest(state, phase)?;
    }
    Ok(())
}

fn end_exchange<U: Unit>(
    unit: &mut U,
    state: &mut State,
    exchange: U::Exchange,
    stale: Vec<ExchangedField>,
    watch: Stopwatch,
    sent_before: u64,
) -> Result<(), BackendError> {
    let ended = unit.end_exchange(state, exchange);
    let timer = &mut state.timers[unit.timer()];
    watch.add_to(&mut timer.halo_wait);
    timer.halo_bytes += state.exchanges.bytes - sent_before;
    ended.map_err(|Unfinished { error, exchanged }| {
        if !exchanged {
            state.exchange(stale);
        }
        error
    })
}

/// What a rank whose device has failed still does for a loop: it sends other ranks their messages, whose contents no
/// longer matter.
pub fn send_only(state: &mut State, record: &dyn Recorded) {
    state.begin_globals(record.info());
    let plan = state.plan_of(record.info());
    for _ in 0..state.plans[plan].schedule.phases.len() {
        let stale = state.take_stale(plan);
        state.exchange(stale);
        state.plans[plan].modified.clone().into_iter().for_each(|dat| state.note_stale(dat));
    }
}
