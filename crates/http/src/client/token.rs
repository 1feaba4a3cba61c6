//! A token server's answer: a token, or why there is none.

use serde_json::Value;

use super::grant::Grant;

/// How long before its end a token is renewed, at most: it must outlast the request that carries
/// it.
const MOST_AHEAD_NS: u64 = 30_000_000_000;
/// The same as a fraction of its lifetime, for tokens that live only minutes.
const AHEAD_PART: u64 = 10;

/// A token of a user.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) access: Box<str>,
    /// The refresh token for the next, if the server gave one.
    pub(super) refresh: Option<Box<str>>,
    /// When to ask for the next, in ns of the run's clock; never if the server did not say.
    pub(super) renew_at_ns: u64,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// An answer of a token server without a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// An error of RFC 6749, 5.2, and the server's description.
    Error(String, Option<String>),
    /// Something else: a sentence.
    Other(String),
}

impl Token {
    /// The token in an answer that came at `now_ns` of the run's clock.
    pub(super) fn of_answer(status: u16, body: &[u8], now_ns: u64) -> Result<Self, Refusal> {
        let other = |sentence: &str| Refusal::Other(sentence.into());
        let answer: Option<Value> = serde_json::from_slice(body).ok();
        let text = |key: &str| answer.as_ref()?.get(key)?.as_str();
        if let Some(error) = text("error") {
            let description = text("error_description").map(str::to_owned);
            return Err(Refusal::Error(error.to_owned(), description));
        }
        if (300..400).contains(&status) {
            let sentence = format!(
                "status {status}, and redirects of a token server are not followed: correct token_url"
            );
            return Err(Refusal::Other(sentence));
        }
        if !(200..300).contains(&status) {
            return Err(Refusal::Other(format!("status {status}")));
        }
        if answer.is_none() {
            return Err(other("its answer is not JSON: correct token_url"));
        }
        let access = text("access_token").filter(|token| is_token(token));
        let access = access.ok_or_else(|| other("its answer has no access_token"))?;
        if let Some(kind) = text("token_type").filter(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            let kind = headcount_load::fault::words(kind);
            return Err(Refusal::Other(format!(
                "its tokens are of the type {kind}, and Headcount sends Bearer (RFC 6750)"
            )));
        }
        let life_s = answer
            .as_ref()
            .and_then(|answer| seconds(answer.get("expires_in")?));
        Ok(Self {
            access: access.into(),
            refresh: text("refresh_token").map(Into::into),
            renew_at_ns: life_s.map_or(u64::MAX, |life_s| renew_at_ns(life_s, now_ns)),
        })
    }
}

/// Whether it can be sent in a header (RFC 6750, 2.1, and what servers give besides).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Seconds, which some servers write as text.
fn seconds(value: &Value) -> Option<f64> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|seconds| seconds.is_finite() && *seconds > 0.0)
}

/// When a token with this lifetime is renewed, in ns of the run's clock.
fn renew_at_ns(life_s: f64, now_ns: u64) -> u64 {
    let whole_ns = (life_s * 1e9) as u64;
    let ahead_ns = (whole_ns / AHEAD_PART).min(MOST_AHEAD_NS);
    now_ns.saturating_add(whole_ns - ahead_ns)
}

/// What to do about an error of RFC 6749, 5.2.
pub(super) fn advice(error: &str, grant: Grant) -> &'static str {
    match (error, grant) {
        ("invalid_client", _) => "; check client_id, client_secret and auth",
        ("invalid_grant", Grant::Password) => "; check the user's name and password",
        ("invalid_grant", Grant::RefreshToken) => {
            "; the refresh token is spent, expired or another client's: give a new one"
        }
        ("invalid_scope", _) => "; check scope",
        ("unauthorized_client" | "unsupported_grant_type", _) => {
            "; allow the client this grant on the server, or use another grant"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn tokens_are_renewed_before_they_expire() {
        for (life, renewed_ns) in [
            ("3600", 3570 * S),
            ("\"60\"", 54 * S),
            ("2", 1_800_000_000),
            ("1e300", u64::MAX),
            ("0", u64::MAX),
            ("-1", u64::MAX),
            ("null", u64::MAX),
            ("\"soon\"", u64::MAX),
        ] {
            let body = format!(
                "{{\"access_token\": \"a\", \"token_type\": \"bearer\", \"expires_in\": {life}}}"
            );
            let token = Token::of_answer(200, body.as_bytes(), 5 * S).unwrap();
            let wanted = if renewed_ns == u64::MAX {
                u64::MAX
            } else {
                renewed_ns + 5 * S
            };
            let is_far = renewed_ns == u64::MAX && token.renew_at_ns > u64::MAX / 20 * 17;
            assert!(
                is_far || token.renew_at_ns == wanted,
                "{life}: {}",
                token.renew_at_ns
            );
            assert_eq!((&*token.access, token.refresh), ("a", None));
        }
    }

    #[test]
    fn answers_without_a_token_are_distinguished() {
        let error = |status, body: &str| Token::of_answer(status, body.as_bytes(), 0).unwrap_err();
        assert_eq!(
            error(
                400,
                r#"{"error": "invalid_grant", "error_description": "no"}"#
            ),
            Refusal::Error("invalid_grant".into(), Some("no".into()))
        );
        // Some servers send errors with status 200.
        assert_eq!(
            error(200, r#"{"error": "bad_verification_code"}"#),
            Refusal::Error("bad_verification_code".into(), None)
        );
        for (status, body, part) in [
            (503, "busy", "status 503"),
            (302, "", "redirects of a token server are not followed"),
            (200, "<html>", "not JSON"),
            (200, "[]", "no access_token"),
            (200, r#"{"access_token": "a b"}"#, "no access_token"),
            (
                200,
                "{\"access_token\": \"a\\r\\nX: y\"}",
                "no access_token",
            ),
            (
                200,
                r#"{"access_token": "a", "token_type": "mac"}"#,
                "of the type mac",
            ),
        ] {
            let Refusal::Other(sentence) = error(status, body) else {
                panic!("{body}");
            };
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
