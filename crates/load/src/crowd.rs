//! The futures of a worker's users, polled in the order in which they were woken.
//!
//! `FuturesUnordered` yields to its runtime after two futures that wake themselves, and polling it
//! costs more than a short step. A worker has its thread to itself and need not yield.

use std::collections::VecDeque;
use std::future::Future;
use std::mem::swap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use crate::local_address::set_turn;
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// Futures that all complete eventually.
#[derive(Debug)]
pub struct Crowd<F> {
    slots: Vec<Slot<F>>,
    /// Slots without a future.
    free: Vec<u32>,
    /// Slots to poll next; those woken meanwhile come after all of them.
    batch: VecDeque<u32>,
    ready: Arc<Mutex<Ready>>,
}

#[derive(Debug)]
struct Slot<F> {
    future: Option<Pin<Box<F>>>,
    /// The user's number within the worker, or its line: it selects the local address.
    turn: usize,
    wake: Arc<SlotWake>,
    /// A waker of `wake`.
    waker: Waker,
}

/// The slots that were woken, and the task that polls the crowd.
#[derive(Debug, Default)]
struct Ready {
    slots: VecDeque<u32>,
    /// Woken with the next slot, if the task waits for one.
    waiting: Option<Waker>,
}

/// Wakes one slot, from any thread, even after its future has ended.
#[derive(Debug)]
struct SlotWake {
    slot: u32,
    /// Whether it was woken since its future was polled last, or its future has ended.
    is_woken: AtomicBool,
    ready: Arc<Mutex<Ready>>,
}

impl<F> Default for Crowd<F> {
    /// No futures.
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            batch: VecDeque::new(),
            ready: Arc::default(),
        }
    }
}

impl<F: Future<Output = ()>> Crowd<F> {
    /// How many have not ended.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether all have ended.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the future of a user with this turn, and wakes it.
    pub fn push(&mut self, turn: usize, future: F) {
        let index = self.free.pop().unwrap_or(self.slots.len() as u32);
        let wake = Arc::new(SlotWake {
            slot: index,
            is_woken: AtomicBool::new(false),
            ready: Arc::clone(&self.ready),
        });
        let waker = Waker::from(Arc::clone(&wake));
        let slot = Slot {
            future: Some(Box::pin(future)),
            turn,
            wake,
            waker,
        };
        slot.waker.wake_by_ref();
        match self.slots.get_mut(index as usize) {
            Some(empty) => *empty = slot,
            None => self.slots.push(slot),
        }
    }

    /// Polls the first `most` of those that were woken, each once.
    pub fn poll(&mut self, most: usize) {
        if self.batch.is_empty() {
            swap(&mut self.batch, &mut lock(&self.ready).slots);
        }
        for _ in 0..most {
            let Some(index) = self.batch.pop_front() else {
                return;
            };
            let slot = &mut self.slots[index as usize];
            let Some(future) = slot.future.as_mut() else {
                continue; // it was woken while it ended
            };
            if !slot.wake.is_woken.swap(false, Ordering::AcqRel) {
                continue; // that was the future before this one
            }
            let mut context = Context::from_waker(&slot.waker);
            set_turn(slot.turn);
            if future.as_mut().poll(&mut context).is_ready() {
                slot.future = None;
                slot.wake.is_woken.store(true, Ordering::Release); // later wakes do nothing
                self.free.push(index);
            }
        }
    }

    /// Whether no future was woken. If so, the next wake also wakes `context`.
    #[must_use]
    pub fn is_quiet(&self, context: &Context<'_>) -> bool {
        if !self.batch.is_empty() {
            return false;
        }
        let mut ready = lock(&self.ready);
        let is_quiet = ready.slots.is_empty();
        ready.waiting = is_quiet.then(|| context.waker().clone());
        is_quiet
    }
}

impl Wake for SlotWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_woken.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut ready = lock(&self.ready);
        ready.slots.push_back(self.slot);
        let waiting = ready.waiting.take();
        drop(ready); // the woken task may lock it at once
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

/// Ignores poisoning: no panic can leave a list of numbers inconsistent.
fn lock(ready: &Mutex<Ready>) -> MutexGuard<'_, Ready> {
    ready.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::task::Poll;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    /// What a future does when it is polled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Does {
        Wait,
        WakeItself,
        End,
    }

    /// A future as its test sees it.
    #[derive(Debug)]
    struct Known {
        does: Rc<Cell<Does>>,
        waker: Rc<RefCell<Option<Waker>>>,
        has_ended: bool,
    }

    /// A future that notes its name whenever it is polled.
    fn noting_future(
        name: usize,
        polled: &Rc<RefCell<Vec<usize>>>,
    ) -> (Known, impl Future<Output = ()> + use<>) {
        let does = Rc::new(Cell::new(Does::Wait));
        let waker = Rc::new(RefCell::new(None));
        let known = Known {
            does: Rc::clone(&does),
            waker: Rc::clone(&waker),
            has_ended: false,
        };
        let polled = Rc::clone(polled);
        let future = poll_fn(move |context| {
            polled.borrow_mut().push(name);
            *waker.borrow_mut() = Some(context.waker().clone());
            match does.get() {
                Does::Wait => Poll::Pending,
                Does::WakeItself => {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                Does::End => Poll::Ready(()),
            }
        });
        (known, future)
    }

    proptest! {
        #[test]
        fn woken_futures_are_polled_once_in_the_order_of_the_wakes(
            acts in prop::collection::vec((0usize..6, 0u8..7), 1..200),
            most in 1usize..5,
        ) {
            let polled = Rc::new(RefCell::new(Vec::new()));
            let mut crowd = Crowd::default();
            let mut known: Vec<Known> = Vec::new();
            let (mut batch, mut ready) = (VecDeque::new(), VecDeque::new());
            for (who, act) in acts {
                let name = who % known.len().max(1);
                match act {
                    0 | 1 => {
                        let (one, future) = noting_future(known.len(), &polled);
                        crowd.push(known.len(), future);
                        ready.push_back(known.len());
                        known.push(one);
                    }
                    2..=4 if !known.is_empty() => {
                        let does = [Does::Wait, Does::WakeItself, Does::End][usize::from(act) - 2];
                        let one = &known[name];
                        one.does.set(does);
                        if let Some(waker) = one.waker.borrow().as_ref() {
                            waker.wake_by_ref();
                            let is_woken = batch.contains(&name) || ready.contains(&name);
                            if !is_woken && !one.has_ended {
                                ready.push_back(name);
                            }
                        }
                    }
                    _ => {
                        if batch.is_empty() {
                            swap(&mut batch, &mut ready);
                        }
                        let expected: Vec<usize> = batch.drain(..batch.len().min(most)).collect();
                        for name in &expected {
                            match known[*name].does.get() {
                                Does::Wait => {}
                                Does::WakeItself => ready.push_back(*name),
                                Does::End => known[*name].has_ended = true,
                            }
                        }
                        let before = polled.borrow().len();
                        crowd.poll(most);
                        prop_assert_eq!(&polled.borrow()[before..], &expected[..]);
                    }
                }
                let present = known.iter().filter(|one| !one.has_ended).count();
                prop_assert_eq!((crowd.len(), crowd.is_empty()), (present, present == 0));
            }
        }
    }

    /// Notes that it was woken.
    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Release);
        }
    }

    #[test]
    fn a_wake_from_another_thread_wakes_the_task_that_polls() {
        let woken = Arc::new(Woken::default());
        let root = Waker::from(Arc::clone(&woken));
        let context = Context::from_waker(&root);
        let polled = Rc::default();
        let (known, future) = noting_future(0, &polled);
        let mut crowd = Crowd::default();
        assert!(crowd.is_quiet(&context));
        crowd.push(0, future);
        assert!(woken.0.swap(false, Ordering::AcqRel) && !crowd.is_quiet(&context));
        crowd.poll(1);
        assert!(crowd.is_quiet(&context));
        let waker = known.waker.borrow().clone().unwrap();
        thread::spawn(move || waker.wake()).join().unwrap();
        assert!(woken.0.load(Ordering::Acquire) && !crowd.is_quiet(&context));
        crowd.poll(1);
        assert_eq!(*polled.borrow(), [0, 0]);
    }
}
