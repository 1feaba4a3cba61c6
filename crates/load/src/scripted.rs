//! Scripts within flows, which decide which of their steps come next.

use std::sync::Arc;

use headcount_script::Program;
use headcount_script::program::{Answer, Next, Running};
use serde_json::json;

use crate::fault::{Fault, FaultKind, words};
use crate::user::User;

/// A script and where its steps are among the moves of its flow.
#[derive(Debug)]
pub struct Scripted {
    /// The script.
    pub program: Program,
    /// The place at which each of its steps begins. All end with [`crate::flow::Move::Return`].
    pub starts: Box<[usize]>,
    /// Where one of them ends.
    pub back: usize,
    /// Where the flow goes on after the script.
    pub end: usize,
}

/// A script while a user plays it.
#[derive(Debug)]
pub struct Script {
    scripted: Arc<Scripted>,
    running: Running,
    may_fail: bool,
    /// Why the step that it asked for failed.
    failure: Option<Box<str>>,
}

impl Script {
    /// Begins the script. It plays nothing until [`Self::go_on`].
    pub fn begin(scripted: &Arc<Scripted>) -> Result<Box<Self>, Fault> {
        let begun = scripted.program.begin();
        let running = begun.map_err(|sentence| failed(&sentence))?;
        Ok(Box::new(Self {
            scripted: Arc::clone(scripted),
            running,
            may_fail: false,
            failure: None,
        }))
    }

    /// Takes the failure of a step; returns the place to continue from, or None if the script does
    /// not catch it.
    pub fn outlasts(&mut self, failure: Box<str>) -> Option<usize> {
        self.may_fail.then(|| {
            self.failure = Some(failure);
            self.scripted.back
        })
    }

    /// Runs the script until it asks for something; returns the place of that.
    pub async fn go_on(&mut self, user: &mut User) -> Result<usize, Fault> {
        let failure = self.failure.take();
        let answer = failure.as_deref().map_or(Answer::Done, Answer::Failed);
        self.may_fail = false;
        let mut lines = Vec::new();
        let mut print = |line| lines.push(line);
        let next = self.running.go_on(answer, user.scope(), &mut print);
        for line in lines {
            user.note(|| json!({"printed": line}));
        }
        match next {
            Next::Play { step, may_fail } => {
                self.may_fail = may_fail;
                Ok(self.scripted.starts[step])
            }
            Next::Pause(seconds) => {
                user.pause((seconds * 1e9) as u64).await;
                Ok(self.scripted.back)
            }
            Next::End => Ok(self.scripted.end),
            Next::Fail(sentence) => Err(failed(&sentence)),
        }
    }
}

/// The fault of code that failed. Its sentence may have what the server sent, of any length.
fn failed(sentence: &str) -> Fault {
    Fault::step(FaultKind::Refused, words(sentence))
}
