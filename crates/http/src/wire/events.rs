//! An event stream as it arrives, piece by piece (HTML Standard, 9.2.6).

use std::collections::VecDeque;

/// Bytes of one event, with its name. Longer ones are refused.
const MOST_EVENT_BYTES: usize = 16 << 20;

const TOO_LONG: &str = "an event exceeds 16 MiB";

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A complete event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its type; `message` if the server does not give one.
    pub name: Box<str>,
    /// Its data.
    pub data: String,
}

/// The events of one stream.
#[derive(Debug, Default)]
pub struct Events {
    /// A line that is not yet complete.
    line: Vec<u8>,
    /// Whether the last line ended with CR: an LF that follows ends no further line.
    is_after_return: bool,
    /// Whether a line has come: before it there may be a byte order mark.
    has_begun: bool,
    name: String,
    data: String,
    id: String,
    last_id: String,
    retry_ms: Option<u64>,
    whole: VecDeque<Event>,
}

impl Events {
    /// The next complete event.
    pub fn next_event(&mut self) -> Option<Event> {
        self.whole.pop_front()
    }

    /// The ID of the last event, for `Last-Event-ID`; empty if the server gave none.
    #[must_use]
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// How long the server wants users to wait before they reconnect, in ms.
    #[must_use]
    pub const fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Ends the stream, which may be reopened: an incomplete event is lost.
    pub fn end(&mut self) {
        let ended = std::mem::take(self);
        self.id.clone_from(&ended.last_id);
        self.last_id = ended.last_id;
        self.retry_ms = ended.retry_ms;
        self.whole = ended.whole;
    }

    /// Reads what arrived. The error is a sentence.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut rest = bytes;
        while let Some((&first, after)) = rest.split_first() {
            if std::mem::take(&mut self.is_after_return) && first == b'\n' {
                rest = after;
                continue;
            }
            let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let end = rest.iter().position(is_end);
            let (part, next) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.data.len() + part.len() > MOST_EVENT_BYTES {
                return Err(TOO_LONG.into());
            }
            self.line.extend_from_slice(part);
            let Some((ended_by, next)) = next.split_first() else {
                return Ok(());
            };
            self.is_after_return = *ended_by == b'\r';
            let line = std::mem::take(&mut self.line);
            self.take_line(&line);
            rest = next;
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if is_first => rest,
            _ => line,
        };
        if line.is_empty() {
            self.dispatch();
            return;
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => value.clone_into(&mut self.id),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry_ms = value.parse().ok().or(self.retry_ms);
            }
            _ => {}
        }
    }

    /// Ends an event at an empty line. One without data is dropped, but its ID counts.
    fn dispatch(&mut self) {
        self.last_id.clone_from(&self.id);
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        if data.pop().is_none() {
            return;
        }
        let name = if name.is_empty() { "message" } else { &name };
        self.whole.push_back(Event {
            name: name.into(),
            data,
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(bytes: &[u8]) -> (Vec<(String, String)>, Events) {
        let mut stream = Events::default();
        stream.take(bytes).unwrap();
        let mut found = Vec::new();
        while let Some(event) = stream.next_event() {
            found.push((event.name.into(), event.data));
        }
        (found, stream)
    }

    fn messages(bytes: &str) -> Vec<String> {
        let (found, _) = events(bytes.as_bytes());
        found.into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn examples_of_the_standard_are_read() {
        // The examples of 9.2.6.
        assert_eq!(
            messages("data: YHOO\ndata: +2\ndata: 10\n\n"),
            ["YHOO\n+2\n10"]
        );
        let (found, stream) = events(
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        );
        let data: Vec<_> = found.iter().map(|(_, data)| data.as_str()).collect();
        assert_eq!(data, ["first event", "second event", " third event"]);
        assert_eq!(stream.last_id(), "");
        assert_eq!(messages("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(messages("data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn names_ids_and_retry_times_are_kept() {
        let (found, mut stream) = events(
            "\u{feff}event: add\ndata: 7\nid: 5\nretry: 250\n\nretry: soon\nid: a\0b\nother: x\n\nid: 6\n"
                .as_bytes(),
        );
        assert_eq!(found, [("add".to_owned(), "7".to_owned())]);
        assert_eq!((stream.last_id(), stream.retry_ms()), ("5", Some(250)));
        stream.take(b"data: lost").unwrap();
        stream.end();
        stream.take(b"data: 8\n\n").unwrap();
        let event = stream.next_event().unwrap();
        assert_eq!((&*event.name, event.data.as_str()), ("message", "8"));
        assert_eq!((stream.last_id(), stream.retry_ms()), ("5", Some(250)));
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut stream = Events::default();
        let line = vec![b'x'; 1 << 20];
        let taken: Result<(), String> = (0..17).try_for_each(|_| stream.take(&line));
        assert_eq!(taken, Err(TOO_LONG.to_owned()));
    }

    proptest! {
        #[test]
        fn cuts_and_line_endings_make_no_difference(
            lines in prop::collection::vec("(data|event|id|retry|:|)(: ?)?[a-z0-9]{0,3}", 0..12),
            ends in prop::collection::vec(prop::sample::select(&["\n", "\r", "\r\n"][..]), 12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let plain: String = lines.iter().map(|line| line.clone() + "\n").collect();
            let pairs = lines.iter().zip(&ends);
            // After a CR the LF of an empty line would count as part of the line before.
            let mixed: String = pairs.map(|(line, end)| {
                let end = if *end == "\r" || line.is_empty() { "\r\n" } else { end };
                line.clone() + end
            }).collect();
            let returns = plain.replace('\n', "\r");
            for text in [&plain, &mixed, &returns] {
                let mut stream = Events::default();
                let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
                places.extend([0, text.len()]);
                places.sort_unstable();
                for pair in places.windows(2) {
                    stream.take(&text.as_bytes()[pair[0]..pair[1]]).unwrap();
                }
                let found: Vec<_> = std::iter::from_fn(|| stream.next_event())
                    .map(|event| (event.name.into(), event.data))
                    .collect();
                let (expected, whole) = events(plain.as_bytes());
                prop_assert_eq!(found, expected);
                prop_assert_eq!(stream.last_id(), whole.last_id());
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = events(&bytes);
        }
    }
}
