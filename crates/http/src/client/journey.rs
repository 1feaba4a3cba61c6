//! A request with the user's own texts, through redirects to the captures and checks of its answer.

use std::fmt::Write;

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_script::Scope;
use headcount_script::filter::Filter;
use headcount_script::json::Document;
use http::HeaderValue;
use serde_json::{Value, json};

use super::Shared;
use super::ask::{Ask, Method, Target, is_redirect};
use super::body::{Body, body_text};
use super::mixed::mixed_text;
use super::page::embedded;
use super::payload::{Insert, Payload};
use super::received::{Received, too_much};
use super::redirect::{redirected, sendable};
use super::session::{Answer, Asked, HttpSession};
use crate::connection::http1::Until;

/// The headers of an answer.
type HeaderList = Vec<(Box<str>, Box<str>)>;

/// How much of a body a trace keeps.
const MOST_TRACED_BYTES: usize = 2_000;

/// A trace entry: a request and its answer, for a user who tries out a workload.
pub(super) fn trace_entry(
    shared: &Shared,
    ask: &Ask,
    asked: &Asked,
    answer: &Answer,
    headers: &HeaderList,
) -> Value {
    let text = |bytes: &[u8]| {
        let shown = &bytes[..bytes.len().min(MOST_TRACED_BYTES)];
        String::from_utf8_lossy(shown).into_owned()
    };
    let sent = match (&ask.body, ask.payload(asked)) {
        (_, Payload::None) => "(0 bytes)".into(),
        (Body::File(file), sent) => format!("({}, {} bytes)", file.name(), sent.bytes()),
        (_, Payload::Given(given)) => text(given),
        (_, Payload::Mixed(fields, inserts)) => text(named_files(fields, inserts).as_bytes()),
        (_, made) => format!("({} bytes)", made.bytes()),
    };
    json!({
        "method": asked.method.name(),
        "path": shared.path(ask, asked),
        "sent": sent,
        "status": answer.status(),
        "headers": headers,
        "received_bytes": answer.reply.received(),
        "received": answer.reply.body_kept().map(text),
    })
}

/// A text in which each file is replaced by its name and size.
fn named_files(fields: &[u8], inserts: &[Insert]) -> String {
    let mut shown = String::new();
    let mut from = 0;
    for Insert { at, file } in inserts {
        shown += &String::from_utf8_lossy(&fields[from..*at]);
        // Writing to a string cannot fail.
        let _ = write!(shown, "({}, {} bytes)", file.name(), file.bytes().len());
        from = *at;
    }
    shown + &String::from_utf8_lossy(&fields[from..])
}

/// Whether a header gives the type or the coding of a body.
fn says_how_to_read(name: &str) -> bool {
    name.eq_ignore_ascii_case("content-encoding") || name.eq_ignore_ascii_case("content-type")
}

impl HttpSession {
    /// The parts of a request that depend on the user.
    pub(super) fn texts(&self, ask: &Ask, scope: &mut Scope) -> Result<Asked, Fault> {
        let mut asked = Asked::plain(ask.method);
        if let Target::Path(path) = &ask.target
            && path.text().is_none()
        {
            asked.path = Some(self.path(ask, scope)?.into());
        }
        for (name, template) in &ask.texts {
            let value = HeaderValue::from_str(&template.render(scope)?);
            let value = value.map_err(|_| {
                let sentence = format!("the value of the header {name} has a line break in it");
                Fault::step(FaultKind::Refused, sentence)
            })?;
            asked.headers.push((name.clone(), value));
        }
        if let Body::Mixed(parts) = &ask.body {
            let (text, inserts) = mixed_text(parts, scope)?;
            (asked.text, asked.inserts) = (Some(text), inserts);
        } else {
            asked.text = body_text(&ask.body, scope)?;
        }
        Ok(asked)
    }

    /// The user's path. Values are encoded as parts of it, except for one at its beginning, such as
    /// the `Location` of an earlier answer.
    fn path(&self, ask: &Ask, scope: &mut Scope) -> Result<String, Fault> {
        let prefix = &self.shared.base.prefix;
        let Target::Path(template) = &ask.target else {
            return Ok(prefix.clone());
        };
        if ask
            .shown
            .as_ref()
            .is_some_and(|shown| shown.starts_with('{'))
        {
            let mut path = String::new();
            template.write_appended(scope, Filter::Url, &mut path)?;
            let (base, site) = (&self.shared.base, self.shared.authority.as_str());
            let joined = redirected(base, site, &format!("{prefix}/"), &path);
            return joined.map_err(|sentence| Fault::step(FaultKind::Refused, sentence));
        }
        let mut path = prefix.clone();
        template.write_encoded(scope, Filter::Url, &mut path)?;
        Ok(sendable(&path))
    }

    /// Sends a request and reads the whole answer, through redirects if they are followed.
    pub(super) async fn whole(
        &mut self,
        ask: &Ask,
        asked: &mut Asked,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut moved = Moved::default();
        let keeps_all = ask.reads_headers || user.keeps_notes();
        for redirects_left in (0..=ask.redirects).rev() {
            let mut headers = HeaderList::new();
            let mut note = |name: &str, value: &[u8]| {
                if keeps_all || (ask.keeps_body && says_how_to_read(name)) {
                    headers.push((name.into(), String::from_utf8_lossy(value).into()));
                }
            };
            let mut answer = self.exchange(ask, asked, Until::End, &mut note).await?;
            user.note(|| trace_entry(&self.shared, ask, asked, &answer, &headers));
            self.settle(&answer).await?;
            moved.written_bytes += ask.payload(asked).bytes();
            let is_followed = ask.redirects > 0
                && is_redirect(answer.status())
                && !answer.hints.target.is_empty()
                && !ask.expect.contains(&answer.status());
            if is_followed && redirects_left > 0 {
                moved.read_bytes += answer.reply.received();
                self.follow(ask, asked, &answer)?;
                continue;
            }
            if is_followed {
                let (most, last) = (ask.redirects, &answer.hints.location);
                let sentence = format!("more than {most} redirects, the last to {last}");
                return Err(Fault::step(FaultKind::Refused, sentence));
            }
            self.shared.accept(&answer, ask, self.number)?;
            moved.read_bytes += self.shared.judge(asked, &mut answer.reply)?;
            if ask.reads_answer() {
                self.inspect(ask, asked, answer, headers, user.scope())?;
            }
            break;
        }
        Ok(moved)
    }

    /// Prepares the request that follows a redirect, as browsers do (Fetch Standard, 4.4).
    fn follow(&self, ask: &Ask, asked: &mut Asked, answer: &Answer) -> Result<(), Fault> {
        let shared = &self.shared;
        let from = shared.path(ask, asked);
        let site = shared.authority_of(ask, asked);
        let site = site.as_ref().unwrap_or(&shared.authority).as_str();
        let path = redirected(&shared.base, site, &from, &answer.hints.target);
        let path = path.map_err(|sentence| Fault::step(FaultKind::Refused, sentence))?;
        let is_get = match answer.status() {
            303 => asked.method != Method::Head,
            301 | 302 => asked.method == Method::Post,
            _ => false,
        };
        asked.path = Some(path.into());
        asked.page = None;
        asked.wanted = None;
        if is_get {
            asked.method = Method::Get;
            asked.lost_body = true;
        }
        Ok(())
    }

    /// Checks an answer, and captures values of it.
    fn inspect(
        &self,
        ask: &Ask,
        asked: &mut Asked,
        mut answer: Answer,
        headers: HeaderList,
        scope: &mut Scope,
    ) -> Result<(), Fault> {
        let wrong = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        let body = if ask.keeps_body {
            let body = answer.reply.take_body_kept();
            body.ok_or_else(|| wrong(too_much()))?
        } else {
            Vec::new()
        };
        let jar = self.jar.as_ref().map(|jar| jar.borrow());
        let mut received = Received {
            status: answer.status(),
            headers,
            body,
            jar: jar.as_deref(),
            path: self.shared.path(ask, asked).into(),
            json: Document::default(),
        };
        received.decode().map_err(wrong)?;
        // Checks first: they say more about a wrong answer than a missing value does.
        for check in &ask.checks {
            check.judge(&received, scope).map_err(wrong)?;
        }
        for capture in &ask.captures {
            capture.take(&received, scope).map_err(wrong)?;
        }
        if ask.names_resources {
            asked.embedded = Some(Box::new(embedded(&received).map_err(wrong)?));
        }
        Ok(())
    }
}
