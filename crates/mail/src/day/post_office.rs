//! Mailboxes in memory, for tests: whole days on virtual time without a server.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use headcount_load::stream::Stream;
use headcount_load::{Compile, Fault, FaultKind, Moved, Protocol, Session, User};
use serde::Deserialize;
use serde_json::Value;

use super::{Draft, Letter, Mailbox, Reason, process_inbox, write};
use crate::profile::{Addressee, People, Profile};

/// A day of work, sixty times as fast: nothing takes time except think time.
pub const DAY_NS: u64 = 8 * 60_000_000_000;

/// All mailboxes.
#[derive(Clone, Default)]
pub struct PostOffice {
    pub profile: Arc<Profile>,
    pub state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub struct State {
    /// The inboxes by user.
    pub boxes: Vec<Inbox>,
    /// The senders by message.
    pub senders: Vec<u32>,
    /// Counts of each day.
    pub days: Vec<Count>,
    /// A message that cannot be read.
    pub bad: Option<usize>,
}

#[derive(Default, Clone)]
pub struct Inbox {
    pub new: VecDeque<usize>,
    pub held: Vec<usize>,
    pub filed: Vec<(u32, usize)>,
    pub copied: Vec<(u32, usize)>,
    pub deleted: Vec<usize>,
}

#[derive(Default, Clone, Copy, Debug)]
pub struct Count {
    pub sent: u64,
    pub received: u64,
    pub elsewhere: u64,
    pub answers: u64,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Step {
    Write,
    Look,
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        Self::deserialize(options).map_err(|error| error.to_string())
    }
}

pub struct Desk(PostOffice);

struct Sitting<'a> {
    office: &'a PostOffice,
    user: &'a mut User,
}

impl Protocol for PostOffice {
    type Step = Step;
    type Session = Desk;

    async fn open(&self, _user: &mut User) -> Result<Desk, Fault> {
        Ok(Desk(self.clone()))
    }
}

impl Session for Desk {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        let profile = Arc::clone(&self.0.profile);
        let mut sitting = Sitting {
            office: &self.0,
            user,
        };
        match step {
            Step::Write => write(&mut sitting, &profile).await?,
            Step::Look => {
                process_inbox(&mut sitting, &profile).await?;
            }
        }
        Ok(Moved::default())
    }
}

impl Sitting<'_> {
    fn own<T>(&mut self, act: impl FnOnce(&mut Inbox) -> T) -> T {
        let id = self.user.id() as usize;
        let mut state = self.office.state.lock().unwrap();
        if state.boxes.len() <= id {
            state.boxes.resize(id + 1, Inbox::default());
        }
        act(&mut state.boxes[id])
    }

    fn take(inbox: &mut Inbox, id: usize) {
        let place = inbox.held.iter().position(|held| *held == id).unwrap();
        inbox.held.remove(place);
    }
}

impl Mailbox for Sitting<'_> {
    type Id = usize;

    fn stream(&mut self) -> &mut Stream {
        self.user.stream()
    }

    fn people(&self) -> People {
        People {
            own: self.user.id(),
            population: self.user.population(),
        }
    }

    async fn look(&mut self) -> Result<Vec<usize>, Fault> {
        Ok(self.own(|inbox| {
            let new: Vec<usize> = inbox.new.drain(..).collect();
            inbox.held.extend(&new);
            new
        }))
    }

    async fn read(&mut self, id: usize) -> Result<Letter, Fault> {
        let state = self.office.state.lock().unwrap();
        if state.bad == Some(id) {
            return Err(Fault::step(FaultKind::WrongData, "altered"));
        }
        Ok(Letter {
            sender: Some(state.senders[id]),
            is_attached: false,
        })
    }

    async fn load_attachment(&mut self, _id: usize) -> Result<(), Fault> {
        unreachable!("nothing is attached")
    }

    async fn send(&mut self, draft: Draft) -> Result<(), Fault> {
        let day = (self.user.now_ns() / DAY_NS) as usize;
        let mut state = self.office.state.lock().unwrap();
        if state.days.len() <= day {
            state.days.resize(day + 1, Count::default());
        }
        state.days[day].sent += 1;
        state.days[day].answers += u64::from(draft.reason == Reason::Reply);
        state.senders.push(self.user.id());
        let message = state.senders.len() - 1;
        for addressee in draft.to {
            match addressee {
                Addressee::Elsewhere { .. } => state.days[day].elsewhere += 1,
                Addressee::User(id) => {
                    assert_ne!(id, self.user.id(), "nobody writes to themselves");
                    state.days[day].received += 1;
                    let id = id as usize;
                    if state.boxes.len() <= id {
                        state.boxes.resize(id + 1, Inbox::default());
                    }
                    state.boxes[id].new.push_back(message);
                }
            }
        }
        Ok(())
    }

    async fn move_to(&mut self, id: usize, folder: u32) -> Result<(), Fault> {
        self.own(|inbox| {
            Self::take(inbox, id);
            inbox.filed.push((folder, id));
        });
        Ok(())
    }

    async fn copy_to(&mut self, id: usize, folder: u32) -> Result<(), Fault> {
        self.own(|inbox| inbox.copied.push((folder, id)));
        Ok(())
    }

    async fn delete(&mut self, id: usize) -> Result<(), Fault> {
        self.own(|inbox| {
            Self::take(inbox, id);
            inbox.deleted.push(id);
        });
        Ok(())
    }

    async fn trim(&mut self, cap: u32) -> Result<(), Fault> {
        self.own(|inbox| {
            let above = inbox.held.len().saturating_sub(cap as usize);
            inbox.deleted.extend(inbox.held.drain(..above));
        });
        Ok(())
    }
}
