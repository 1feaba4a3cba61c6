//! Requests to a token server.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};
use headcount_script::json::Document;
use http::header::AUTHORIZATION;
use serde_json::json;

use super::Shared;
use super::ask::{Ask, Method};
use super::grant::Grant;
use super::journey::trace_entry;
use super::oauth2::{Claim, TokenAsk};
use super::received::{Received, too_much};
use super::session::{Answer, Asked, HttpSession};
use super::token::{Refusal, Token, advice};
use crate::connection::http1::Until;

type Headers = Vec<(Box<str>, Box<str>)>;

impl HttpSession {
    /// The session of a user at its token server.
    fn at_token_server(shared: &Arc<Shared>, of: &Self) -> Self {
        Self {
            shared: Arc::clone(shared),
            requests: of.requests.clone(),
            number: of.number,
            connection: None,
            closing: None,
            tls: None,
            jar: None,
            visit: of.visit,
            authorization: None,
            proves_by_digest: false,
            challenge: None,
            bearer: None,
            pending: None,
            socket: None,
            pool: None,
            stream: None,
            keeps_bodies: false,
        }
    }

    /// Requests a token: with the last refresh token if there is one, otherwise by the grant.
    pub(super) async fn request_token(
        &mut self,
        ask: &TokenAsk,
        claim: &Claim,
        spent: Option<&Token>,
        user: &mut User,
    ) -> Result<Token, Fault> {
        let last = spent.and_then(|spent| spent.refresh.as_ref());
        if let Some(refresh) = last.or(claim.refresh.as_ref()) {
            let asked = self
                .ask_for_token(ask, claim, claim.refreshing(refresh), user)
                .await?;
            match asked {
                // A server may keep the refresh token as it is (RFC 6749, 6).
                Ok(token) => {
                    let next = token.refresh.clone().or_else(|| Some(refresh.clone()));
                    return Ok(Token {
                        refresh: next,
                        ..token
                    });
                }
                Err(refusal) if ask.grant == Grant::RefreshToken => {
                    return Err(refused(refusal, ask, claim, Some(refresh)));
                }
                Err(Refusal::Other(sentence)) => {
                    return Err(refused(Refusal::Other(sentence), ask, claim, Some(refresh)));
                }
                Err(Refusal::Error(..)) => {} // the refresh token has expired, too
            }
        }
        let asked = self.ask_for_token(ask, claim, claim.form(), user).await?;
        asked.map_err(|refusal| refused(refusal, ask, claim, None))
    }

    /// Sends one request to the token server. Returns the token, or why there is none.
    async fn ask_for_token(
        &mut self,
        ask: &TokenAsk,
        claim: &Claim,
        form: String,
        user: &mut User,
    ) -> Result<Result<Token, Refusal>, Fault> {
        let mut asked = Asked::plain(Method::Post);
        asked.text = Some(form);
        asked
            .headers
            .extend(claim.basic.clone().map(|value| (AUTHORIZATION, value)));
        let elsewhere = self
            .shared
            .token_server
            .as_ref()
            .filter(|_| ask.is_elsewhere);
        let posted = if let Some(server) = elsewhere.cloned() {
            let mut other = Self::at_token_server(&server, self);
            let posted = Box::pin(other.post(&ask.ask, &asked)).await;
            posted.map_err(|fault| Fault {
                message: format!("no token: the token server fails: {}", fault.message).into(),
                ends_session: false, // the session at the target goes on
                ..fault
            })
        } else {
            // A token request authenticates by its grant, if at all.
            let own = self.authorization.take();
            let posted = Box::pin(self.post(&ask.ask, &asked)).await;
            self.authorization = own;
            posted
        };
        let (answer, headers) = posted?;
        let server = elsewhere_or(&self.shared, ask);
        user.note(|| trace_entry(server, &ask.ask, &asked, &answer, &headers));
        let (status, body) = (answer.status(), decoded(answer, headers));
        let body = match body {
            Ok(body) => body,
            Err(sentence) => return Ok(Err(Refusal::Other(sentence))),
        };
        for secret in secrets_in(&body) {
            user.note(|| json!({"secret": secret}));
        }
        Ok(Token::of_answer(status, &body, user.now_ns()))
    }

    /// Sends a request. Returns the whole answer and its headers.
    async fn post(&mut self, ask: &Ask, asked: &Asked) -> Result<(Answer, Headers), Fault> {
        let mut headers = Headers::new();
        let mut note = |name: &str, value: &[u8]| {
            headers.push((name.into(), String::from_utf8_lossy(value).into()));
        };
        let answer = self
            .exchange_once(ask, asked, Until::End, &mut note)
            .await?;
        self.settle(&answer).await?;
        Ok((answer, headers))
    }
}

/// The server that issues the token.
fn elsewhere_or<'a>(shared: &'a Arc<Shared>, ask: &TokenAsk) -> &'a Shared {
    let elsewhere = shared.token_server.as_ref().filter(|_| ask.is_elsewhere);
    elsewhere.unwrap_or(shared)
}

/// The decoded body of an answer. The error is a sentence.
fn decoded(mut answer: Answer, headers: Headers) -> Result<Vec<u8>, String> {
    let body = answer.reply.take_body_kept().ok_or_else(too_much)?;
    let mut received = Received {
        status: answer.status(),
        headers,
        body,
        jar: None,
        path: "".into(),
        json: Document::default(),
    };
    received.decode()?;
    Ok(received.body)
}

/// The secrets in an answer, which a trace must not show.
fn secrets_in(body: &[u8]) -> Vec<String> {
    let answer: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let names = ["access_token", "refresh_token", "id_token"];
    let found = names
        .iter()
        .filter_map(|name| answer.as_ref()?.get(name)?.as_str());
    found.map(str::to_owned).collect()
}

/// The fault of a user who gets no token.
fn refused(refusal: Refusal, ask: &TokenAsk, claim: &Claim, refresh: Option<&str>) -> Fault {
    let safe = |text: &str| claim.without_secrets(text, refresh);
    match refusal {
        Refusal::Error(error, description) => {
            let code = headcount_load::fault::words(&safe(&error));
            let mut sentence = format!("no token: {code}{}", advice(&error, ask.grant));
            if let Some(description) = description {
                let said = headcount_load::fault::words(&safe(&description)).replace('"', "'");
                sentence = format!("{sentence}; the server says \"{said}\"");
            }
            Fault::step(FaultKind::Login, sentence)
        }
        Refusal::Other(sentence) => Fault::step(
            FaultKind::Refused,
            format!("no token from the token server: {sentence}"),
        ),
    }
}
