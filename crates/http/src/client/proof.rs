//! How users prove who they are with each request.

use std::cell::RefCell;
use std::rc::Rc;

use headcount_load::{Fault, FaultKind};
use http::header::AUTHORIZATION;

use super::ask::Ask;
use super::digest::{Challenge, Identity};
use super::session::{Answer, Asked, HttpSession};
use crate::connection::http1::{Each, Until};

/// Requests that are sent at most for one: one whose count was overtaken, one without a proof, and one
/// with the next.
pub(super) const MOST_PROOFS: u32 = 3;

/// A header as it came.
type Seen = (Box<str>, Box<[u8]>);

/// What a challenge means for a user.
pub(super) enum Proof {
    /// It is new: a request with its answer may pass.
    New,
    /// The user has answered it already, and was refused.
    Refused,
    /// There is none that can be answered.
    Impossible(Fault),
}

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

    /// Takes the challenge of an answer 401 to a request that had the last one's so manieth proof.
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
            // A nonce that was accepted before shows that the password is right. Another connection's
            // later answer came first: a server that checks counts wants a new beginning, for which
            // it must not know whose request this is.
            _ => {
                self.challenge = None;
                self.authorization = None;
                Proof::New
            }
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

    /// Takes the nonces that a server wants to see next.
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

/// The names of the ways that a server offers, each once.
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
