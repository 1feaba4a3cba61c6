//! Plays steps.

use std::sync::Arc;

use headcount_load::{Fault, Moved, Session, User};

use super::inbox::Sitting;
use super::session::{INBOX, MailSession};
use super::step::Step;
use crate::day;

impl MailSession {
    async fn step(&mut self, step: &Step, user: &mut User) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let profile = &shared.options.profile;
        match step {
            Step::Send {
                recipients,
                bytes,
                attached_bytes,
                invitation,
            } => {
                let asked = super::sending::Asked {
                    recipients: *recipients,
                    bytes: *bytes,
                    attached_bytes: *attached_bytes,
                    invitation: *invitation,
                };
                let sent = Box::pin(self.send_new(&asked, user)).await;
                self.hang_up().await;
                sent
            }
            Step::ProcessInbox {} => {
                let mut sitting = Sitting {
                    session: self,
                    user,
                };
                let done = Box::pin(day::process_inbox(&mut sitting, profile)).await;
                self.hang_up().await;
                match done {
                    Err(fault) if fault.ends_session => Err(fault),
                    // Each lost message is reported only once, so it goes before other faults.
                    done => self.missing().and(done.map(|_| ())),
                }
            }
            // Users return to the inbox afterwards.
            Step::ReadOld {} => {
                Box::pin(self.read_old(user)).await?;
                self.select(INBOX).await
            }
            Step::EmptyDeleted {} => {
                self.empty_deleted().await?;
                self.select(INBOX).await
            }
            Step::ScheduleChange {} => {
                Box::pin(self.change_schedule()).await?;
                self.select(INBOX).await
            }
            Step::Delivery { within_s, poll_s } => {
                let delivered = Box::pin(self.probe(*within_s, *poll_s, user)).await;
                self.hang_up().await;
                delivered
            }
            Step::OpenInbox {}
            | Step::Page { .. }
            | Step::ReadNext {}
            | Step::Categorise {}
            | Step::DeleteOne {}
            | Step::AddMessage { .. }
            | Step::CloseInbox {} => Box::pin(self.notes(step, user)).await,
            Step::Own(own) => Box::pin(self.own(own, user)).await,
            _ => Box::pin(self.command(step, user)).await,
        }
    }
}

impl Session for MailSession {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        (self.moved, self.announced) = (Moved::default(), 0);
        // Boxed: the large future of a step would otherwise be part of every user's.
        let played = Box::pin(self.step(step, user)).await;
        let moved = std::mem::take(&mut self.moved);
        let bytes = moved.read_bytes + moved.written_bytes;
        user.expect_bytes(bytes.saturating_sub(self.announced));
        played.map(|()| moved)
    }

    async fn close(mut self, _user: &mut User) {
        if let Some(smtp) = self.smtp.take() {
            smtp.quit().await;
        }
        if let Some(imap) = self.imap.take() {
            let _ = imap.logout().await; // gone either way
        }
    }
}
