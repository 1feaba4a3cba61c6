//! Plays a plan on virtual time: an hour of a thousand users takes a moment.
//!
//! Only for protocols that wait for nothing but the engine's own timers (`crates/null`): tests of
//! the engine, and checks of what a workload would do without a server.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use tokio::sync::mpsc::unbounded_channel;

use crate::clock::VirtualClock;
use crate::compiled::Compiled;
use crate::intervals::{Intervals, Total};
use crate::plan::Plan;
use crate::plan_error::PlanError;
use crate::protocol::Protocol;
use crate::report::Report;
use crate::share::Share;
use crate::snapshot::Snapshot;
use crate::worker::{Order, work};

/// Plays `plan` with the orders in `script` (which must end with a stop) and returns the snapshot
/// of every tick, the last one included. Each costs memory: report every minute, not every second.
pub fn rehearse<P: Protocol>(
    plan: Plan,
    protocol: P,
    script: &[Order],
) -> Result<Vec<Snapshot>, PlanError> {
    let plan = Arc::new(plan.compile_for(&protocol)?);
    let protocol = Arc::new(protocol);
    let workers = usize::from(plan.plan.workers);
    // Workers share nothing, so playing them one after the other changes nothing.
    let lives: Vec<Vec<Report>> = (0..workers)
        .map(|worker| {
            let share = Share::new(worker, workers, plan.plan.part.as_ref());
            rehearse_worker(share, &protocol, &plan, script)
        })
        .collect();
    let longest = lives.iter().map(Vec::len).max().unwrap_or(0);
    let mut lives: Vec<_> = lives.into_iter().map(Vec::into_iter).collect();
    let mut intervals = Intervals::new(plan.scenarios.len(), plan.step_names.len());
    let mut total = Total::default();
    Ok((0..longest)
        .filter_map(|_| {
            let reports: Vec<_> = lives.iter_mut().filter_map(Iterator::next).collect();
            let interval = intervals.next(reports, |_, _| ())?;
            Some(total.add(interval, &intervals))
        })
        .collect())
}

fn rehearse_worker<P: Protocol>(
    share: Share,
    protocol: &Arc<P>,
    plan: &Arc<Compiled<P::Step>>,
    script: &[Order],
) -> Vec<Report> {
    let (sender, receiver) = unbounded_channel();
    for order in script {
        let _ = sender.send(*order); // the receiver lives in this function
    }
    let reports = RefCell::new(Vec::new());
    let publish = |report| {
        reports.borrow_mut().push(report);
        None
    };
    let clock = Rc::new(VirtualClock::default());
    let work = work(
        share,
        Arc::clone(protocol),
        Arc::clone(plan),
        clock,
        receiver,
        publish,
    );
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    while work.as_mut().poll(&mut context).is_pending() {}
    drop(sender);
    reports.take()
}
