//! The backend that is always there.

use super::backend::{Backend, BackendError};
use super::copies::run_each;
use super::loops::run_loop;
use super::state::State;
use crate::cpu::record::Recorded;
use crate::model::loop_info::LoopInfo;

/// The processor, which runs one loop after the other.
pub struct Processor;

impl Backend for Processor {
    fn run(
        &mut self,
        state: &mut State,
        records: &[Box<dyn Recorded>],
        count: usize,
        last: bool,
    ) -> Result<(), BackendError> {
        run_each(self, state, &records[..count])?;
        let infos: Vec<&LoopInfo> = records[..count].iter().map(|record| record.info()).collect();
        state.end_transients(&infos, last);
        Ok(())
    }

    fn run_loop(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError> {
        run_loop(state, record);
        Ok(())
    }

    fn renew(&self) -> Result<Option<Box<dyn Backend>>, BackendError> {
        Ok(Some(Box::new(Processor)))
    }
}
