//! Another parser, `imap-proto`, parses the same answers to the same result, whatever pieces they
//! arrive in: generated answers, and those of a real Dovecot.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::common::dovecot::{Dovecot, PASSWORD};
use headcount_mail::imap::wire::answer::{Answer, State, each_pair, read};
use headcount_mail::imap::wire::fetch;
use headcount_mail::imap::wire::found::read_search;
use headcount_mail::imap::wire::reader::{Event, Reader};
use imap_proto::{AttributeValue, MailboxDatum, Outcome, Response, StatusAttribute};
use proptest::prelude::*;

/// What our parser makes of answers, one line each.
fn ours(pieces: &[&[u8]]) -> Result<Vec<String>, String> {
    let (mut reader, mut seen) = (Reader::default(), Vec::new());
    let (mut contents, mut passed) = (Vec::new(), Vec::new());
    for piece in pieces {
        reader.take(piece, &mut |event| {
            match event {
                Event::Piece { bytes, of, .. } => {
                    contents.extend_from_slice(bytes);
                    if contents.len() as u64 == of {
                        passed.push(std::mem::take(&mut contents));
                    }
                }
                Event::Answer(text) => {
                    seen.push(meaning(text, &mut passed)?);
                }
            }
            Ok(())
        })?;
    }
    assert!(reader.is_between(), "the end is the end of an answer");
    Ok(seen)
}

fn meaning(text: &[u8], passed: &mut Vec<Vec<u8>>) -> Result<String, &'static str> {
    Ok(match read(text)? {
        Answer::Done(tag, state) => format!("{} {}", tag.escape_ascii(), state_text(&state)),
        Answer::Continue(_) => "continue".into(),
        Answer::State(state) => format!("* {}", state_text(&state)),
        Answer::Exists(number) => format!("exists {number}"),
        Answer::Expunge(number) => format!("expunge {number}"),
        Answer::Fetch(_) => message(text, passed)?,
        Answer::Capability(names) => {
            format!("capability {}", names.split(|byte| *byte == b' ').count())
        }
        Answer::List(listed) => format!(
            "list {} {:?} {}",
            listed
                .attributes
                .split(|byte| *byte == b' ')
                .filter(|word| !word.is_empty())
                .count(),
            listed.delimiter.map(char::from),
            listed.name.escape_ascii()
        ),
        Answer::Status(name, pairs) => {
            let mut figures = Vec::new();
            each_pair(pairs, &mut |word, number| {
                figures.push(format!("{}={number}", word.escape_ascii()));
            })?;
            format!("status {} {figures:?}", name.escape_ascii())
        }
        Answer::Search(numbers) => {
            let mut found = Vec::new();
            read_search(numbers, &mut found)?;
            format!("search {found:?}")
        }
        _ => "other".into(),
    })
}

fn state_text(state: &State<'_>) -> String {
    let next = state.number("UIDNEXT").or(state.number("UIDVALIDITY"));
    format!(
        "{:?} {next:?} {}",
        state.condition,
        state.text.trim_ascii().escape_ascii()
    )
    .to_lowercase()
}

fn message(text: &[u8], passed: &mut Vec<Vec<u8>>) -> Result<String, &'static str> {
    let (mut sections, mut passed) = (Vec::new(), passed.drain(..));
    let known = fetch::read(text, &mut |_, _, inline| {
        let bytes = inline.map_or_else(|| passed.next().unwrap(), std::borrow::Cow::into_owned);
        sections.push(bytes.escape_ascii().to_string());
    })?;
    assert_eq!(passed.next(), None, "every section is named");
    let flags = known
        .flags
        .map(|flags| flags.escape_ascii().to_string().to_lowercase());
    let envelope = known.envelope.is_some();
    Ok(format!(
        "fetch {} {:?} {flags:?} {:?} {envelope} {sections:?}",
        known.number, known.uid, known.size
    ))
}

/// What the other parser makes of the same bytes.
fn theirs(mut bytes: &[u8]) -> Vec<String> {
    let mut seen = Vec::new();
    while !bytes.is_empty() {
        let shown = bytes[..bytes.len().min(300)].escape_ascii().to_string();
        let (rest, response) =
            Response::parse(bytes).unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        bytes = rest;
        seen.push(match response {
            Response::Done {
                tag,
                status,
                outcome,
            } => {
                format!(
                    "{} {}",
                    tag.0.as_bytes().escape_ascii(),
                    outcome_text(&format!("{status:?}"), &outcome)
                )
            }
            Response::Continue(_) => "continue".into(),
            Response::Data { status, outcome } => {
                format!("* {}", outcome_text(&format!("{status:?}"), &outcome))
            }
            Response::MailboxData(MailboxDatum::Exists(number)) => format!("exists {number}"),
            Response::Expunge(number) => format!("expunge {number}"),
            Response::Fetch(number, items) => fetched(number, items),
            Response::Capabilities(names) => format!("capability {}", names.len()),
            Response::MailboxData(MailboxDatum::List(listed)) => format!(
                "list {} {:?} {}",
                listed.name_attributes.len(),
                listed.delimiter.and_then(|text| text.chars().next()),
                listed.name.as_bytes().escape_ascii()
            ),
            Response::MailboxData(MailboxDatum::Status { mailbox, status }) => {
                let figures: Vec<String> = status.iter().map(figure).collect();
                format!("status {} {figures:?}", mailbox.as_bytes().escape_ascii())
            }
            Response::MailboxData(MailboxDatum::Search(found)) => format!("search {found:?}"),
            _ => "other".into(),
        });
    }
    seen
}

fn figure(status: &StatusAttribute) -> String {
    match status {
        StatusAttribute::Messages(number) => format!("MESSAGES={number}"),
        StatusAttribute::UidNext(number) => format!("UIDNEXT={number}"),
        StatusAttribute::Unseen(number) => format!("UNSEEN={number}"),
        other => format!("{other:?}"),
    }
}

fn outcome_text(status: &str, outcome: &Outcome<'_>) -> String {
    use imap_proto::ResponseCode as C;
    let next = match &outcome.code {
        Some(C::UidNext(number) | C::UidValidity(number)) => Some(*number),
        _ => None,
    };
    let text = outcome.information.as_deref().unwrap_or_default().trim();
    format!("{status} {next:?} {}", text.as_bytes().escape_ascii()).to_lowercase()
}

fn fetched(number: u32, items: Vec<AttributeValue<'_>>) -> String {
    use AttributeValue as V;
    let (mut uid, mut flags, mut size, mut envelope) = (None, None, None, false);
    let mut sections = Vec::new();
    for item in items {
        match item {
            V::Uid(number) => uid = Some(number),
            V::Flags(words) => flags = Some(words.join(" ").to_lowercase()),
            V::Rfc822Size(bytes) => size = Some(u64::from(bytes)),
            V::Envelope(_) => envelope = true,
            V::BodySection { data, .. }
            | V::Rfc822(data)
            | V::Rfc822Header(data)
            | V::Rfc822Text(data) => {
                sections.push(data.unwrap_or_default().escape_ascii().to_string());
            }
            _ => {}
        }
    }
    let flags = flags.map(|flags| flags.as_bytes().escape_ascii().to_string());
    format!("fetch {number} {uid:?} {flags:?} {size:?} {envelope} {sections:?}")
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -!#-\\[\\]-~]{0,12}".prop_map(|text| format!("\"{text}\"")),
        "[ -~]{0,20}".prop_map(|text| format!("{{{}}}\r\n{text}", text.len())),
    ]
}

fn contents() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -!#-\\[\\]-~]{0,12}".prop_map(|text| format!("\"{text}\"")),
        "[ -~\r\n]{0,200}".prop_map(|text| format!("{{{}}}\r\n{text}", text.len())),
        Just("NIL".to_owned()),
    ]
}

fn item() -> impl Strategy<Value = String> {
    let section = "(TEXT|HEADER|1|2\\.3|HEADER\\.FIELDS \\(FROM \"TO\"\\)|)";
    prop_oneof![
        any::<u32>().prop_map(|uid| format!("UID {uid}")),
        "(\\\\Seen|\\\\Answered|[a-z$]{1,6})( \\\\Deleted| [a-z]{1,6}){0,2}".prop_map(|flags| format!("FLAGS ({flags})")),
        any::<u32>().prop_map(|size| format!("RFC822.SIZE {size}")),
        (section, prop::option::of(any::<u32>()), contents()).prop_map(|(section, origin, data)| {
            let origin = origin.map(|origin| format!("<{origin}>")).unwrap_or_default();
            format!("BODY[{section}]{origin} {data}")
        }),
        contents().prop_map(|data| format!("RFC822.HEADER {data}")),
        (string(), string(), string()).prop_map(|(subject, name, host)| {
            format!("ENVELOPE (NIL {subject} (({name} NIL \"a\" {host})) NIL NIL NIL NIL NIL NIL {subject})")
        }),
    ]
}

fn answer() -> impl Strategy<Value = String> {
    let number = any::<u32>();
    prop_oneof![
        number.prop_map(|number| format!("* {number} EXISTS\r\n")),
        number.prop_map(|number| format!("* {number} EXPUNGE\r\n")),
        (1u32.., prop::collection::vec(item(), 1..5))
            .prop_map(|(number, items)| format!("* {number} FETCH ({})\r\n", items.join(" "))),
        (
            "(\\\\Sent( \\\\HasNoChildren)?)?",
            "(\"/\"|NIL|\"\\.\")",
            prop_oneof![string(), "[a-zA-Z]{1,9}".boxed()]
        )
            .prop_map(|(attributes, delimiter, name)| format!(
                "* LIST ({attributes}) {delimiter} {name}\r\n"
            )),
        (string(), number, number).prop_map(|(name, messages, next)| {
            format!("* STATUS {name} (MESSAGES {messages} UIDNEXT {next})\r\n")
        }),
        prop::collection::vec(number, 0..20).prop_map(|numbers| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            format!("* SEARCH {}", numbers.join(" "))
                .trim_end()
                .to_owned()
                + "\r\n"
        }),
        (
            "(\\*|a[0-9]{1,4})",
            "(OK|NO|BAD)",
            "(\\[UIDNEXT 5\\] |\\[READ-WRITE\\] |)[a-z][ -Z^-~]{0,30}"
        )
            .prop_map(|(tag, condition, text)| format!("{tag} {condition} {text}\r\n")),
        "[a-z ]{0,20}\\{3\\}".prop_map(|text| format!("* BYE x{text}\r\n")),
        "[a-z]{1,20}".prop_map(|text| format!("+ {text}\r\n")),
        Just("* CAPABILITY IMAP4rev1 IDLE X-SOMETHING AUTH=PLAIN\r\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn generated_answers_mean_the_same(
        answers in prop::collection::vec(answer(), 1..6),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = answers.concat().into_bytes();
        let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        ends.extend([0, bytes.len()]);
        ends.sort_unstable();
        let pieces: Vec<_> = ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(ours(&pieces).unwrap(), theirs(&bytes));
    }
}

/// Everything that Dovecot answers to these commands.
fn record(dovecot: &Dovecot) -> Vec<u8> {
    let stream = TcpStream::connect(("127.0.0.1", dovecot.port())).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut heard = Vec::new();
    reader.read_until(b'\n', &mut heard).unwrap();
    let text =
        "Subject: =?utf-8?q?a?= \"quoted\" {5}\r\nFrom: \"B [c]\" <b@test.invalid>\r\n\r\nbody\r\n"
            .repeat(3);
    let commands = format!(
        "a1 LOGIN u00000 {PASSWORD}\r\na2 CREATE \"a [b] {{3+}}\"\r\na3 LIST \"\" \"*\"\r\na4 STATUS Sent (MESSAGES UIDNEXT UNSEEN)\r\n\
         a5 APPEND INBOX (\\Seen) {{{}+}}\r\n{text}\r\na6 SELECT INBOX\r\na7 UID FETCH 1:* (FLAGS RFC822.SIZE ENVELOPE \
         BODY.PEEK[HEADER] BODY.PEEK[TEXT] BODYSTRUCTURE)\r\na8 FETCH 1 (RFC822 RFC822.TEXT BODY[]<3.9>)\r\na9 UID SEARCH ALL\r\n\
         a10 NONSENSE\r\na11 UID STORE 1 +FLAGS (\\Deleted)\r\na12 EXPUNGE\r\na13 LOGOUT\r\n",
        text.len()
    );
    (&stream).write_all(commands.as_bytes()).unwrap();
    reader.read_to_end(&mut heard).unwrap();
    heard
}

#[test]
fn dovecots_answers_mean_the_same() {
    let dovecot = Dovecot::start();
    let heard = record(&dovecot);
    let whole = theirs(&heard);
    assert!(whole.len() > 28, "{whole:#?}");
    assert_eq!(ours(&[&heard]).unwrap(), whole);
    let bytes: Vec<&[u8]> = heard.chunks(1).collect();
    assert_eq!(ours(&bytes).unwrap(), whole);
    assert!(
        whole
            .iter()
            .any(|line| line.starts_with("fetch 1 Some(1)") && line.contains("body"))
    );
}
