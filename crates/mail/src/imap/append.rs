//! Appends messages to a mailbox.

use headcount_load::Fault;

use super::capability::Capability;
use super::connection::Imap;
use super::session::Heard;
use super::wire::answer::Answer;
use crate::message::Body;
use crate::task::Task;

/// Bytes of messages that are generated and sent at a time.
const PIECE_BYTES: usize = 64 << 10;

/// Most messages in one command, if several are allowed: servers hold them back until it ends.
const MOST_AT_ONCE: usize = 100;

/// Writes an APPEND command piece by piece.
struct Writer<'a, B> {
    folder: &'a str,
    flags: &'a str,
    bodies: Vec<B>,
    /// The index of the current message, and how many of its bytes have been written.
    at: (usize, u64),
}

impl Imap {
    /// Appends messages to a mailbox with flags such as `\Seen`: up to 100 in one command if the
    /// server allows it (RFC 3502), otherwise one by one. Returns the UID of the last one if the
    /// server says it (RFC 4315). Does nothing without messages.
    pub async fn append<B: Body>(
        &mut self,
        folder: &str,
        flags: &str,
        messages: &mut dyn Iterator<Item = B>,
    ) -> Result<Option<u32>, Fault> {
        let at_once = if self.offers(Capability::MultiAppend) {
            MOST_AT_ONCE
        } else {
            1
        };
        let mut last = None;
        loop {
            let bodies: Vec<B> = messages.take(at_once).collect();
            if bodies.is_empty() {
                return Ok(last);
            }
            let mut writer = Writer {
                folder,
                flags,
                bodies,
                at: (0, 0),
            };
            last = self.append_some(&mut writer).await?;
        }
    }

    async fn append_some<B: Body>(
        &mut self,
        writer: &mut Writer<'_, B>,
    ) -> Result<Option<u32>, Fault> {
        let mut last = None;
        self.command(Task::Append, &mut |line| writer.fill(line), &mut |heard| {
            if let Heard::Answer(Answer::Done(_, state), _) = heard
                && let Some(mut numbers) = state.code("APPENDUID")
            {
                numbers.number()?;
                numbers.expect(b' ')?;
                // The UIDs of several messages are a set: take the last number.
                let digits = numbers.rest().rsplit(|byte| !byte.is_ascii_digit()).next();
                last = digits
                    .and_then(super::wire::cursor::parse_number)
                    .and_then(|uid| u32::try_from(uid).ok());
            }
            Ok(())
        })
        .await?;
        Ok(last)
    }
}

impl<B: Body> Writer<'_, B> {
    /// Writes the next part of the command. Returns whether there is more.
    fn fill(&mut self, line: &mut super::line::Line<'_>) -> bool {
        while let Some(body) = self.bodies.get(self.at.0) {
            let (index, at) = self.at;
            if at == 0 {
                // A message's flags and length go into the same piece as its first bytes.
                if line.len() >= PIECE_BYTES {
                    return true;
                }
                if index == 0 {
                    line.raw("APPEND ").name(self.folder);
                }
                line.raw(" (").raw(self.flags).raw(") ").literal(body.len());
            }
            let mut at = at;
            while at < body.len() {
                if at > 0 && line.len() >= PIECE_BYTES {
                    self.at = (index, at);
                    return true;
                }
                let before = line.len();
                body.write_piece(at, line.buffer());
                let wanted = usize::try_from(body.len() - at).unwrap_or(usize::MAX);
                let written = (line.len() - before).min(wanted);
                // Pad a body that is shorter than it says, or the server would wait forever.
                line.buffer().truncate(before + written);
                line.buffer().resize(before + written.max(1), b' ');
                at += written.max(1) as u64;
            }
            self.at = (index + 1, 0);
        }
        line.raw("\r\n");
        false
    }
}
