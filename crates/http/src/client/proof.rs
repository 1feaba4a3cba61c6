//! How users prove who they are with each request.

use std::cell::RefCell;
use std::rc::Rc;

use headcount_load::{Fault, FaultKind};
use http::header::AUTHORIZATION;

use super::ask::Ask;
use super::digest::{Challenge, Identity};
use super::session::{Answer, Asked, HttpSession};
use crate::connection::http1::{Each, Until};

/// A header as it came.
type Seen = (Box<str>, Box<[u8]>);

impl HttpSession {
    /// A request and its answer, as [`HttpSession::exchange_once`]; where a server challenges the
    /// user (Digest), the answer to the request that proves it.
    pub(super) async fn exchange(
        &mut self,
        ask: &Ask,
        asked: &Asked,
        until: Until,
        note: &mut Each<'_>,
    ) -> Result<Answer, Fault> {
        if !self.proves_by_digest || ask.has_header(&AUTHORIZATION) {
            let answer = self.exchange_once(ask, asked, until, note).await?;
            self.note_status(answer.status(), ask, asked);
            return Ok(answer);
        }
        let (answer, seen) = Box::pin(self.proved(ask, asked, until)).await?;
        for (name, value) in &seen {
            note(name, value);
        }
        Ok(answer)
    }

    /// The answer to a request that is sent again, once, where the server challenges the user.
    async fn proved(
        &mut self,
        ask: &Ask,
        asked: &Asked,
        until: Until,
    ) -> Result<(Answer, Vec<Seen>), Fault> {
        let mut is_again = false;
        loop {
            let sent_proofs = self.prove(ask, asked);
            let mut seen = Vec::new();
            let mut each = |name: &str, value: &[u8]| seen.push((name.into(), value.into()));
            let mut answer = self.exchange_once(ask, asked, until, &mut each).await?;
            if answer.status() != 401 {
                self.renew(&seen);
                return Ok((answer, seen));
            }
            let offered = header_texts(&seen, "www-authenticate");
            let challenge = offered.iter().find_map(|text| Challenge::parse(text));
            let Some(challenge) = challenge else {
                if ask.expect.contains(&401) {
                    return Ok((answer, seen));
                }
                if until == Until::Head {
                    self.finish(&mut answer).await?;
                }
                self.settle(&answer).await?;
                return Err(not_offered(&offered));
            };
            // A nonce that was accepted before shows that the password is right, too.
            let is_new = sent_proofs == 0 || sent_proofs > 1 || challenge.is_stale;
            self.challenge = Some(Rc::new(RefCell::new(challenge)));
            if is_again || !is_new {
                return Ok((answer, seen));
            }
            if until == Until::Head {
                self.finish(&mut answer).await?;
            }
            self.settle(&answer).await?;
            is_again = true;
        }
    }

    /// Prepares the proof of the next request; returns how many the challenge has had with it.
    pub(super) fn prove(&mut self, ask: &Ask, asked: &Asked) -> u32 {
        let identity = self.shared.identity(self.number);
        let (Some(challenge), Some(identity)) = (&self.challenge, identity) else {
            return 0;
        };
        let mut challenge = challenge.borrow_mut();
        let identity = Identity {
            name: &identity.name,
            password: &identity.password,
        };
        let uri = self.shared.path(ask, asked);
        let answer = challenge.answer(identity, asked.method.name(), &uri);
        self.authorization = Some(answer.into());
        challenge.answers()
    }

    fn renew(&self, seen: &[Seen]) {
        if let Some(challenge) = &self.challenge {
            for text in header_texts(seen, "authentication-info") {
                challenge.borrow_mut().renew(&text);
            }
        }
    }
}

fn header_texts(seen: &[Seen], wanted: &str) -> Vec<String> {
    let found = seen
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found
        .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        .collect()
}

fn not_offered(offered: &[String]) -> Fault {
    let mut schemes: Vec<&str> = offered
        .iter()
        .filter_map(|text| text.split_whitespace().next())
        .collect();
    schemes.dedup();
    let what = if schemes.is_empty() {
        "nothing".to_owned()
    } else {
        headcount_load::fault::words(&schemes.join(", "))
    };
    let sentence = format!(
        "status 401: the server offers no Digest authentication with MD5, SHA-256 or SHA-512-256 and \
         qop=auth, but {what}; for Basic: --client auth=basic"
    );
    Fault::step(FaultKind::Login, sentence)
}
