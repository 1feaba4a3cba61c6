//! Whether an answer is right.

use std::fmt::Write as _;

use headcount_load::{Fault, FaultKind};
use http::StatusCode;

use super::Shared;
use super::ask::{Ask, Method};
use super::session::{Answer, Asked, Hints};
use crate::pages::Page;
use crate::pages::content::{Difference, Wrong};
use crate::wire::head::Coding;
use crate::wire::reply::Reply;

impl Shared {
    /// Refuses a status that was not expected, quoting the server.
    pub(super) fn accept(&self, answer: &Answer, ask: &Ask, number: u32) -> Result<(), Fault> {
        let (status, expect) = (answer.status(), &ask.expect);
        if expect.contains(&status) {
            return Ok(());
        }
        let reason = StatusCode::from_u16(status).ok();
        let reason = reason
            .and_then(|code| code.canonical_reason())
            .unwrap_or("?");
        if let Some(fault) = self.not_accepted(status, number) {
            return Err(fault);
        }
        let expected: Vec<_> = expect.iter().map(u16::to_string).collect();
        let expected = expected.join(" or ");
        let mut sentence = format!("status {status} {reason} instead of {expected}");
        if (300..400).contains(&status) && status != 304 && ask.redirects == 0 {
            sentence.push_str("; redirects are not followed");
        }
        let Hints {
            location,
            retry_after,
            ..
        } = &answer.hints;
        for (name, value) in [("Location", location), ("Retry-After", retry_after)] {
            if !value.is_empty() {
                let _ = write!(sentence, "; {name}: {value}"); // memory takes everything
            }
        }
        // In quotes and last, so that differing bodies do not split a group of messages
        // (`load::fault::group`).
        if let Some(text) = answer.reply.text() {
            let _ = write!(sentence, "; body: \"{text}\"");
        }
        Err(Fault::step(FaultKind::Refused, sentence))
    }

    /// The fault if the server rejects a named user.
    pub(super) fn not_accepted(&self, status: u16, number: u32) -> Option<Fault> {
        let (user, _) = self.credentials.as_ref()?;
        if !matches!(status, 401 | 403) {
            return None;
        }
        let reason = StatusCode::from_u16(status).ok();
        let reason = reason
            .and_then(|code| code.canonical_reason())
            .unwrap_or("?");
        let user = user.text(number);
        let sentence = format!("user {user} is not accepted: status {status} {reason}");
        Some(Fault::step(FaultKind::Login, sentence))
    }

    /// Checks the contents of a page. Returns how many bytes of the body came.
    pub(super) fn judge(&self, asked: &Asked, reply: &mut Reply) -> Result<u64, Fault> {
        let received = reply.received();
        let (Some(page), Some(head)) = (asked.page, reply.head().copied()) else {
            return Ok(received);
        };
        if head.status != 200 || !matches!(asked.method, Method::Get | Method::Head) {
            return Ok(received);
        }
        let length = match reply.take_sink() {
            Some(sink) => sink.finish().map_err(|wrong| match wrong {
                Ok(difference) => self.damage(&page, difference),
                Err(sentence) => Fault::step(FaultKind::WrongData, sentence),
            })?,
            None if head.coding != Coding::Identity => return Ok(received),
            None if asked.method == Method::Head => head.length.unwrap_or(page.bytes),
            None => received,
        };
        if length != page.bytes {
            let expected = page.bytes;
            let sentence = format!("{length} bytes came instead of {expected}");
            return Err(Fault::step(FaultKind::WrongData, sentence));
        }
        Ok(received)
    }

    fn damage(&self, page: &Page, difference: Difference) -> Fault {
        let Difference { at, wrong } = difference;
        let set = &self.deck.set;
        let why = match wrong {
            _ if at >= page.bytes => "the page should have ended".to_owned(),
            Wrong::Damaged => "these bytes were changed, or never made by Headcount".to_owned(),
            Wrong::Offset(offset) => format!("it holds the data of offset {offset}"),
            Wrong::Page(number) => match set.numbered(number) {
                Some(other) => format!("it holds data of {}", set.path(&other)),
                None => format!("it holds data of page number {number}"),
            },
        };
        let sentence = format!("wrong data at offset {at}: {why}");
        Fault::step(FaultKind::WrongData, sentence)
    }
}
