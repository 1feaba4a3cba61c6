//! The futures of a worker's users: each is polled when it was called, in the order of the calls.
//!
//! A set of futures for any use would look after fairness in a runtime of others, and do more for each
//! poll than a short step takes. A worker has its thread for itself.

use std::collections::VecDeque;
use std::future::Future;
use std::mem::swap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use crate::sync::{Mutex, MutexGuard, PoisonError};

/// Futures of which each ends some day.
#[derive(Debug)]
pub struct Crowd<F> {
    seats: Vec<Seat<F>>,
    /// Seats where nobody is.
    free: Vec<u32>,
    /// The seats of those who were called first; whoever is called meanwhile comes after all of them.
    turn: VecDeque<u32>,
    calls: Arc<Mutex<Calls>>,
}

#[derive(Debug)]
struct Seat<F> {
    future: Option<Pin<Box<F>>>,
    bell: Arc<Bell>,
    /// Rings the bell.
    waker: Waker,
}

/// Who was called, and who calls the crowd then.
#[derive(Debug, Default)]
struct Calls {
    seats: VecDeque<u32>,
    /// Who is to be woken by the next call, if the crowd waits for one.
    waiting: Option<Waker>,
}

/// Calls one future. It may ring in any thread, and after the future has ended.
#[derive(Debug)]
struct Bell {
    seat: u32,
    /// Whether it was rung since the future was polled last, or the future has ended.
    was_rung: AtomicBool,
    calls: Arc<Mutex<Calls>>,
}

impl<F> Default for Crowd<F> {
    /// Nobody yet.
    fn default() -> Self {
        Self {
            seats: Vec::new(),
            free: Vec::new(),
            turn: VecDeque::new(),
            calls: Arc::default(),
        }
    }
}

impl<F: Future<Output = ()>> Crowd<F> {
    /// How many have not ended.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.seats.len() - self.free.len()
    }

    /// Whether all have ended.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more, who is called at once.
    pub fn push(&mut self, future: F) {
        let index = self.free.pop().unwrap_or(self.seats.len() as u32);
        let bell = Arc::new(Bell {
            seat: index,
            was_rung: AtomicBool::new(false),
            calls: Arc::clone(&self.calls),
        });
        let waker = Waker::from(Arc::clone(&bell));
        let seat = Seat {
            future: Some(Box::pin(future)),
            bell,
            waker,
        };
        seat.waker.wake_by_ref();
        match self.seats.get_mut(index as usize) {
            Some(empty) => *empty = seat,
            None => self.seats.push(seat),
        }
    }

    /// Polls those who were called, the first `most` of them, each once.
    pub fn poll(&mut self, most: usize) {
        if self.turn.is_empty() {
            swap(&mut self.turn, &mut lock(&self.calls).seats);
        }
        for _ in 0..most {
            let Some(index) = self.turn.pop_front() else {
                return;
            };
            let seat = &mut self.seats[index as usize];
            let Some(future) = seat.future.as_mut() else {
                continue; // it was called while it ended
            };
            if !seat.bell.was_rung.swap(false, Ordering::AcqRel) {
                continue; // that was whoever had the seat before
            }
            let mut context = Context::from_waker(&seat.waker);
            if future.as_mut().poll(&mut context).is_ready() {
                seat.future = None;
                seat.bell.was_rung.store(true, Ordering::Release); // nobody hears it any more
                self.free.push(index);
            }
        }
    }

    /// Whether nobody was called. If so, the next call wakes `context`.
    #[must_use]
    pub fn is_quiet(&self, context: &Context<'_>) -> bool {
        if !self.turn.is_empty() {
            return false;
        }
        let mut calls = lock(&self.calls);
        let is_quiet = calls.seats.is_empty();
        calls.waiting = is_quiet.then(|| context.waker().clone());
        is_quiet
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.was_rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut calls = lock(&self.calls);
        calls.seats.push_back(self.seat);
        let waiting = calls.waiting.take();
        drop(calls); // whom it wakes may look at once
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

/// No panic can leave a list of numbers in a state that is wrong.
fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
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
        CallItself,
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
    fn noted(
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
                Does::CallItself => {
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
        fn each_who_was_called_is_polled_once_and_in_the_order_of_the_calls(
            acts in prop::collection::vec((0usize..6, 0u8..7), 1..200),
            most in 1usize..5,
        ) {
            let polled = Rc::new(RefCell::new(Vec::new()));
            let mut crowd = Crowd::default();
            let mut known: Vec<Known> = Vec::new();
            let (mut turn, mut calls) = (VecDeque::new(), VecDeque::new());
            for (who, act) in acts {
                let name = who % known.len().max(1);
                match act {
                    0 | 1 => {
                        let (one, future) = noted(known.len(), &polled);
                        crowd.push(future);
                        calls.push_back(known.len());
                        known.push(one);
                    }
                    2..=4 if !known.is_empty() => {
                        let does = [Does::Wait, Does::CallItself, Does::End][usize::from(act) - 2];
                        let one = &known[name];
                        one.does.set(does);
                        if let Some(waker) = one.waker.borrow().as_ref() {
                            waker.wake_by_ref();
                            let is_called = turn.contains(&name) || calls.contains(&name);
                            if !is_called && !one.has_ended {
                                calls.push_back(name);
                            }
                        }
                    }
                    _ => {
                        if turn.is_empty() {
                            swap(&mut turn, &mut calls);
                        }
                        let expected: Vec<usize> = turn.drain(..turn.len().min(most)).collect();
                        for name in &expected {
                            match known[*name].does.get() {
                                Does::Wait => {}
                                Does::CallItself => calls.push_back(*name),
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
    fn a_call_of_another_thread_wakes_whoever_waits_for_the_crowd() {
        let woken = Arc::new(Woken::default());
        let root = Waker::from(Arc::clone(&woken));
        let context = Context::from_waker(&root);
        let polled = Rc::default();
        let (known, future) = noted(0, &polled);
        let mut crowd = Crowd::default();
        assert!(crowd.is_quiet(&context));
        crowd.push(future);
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
