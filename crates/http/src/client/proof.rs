//! Digest authentication of each request.

use std::cell::RefCell;
use std::rc::Rc;

use headcount_load::{Fault, FaultKind};
use http::header::AUTHORIZATION;

use super::ask::Ask;
use super::digest::{Challenge, Identity};
use super::session::{Answer, Asked, HttpSession};
use crate::connection::http1::{Each, Until};

/// The most attempts for one request: one whose count was overtaken, one without a proof, and one
/// with the next proof.
pub(super) const MOST_PROOFS: u32 = 3;

/// A header as it came.
type Seen = (Box<str>, Box<[u8]>);

/// What a challenge means for a user.
pub(super) enum Proof {
    /// It is new: the request may succeed with an answer to it.
    New,
    /// The user has answered it already, and was refused.
    Refused,
    /// None of the challenges can be answered.
    Impossible(Fault),
}

impl HttpSession {
    /// Sends a request like [`HttpSession::exchange_once`], and repeats it with a proof if the
    /// server challenges the user (Digest).
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
        let (answer, seen) = Box::pin(self.send_with_proof(ask, asked, until)).await?;
        for (name, value) in &seen {
            note(name, value);
        }
        Ok(answer)
    }

    /// Sends a request, and repeats it while a new challenge justifies that.
    async fn send_with_proof(
        &mut self,
        ask: &Ask,
        asked: &Asked,
        until: Until,
    ) -> Result<(Answer, Vec<Seen>), Fault> {
        let mut left = MOST_PROOFS;
        loop {
            left -= 1;
            let sent_proofs = self.prove(ask, asked);
            let mut seen = Vec::new();
            let mut each = |name: &str, value: &[u8]| seen.push((name.into(), value.into()));
            let mut answer = self.exchange_once(ask, asked, until, &mut each).await?;
            if answer.status() != 401 {
                self.renew(&header_texts(&seen, "authentication-info"));
                return Ok((answer, seen));
            }
            let offered = header_texts(&seen, "www-authenticate");
            match self.take_challenge(&offered, sent_proofs) {
                Proof::Impossible(fault) => {
                    if ask.expect.contains(&401) {
                        return Ok((answer, seen));
                    }
                    if until == Until::Head {
                        self.finish(&mut answer).await?;
                    }
                    self.settle(&answer).await?;
                    return Err(fault);
                }
                Proof::New if left > 0 => {}
                Proof::New | Proof::Refused => return Ok((answer, seen)),
            }
            if until == Until::Head {
                self.finish(&mut answer).await?;
            }
            self.settle(&answer).await?;
        }
    }

    /// Takes the challenge of a 401. `sent_proofs` counts the answers to the last challenge,
    /// including this request's; 0 if it had none.
    pub(super) fn take_challenge(&mut self, offered: &[String], sent_proofs: u32) -> Proof {
        let challenge = offered.iter().find_map(|text| Challenge::parse(text));
        let Some(challenge) = challenge else {
            return Proof::Impossible(not_offered(offered));
        };
        let is_stale = challenge.is_stale;
        self.challenge = Some(Rc::new(RefCell::new(challenge)));
        match sent_proofs {
            0 => Proof::New,
            _ if is_stale => Proof::New,
            1 => Proof::Refused,
            // The nonce was accepted before, so the password is right: a later answer on another
            // connection arrived first. A server that checks counts needs a new challenge, which it
            // only sends to a request without credentials.
            _ => {
                self.challenge = None;
                self.authorization = None;
                Proof::New
            }
        }
    }

    /// Prepares the proof of the next request. Returns how many answers the challenge has had,
    /// including this one.
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

    /// Takes the nonces for the next request.
    pub(super) fn renew(&self, information: &[String]) {
        if let Some(challenge) = &self.challenge {
            for text in information {
                challenge.borrow_mut().renew(text);
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

/// The authentication schemes that a server offers, without repetitions.
pub(super) fn schemes(offered: &[String]) -> Vec<&str> {
    let mut schemes: Vec<&str> = offered
        .iter()
        .filter_map(|text| text.split_whitespace().next())
        .collect();
    schemes.dedup();
    schemes
}

fn not_offered(offered: &[String]) -> Fault {
    let schemes = schemes(offered);
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
