//! Which halo copies are as new as their owners' values, and which of them a loop must fetch.
//!
//! ```text
//!             mark_stale             loop reaches part A          loop reaches more than A
//! all fresh ────────────► none fresh ───────────────────► A fresh ────────────────────────► both fresh
//! ```
//!
//! A loop that reads copies fetches the rows that it reaches. Where a later loop then reaches others before the values
//! change, it fetches its own, and from then on the first loop fetches both parts at once: there are never more exchanges
//! than with whole halos, but for one each time a loop learns.
//!
//! All of this is the same on all ranks: it follows from the sequence of loops alone.

use super::state::State;
use crate::schedule::plan::Plan;
use crate::store::halo::{Copies, ExchangedField};
use crate::store::tables::{Fetched, Fresh};

impl State {
    /// The dats of which the loop reads stale halo copies, with those to fetch; they count as fresh from then on.
    pub fn take_stale(&mut self, plan: usize) -> Vec<ExchangedField> {
        self.count_whole(plan);
        let mut stale = Vec::new();
        for at in 0..self.plans[plan].halo_reads.len() {
            let read = self.plans[plan].halo_reads[at];
            let Fresh::Partial(fetched) = &self.dats[read.dat].fresh else { continue };
            let parts = &self.partial_halos;
            if fetched.iter().any(|f| read.reached.is_some_and(|part| parts.contains(f.halo, part))) {
                continue;
            }
            if let Some(&first) = fetched.first() {
                self.fetch_more(first, read.reached);
            }
            let info = &mut self.dats[read.dat];
            stale.push(info.exchanged(read.dat, read.fetched.map_or(Copies::Halo, Copies::Partial)));
            match (read.fetched, &mut info.fresh) {
                (Some(halo), Fresh::Partial(fetched)) => {
                    fetched.push(Fetched { halo, plan, dat: read.dat });
                }
                (_, fresh) => *fresh = Fresh::All,
            }
        }
        stale
    }

    /// Counts what the loop would send now if loops exchanged whole halos, of what they do not reach, too.
    fn count_whole(&mut self, plan: usize) {
        let Plan { halo_reads, unreached, .. } = &self.plans[plan];
        for dat in halo_reads.iter().map(|read| read.dat).chain(unreached.iter().copied()) {
            if std::mem::take(&mut self.dats[dat].whole_stale) {
                let field = self.dats[dat].exchanged(dat, Copies::Halo);
                self.exchanges.whole_bytes += self.halo_lists().whole_bytes(&field);
            }
        }
    }

    /// Adds to the halo copies that a loop has fetched those that a later one reaches, from the next time on. Collective.
    fn fetch_more(&mut self, first: Fetched, more: Option<usize>) {
        let mut reads = self.plans[first.plan].halo_reads.iter_mut();
        let read = reads.find(|read| read.dat == first.dat).expect("the loop has fetched copies of the dat");
        read.fetched = read
            .fetched
            .zip(more)
            .and_then(|(one, other)| self.partial_halos.union(one, other, &self.sets, &self.comm).partial());
    }

    /// The dats among these whose copies, those beyond the halo included, are stale; they count as fresh from then on.
    pub fn take_deep_stale(&mut self, dats: &[usize]) -> Vec<ExchangedField> {
        let alone = self.comm.size() == 1;
        let stale = dats.iter().filter_map(|&dat| {
            let info = &mut self.dats[dat];
            info.whole_stale = false;
            let stale = info.fresh.take_stale() | std::mem::take(&mut info.deep_stale);
            (stale && !alone).then(|| info.exchanged(dat, Copies::Deep))
        });
        let stale: Vec<ExchangedField> = stale.collect();
        self.exchanges.whole_bytes +=
            stale.iter().map(|field| self.halo_lists().whole_bytes(field)).sum::<u64>();
        stale
    }

    /// Notes that a dat's halo copies are older than their owners' values; debug builds make any use of them show.
    pub fn note_stale(&mut self, dat: usize) {
        if self.mark_stale(dat) && cfg!(debug_assertions) {
            let info = &self.dats[dat];
            let owned = self.sets[info.set].owned * info.dim;
            self.local.storages[dat].poison_from(owned);
        }
    }

    /// Notes that a dat's halo copies are older than their owners' values; whether there are any.
    pub fn mark_stale(&mut self, dat: usize) -> bool {
        let has_copies = self.comm.size() > 1;
        let info = &mut self.dats[dat];
        if has_copies {
            info.fresh = Fresh::STALE;
            info.whole_stale = true;
            info.deep_stale = true;
        }
        has_copies
    }

    /// Notes that the sets `grown` have new rows beyond the halo, of which no dat has values yet.
    pub fn mark_deep_stale(&mut self, grown: &[bool]) {
        self.dats.iter_mut().filter(|dat| grown[dat.set]).for_each(|dat| dat.deep_stale = true);
    }
}
