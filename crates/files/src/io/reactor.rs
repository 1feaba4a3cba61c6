//! The ring of a worker, and the task that drives it.
//!
//! Users put their requests into the ring and wait. A task of the worker's runtime submits all of
//! them to the kernel once the runnable users have run, and waits for the ring's eventfd;
//! completions wake the users who wait for them.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use headcount_load::{Fault, FaultKind};
use headcount_ring::{Buffer, Completion, Refused, Ring, Target};
use headcount_tree::session::backend::Way;
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::errno_of;

/// The most concurrent requests of a worker; further ones wait.
const DEPTH: u32 = 4096;

thread_local! {
    /// The reactor of this thread's runtime; None outside a runtime.
    static HERE: RefCell<Option<Rc<Reactor>>> = const { RefCell::new(None) };
}

/// Reads or writes; returns the buffer.
pub async fn transfer(
    way: Way,
    file: &Target,
    offset: u64,
    buffer: Buffer,
    length: usize,
) -> Result<(Result<usize, Errno>, Buffer), Fault> {
    let done = Reactor::here()?
        .ask(|ring, tag| match way {
            Way::Read => ring.read_at(file, offset, buffer, length, tag),
            Way::Write => ring.write_at(file, offset, buffer, length, tag),
        })
        .await?;
    let buffer = done
        .buffer
        .ok_or_else(|| refused(&"the ring lost a buffer"))?;
    Ok((done.result.map_err(|error| errno_of(&error)), buffer))
}

/// Flushes written data of the file to disk.
pub async fn sync(file: &Target) -> Result<Result<(), Errno>, Fault> {
    let done = Reactor::here()?
        .ask(|ring, tag| ring.sync(file, false, tag))
        .await?;
    Ok(done.result.map(drop).map_err(|error| errno_of(&error)))
}

struct Reactor {
    state: RefCell<State>,
    /// A permit for each place in the ring.
    room: Semaphore,
}

struct State {
    ring: Ring,
    /// Whether requests wait to be submitted.
    has_asked: bool,
    /// Wakes the task that drives the ring.
    driver: Option<Waker>,
    /// The waiting users, by the tag of the request.
    waiting: Vec<Waiting>,
    free: Vec<usize>,
}

/// The state of a tag.
enum Waiting {
    /// Not in use.
    Free,
    /// A user waits; the waker is known once the user was polled.
    Since(Option<Waker>),
    /// The request is complete.
    Done(Completion),
    /// The user no longer waits.
    Left,
}

impl Reactor {
    /// The reactor of this thread, created if there is none.
    fn here() -> Result<Rc<Self>, Fault> {
        if let Some(reactor) = HERE.with_borrow(Clone::clone) {
            return Ok(reactor);
        }
        let (reactor, event) = Self::new().map_err(|error| refused(&error))?;
        let reactor = Rc::new(reactor);
        HERE.set(Some(Rc::clone(&reactor)));
        let end = End;
        // The task belongs to this thread's runtime, so it finds this thread's ring.
        tokio::spawn(async move {
            let _end = end;
            poll_fn(|context| drive(&event, context)).await;
        });
        Ok(reactor)
    }

    fn new() -> io::Result<(Self, AsyncFd<OwnedFd>)> {
        let mut ring = Ring::new(DEPTH)?;
        let event = ring.event()?.try_clone_to_owned()?;
        // Deprecated because a type could close its handle behind the runtime's back; an OwnedFd
        // that the task alone has cannot, and the replacement needs unsafe code.
        #[expect(deprecated, reason = "sound for an OwnedFd that is never handed out")]
        let event = AsyncFd::new(event)?;
        let state = State {
            ring,
            has_asked: false,
            driver: None,
            waiting: Vec::new(),
            free: Vec::new(),
        };
        let reactor = Self {
            state: RefCell::new(state),
            room: Semaphore::new(DEPTH as usize),
        };
        Ok((reactor, event))
    }

    /// Makes a request on the ring, and waits for its completion.
    async fn ask(
        self: Rc<Self>,
        push: impl FnOnce(&mut Ring, u64) -> Result<(), Refused>,
    ) -> Result<Completion, Fault> {
        let turn = self.room.acquire().await.map_err(|error| refused(&error))?;
        let asked = self.push(turn, push).map_err(|error| refused(&error))?;
        poll_fn(|context| asked.poll(context)).await
    }

    fn push<'a>(
        &'a self,
        turn: SemaphorePermit<'a>,
        push: impl FnOnce(&mut Ring, u64) -> Result<(), Refused>,
    ) -> Result<Asked<'a>, Refused> {
        let mut state = self.state.borrow_mut();
        let tag = state.free.pop().unwrap_or_else(|| {
            state.waiting.push(Waiting::Free);
            state.waiting.len() - 1
        });
        if let Err(refused) = push(&mut state.ring, tag as u64) {
            state.free.push(tag);
            return Err(refused);
        }
        state.waiting[tag] = Waiting::Since(None);
        state.has_asked = true;
        if let Some(driver) = &state.driver {
            driver.wake_by_ref();
        }
        Ok(Asked {
            reactor: self,
            tag,
            turn: Some(turn),
        })
    }

    /// Submits requests to the kernel, and wakes users whose requests are complete.
    fn turn(&self) {
        let mut state = self.state.borrow_mut();
        if std::mem::take(&mut state.has_asked) && state.ring.submit().is_err() {
            // The kernel is short of memory: completions make room.
            state.has_asked = true;
            if let Some(driver) = &state.driver {
                driver.wake_by_ref();
            }
        }
        while let Some(done) = state.ring.poll() {
            let tag = done.tag as usize;
            let waiting = std::mem::replace(&mut state.waiting[tag], Waiting::Free);
            if let Waiting::Since(waker) = waiting {
                state.waiting[tag] = Waiting::Done(done);
                if let Some(waker) = waker {
                    waker.wake();
                }
            } else {
                // Nobody waits: the buffer is freed, and maybe the file closed.
                state.free.push(tag);
                self.room.add_permits(1);
            }
        }
    }
}

/// Polls the task that drives this thread's ring.
fn drive(event: &AsyncFd<OwnedFd>, context: &mut Context<'_>) -> Poll<()> {
    let Some(reactor) = HERE.with_borrow(Clone::clone) else {
        return Poll::Ready(());
    };
    reactor.state.borrow_mut().driver = Some(context.waker().clone());
    loop {
        reactor.turn();
        match event.poll_read_ready(context) {
            Poll::Ready(Ok(mut ready)) => {
                let _ = rustix::io::read(event.get_ref(), &mut [0; 8]); // only resets it
                ready.clear_ready();
            }
            // The runtime is ending.
            Poll::Ready(Err(_)) => return Poll::Ready(()),
            Poll::Pending => return Poll::Pending,
        }
    }
}

/// Drops the thread's ring together with the runtime whose task drove it.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        drop(HERE.take());
    }
}

/// A request under way, held by the user who waits for it.
struct Asked<'a> {
    reactor: &'a Reactor,
    tag: usize,
    /// The place in the ring; `None` once the request has kept it for itself.
    turn: Option<SemaphorePermit<'a>>,
}

impl Asked<'_> {
    fn poll(&self, context: &Context<'_>) -> Poll<Result<Completion, Fault>> {
        let mut state = self.reactor.state.borrow_mut();
        let waiting = &mut state.waiting[self.tag];
        if let Waiting::Done(done) = std::mem::replace(waiting, Waiting::Free) {
            return Poll::Ready(Ok(done));
        }
        *waiting = Waiting::Since(Some(context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut state = self.reactor.state.borrow_mut();
        let waiting = &mut state.waiting[self.tag];
        if matches!(waiting, Waiting::Since(_)) {
            *waiting = Waiting::Left;
            // It is in the ring until the kernel is done with it.
            if let Some(turn) = self.turn.take() {
                turn.forget();
            }
        } else {
            *waiting = Waiting::Free;
            state.free.push(self.tag);
        }
    }
}

fn refused(why: &dyn fmt::Display) -> Fault {
    let sentence = format!("io_uring failed: {why}; --client engine=threads does without it");
    Fault::session(FaultKind::Refused, sentence)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn an_abandoned_request_keeps_its_place_until_the_kernel_is_done() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            // Nothing comes from a pipe until somebody writes.
            let (reader, mut writer) = io::pipe().unwrap();
            let target = Target::open(File::from(OwnedFd::from(reader)));
            let buffer = Buffer::new(Buffer::ALIGNMENT).unwrap();
            let mut reading = Box::pin(transfer(Way::Read, &target, 0, buffer, 1));
            let waits = poll_fn(|context| {
                let polled = reading.as_mut().poll(context);
                Poll::Ready(polled.is_pending())
            });
            assert!(waits.await);
            drop(reading);
            let reactor = Reactor::here().unwrap();
            let left = || reactor.room.available_permits();
            assert_eq!(left(), DEPTH as usize - 1);
            writer.write_all(b"x").unwrap();
            while left() < DEPTH as usize {
                tokio::task::yield_now().await;
            }
        });
    }
}
