//! Headers given in options and workloads, checked, and ready to be sent.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers about the framing of a message or the purpose of the connection: only the client sets
/// them.
const OWN: [&str; 8] = [
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers as bytes for HTTP/1.1 and as values for HTTP/2.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// Name, value, and both as a line.
    all: Vec<(HeaderName, HeaderValue, Box<[u8]>)>,
}

impl Headers {
    /// Checks the given headers. The error is a sentence.
    pub fn parse(given: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut headers = Self::default();
        for (name, value) in given {
            headers.add(name, value)?;
        }
        Ok(headers)
    }

    /// The name of a header that a workload may set. The error is a sentence.
    pub fn name(name: &str) -> Result<HeaderName, String> {
        let known = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("\"{}\" is not the name of a header", name.escape_default()))?;
        if OWN.contains(&known.as_str()) {
            return Err(format!("the client sets header {name} itself; remove it"));
        }
        Ok(known)
    }

    /// Adds one.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let known = Self::name(name)?;
        let text = HeaderValue::from_str(value).map_err(|_| {
            format!(
                "the header {name} may not have the value \"{}\"",
                value.escape_default()
            )
        })?;
        let line = format!("{name}: {value}\r\n").into_bytes();
        self.all.push((known, text, line.into()));
        Ok(())
    }

    /// These headers, except for those that `others` replaces, followed by `others`.
    #[must_use]
    pub fn replaced_by(mut self, others: Self) -> Self {
        self.all.retain(|(name, _, _)| !others.has(name));
        self.all.extend(others.all);
        self
    }

    /// The headers that are wanted.
    #[must_use]
    pub fn filtered(&self, is_wanted: impl Fn(&HeaderName) -> bool) -> Self {
        let wanted = self.all.iter().filter(|(name, _, _)| is_wanted(name));
        Self {
            all: wanted.cloned().collect(),
        }
    }

    /// The value of the last header with this name.
    #[must_use]
    pub fn value(&self, name: &HeaderName) -> Option<&str> {
        let last = self.all.iter().rev().find(|(known, _, _)| known == name);
        last.and_then(|(_, value, _)| value.to_str().ok())
    }

    /// Whether there is a header with this name.
    #[must_use]
    pub fn has(&self, name: &HeaderName) -> bool {
        self.all.iter().any(|(known, _, _)| known == name)
    }

    /// Appends all headers for which `is_sent` holds, as lines.
    pub fn write(&self, is_sent: impl Fn(&HeaderName) -> bool, out: &mut Vec<u8>) {
        for (name, _, line) in &self.all {
            if !is_sent(name) {
                out.extend_from_slice(line);
            }
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Inserts all headers into a map, replacing those with the same name.
    pub fn insert(&self, map: &mut HeaderMap) {
        for (name, value, _) in &self.all {
            map.insert(name.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_step_replace_those_of_the_target() {
        let headers = |pairs: &[(&str, &str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()));
            Headers::parse(&pairs.collect()).unwrap()
        };
        let (all, own) = (headers(&[("A", "1"), ("B", "2")]), headers(&[("b", "3")]));
        let mut out = Vec::new();
        all.write(|name| own.has(name), &mut out);
        own.write(|_| false, &mut out);
        assert_eq!(out, b"A: 1\r\nb: 3\r\n");
    }

    #[test]
    fn headers_that_would_break_a_request_are_refused() {
        for (name, value, part) in [
            ("A b", "1", "not the name"),
            ("", "1", "not the name"),
            ("A", "1\r\nB: 2", "may not have the value"),
            ("Content-Length", "5", "itself"),
            ("connection", "close", "itself"),
        ] {
            let sentence = Headers::default().add(name, value).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
