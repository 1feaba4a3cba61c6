//! IMAP as the stand-in speaks it: only what the client uses.

use std::cell::RefCell;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem::find;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::house::{Folder, House, Letter, set};

const OFFERED: &str = "IMAP4rev1 SASL-IR AUTH=PLAIN LITERAL+ MOVE UIDPLUS UNSELECT";
const READ_BYTES: usize = 16 << 10;

/// One connection.
struct Session {
    house: Rc<RefCell<House>>,
    user: String,
    selected: String,
    /// The number of messages in the folder that the client knows about.
    announced_total: usize,
    out: Vec<u8>,
}

/// Serves one connection until the client disconnects.
pub async fn serve(mut stream: TcpStream, house: Rc<RefCell<House>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let greeting = format!("* OK [CAPABILITY {OFFERED}] stand-in\r\n");
    stream.write_all(greeting.as_bytes()).await?;
    let mut session = Session {
        house,
        user: String::new(),
        selected: String::new(),
        announced_total: 0,
        out: Vec::new(),
    };
    let mut came = Vec::new();
    loop {
        while let Some((line, literal, used)) = command(&came) {
            session.answer(&line, literal);
            came.drain(..used);
        }
        let out = std::mem::take(&mut session.out);
        stream.write_all(&out).await?;
        came.reserve_exact(READ_BYTES);
        if stream.read_buf(&mut came).await? == 0 {
            return Ok(());
        }
        if came.len() < 64 {
            came.shrink_to_fit();
        }
    }
}

/// The first command, the literal at its end, and the length of both; `None` if it is incomplete.
fn command(came: &[u8]) -> Option<(String, &[u8], usize)> {
    let end = find(came, b"\r\n")?;
    let line = std::str::from_utf8(&came[..end]).unwrap();
    let mut used = end + 2;
    let mut literal: &[u8] = &[];
    if let Some(at) = line.rfind('{')
        && let Some(length) = line[at + 1..].strip_suffix("+}")
    {
        let length: usize = length.parse().unwrap();
        literal = came.get(used..used + length)?;
        used += length + 2; // and the line break
        came.get(..used)?;
    }
    Some((line.to_owned(), literal, used))
}

/// The text in the first quotation marks.
fn quoted(text: &str) -> &str {
    text.split('"').nth(1).unwrap_or_default()
}

impl Session {
    fn say(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.out.extend_from_slice(b"\r\n");
    }

    fn answer(&mut self, line: &str, literal: &[u8]) {
        let (tag, rest) = line.split_once(' ').unwrap();
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut code = String::new();
        match verb {
            "AUTHENTICATE" => {
                let (_, proof) = rest.split_once(' ').unwrap();
                let proof = String::from_utf8(STANDARD.decode(proof).unwrap()).unwrap();
                proof.split('\0').nth(1).unwrap().clone_into(&mut self.user);
                code = format!("[CAPABILITY {OFFERED}] ");
            }
            "SELECT" => self.select(quoted(rest)),
            "STATUS" => {
                let name = quoted(rest);
                let messages = self.with(name, |folder| folder.letters.len());
                self.say(&format!("* STATUS \"{name}\" (MESSAGES {messages})"));
            }
            "APPEND" => {
                let uid = self.with(quoted(rest), |folder| folder.add(literal.into(), true));
                code = format!("[APPENDUID 1 {uid}] ");
            }
            "UID" => {
                let (verb, rest) = rest.split_once(' ').unwrap();
                self.with_uids(verb, rest);
            }
            "EXPUNGE" => self.expunge(|letter| letter.is_deleted),
            "NOOP" | "CHECK" => {}
            "LOGOUT" => self.say("* BYE"),
            other => return self.say(&format!("{tag} BAD {other} is not known")),
        }
        if !self.selected.is_empty() {
            let exists = self.here(|folder| folder.letters.len());
            if exists != self.announced_total {
                self.announced_total = exists;
                self.say(&format!("* {exists} EXISTS"));
            }
        }
        self.say(&format!("{tag} OK {code}done"));
    }

    fn select(&mut self, name: &str) {
        name.clone_into(&mut self.selected);
        let (exists, next) = self.here(|folder| (folder.letters.len(), folder.last_uid + 1));
        self.announced_total = exists;
        self.say(&format!(
            "* {exists} EXISTS\r\n* OK [UIDVALIDITY 1]\r\n* OK [UIDNEXT {next}]"
        ));
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Folder) -> T) -> T {
        act(self.house.borrow_mut().folder(&self.user, name))
    }

    fn here<T>(&self, act: impl FnOnce(&mut Folder) -> T) -> T {
        self.with(&self.selected, act)
    }

    fn with_uids(&mut self, verb: &str, rest: &str) {
        if verb == "SEARCH" {
            return self.search(rest);
        }
        let (uids, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let uids = set(uids);
        let is_meant = |letter: &Letter| uids.iter().any(|range| range.contains(&letter.uid));
        match verb {
            "FETCH" => self.fetch(rest, is_meant),
            "STORE" => self.here(|folder| {
                for letter in folder.letters.iter_mut().filter(|letter| is_meant(letter)) {
                    letter.is_seen |= rest.contains("\\Seen");
                    letter.is_deleted |= rest.contains("\\Deleted");
                }
            }),
            "EXPUNGE" => self.expunge(|letter| letter.is_deleted && is_meant(letter)),
            "MOVE" => {
                let moved = self.remove(is_meant);
                self.with(quoted(rest), |folder| {
                    for letter in moved {
                        folder.add(letter.text, letter.is_seen);
                    }
                });
            }
            _ => self.say("* BAD not known"),
        }
    }

    fn search(&mut self, key: &str) {
        let found: Vec<u32> = self.here(|folder| {
            let letters = folder.letters.iter();
            if let Some(rest) = key.strip_prefix("UID ") {
                let (uids, key) = rest.split_once(' ').unwrap();
                let uids = set(uids);
                let id = quoted(key).as_bytes();
                letters
                    .filter(|letter| uids.iter().any(|range| range.contains(&letter.uid)))
                    .filter(|letter| match key {
                        "UNSEEN" => !letter.is_seen,
                        _ => find(&letter.text, id).is_some(),
                    })
                    .map(|letter| letter.uid)
                    .collect()
            } else {
                let numbers = set(key);
                let is_meant = |index: usize| {
                    let number = index as u32 + 1;
                    numbers.iter().any(|range| range.contains(&number))
                };
                letters
                    .enumerate()
                    .filter(|(index, _)| is_meant(*index))
                    .map(|(_, letter)| letter.uid)
                    .collect()
            }
        });
        let words: Vec<String> = found.iter().map(u32::to_string).collect();
        self.say(format!("* SEARCH {}", words.join(" ")).trim_end());
    }

    fn fetch(&mut self, what: &str, is_meant: impl Fn(&Letter) -> bool) {
        let section = what
            .trim_start_matches("(BODY.PEEK[")
            .trim_end_matches("])");
        let meant: Vec<(usize, Letter)> = self.here(|folder| {
            let letters = folder.letters.iter().enumerate();
            letters
                .filter(|(_, letter)| is_meant(letter))
                .map(|(index, letter)| (index + 1, letter.clone()))
                .collect()
        });
        for (number, letter) in meant {
            let bytes = cut(&letter.text, section);
            let uid = letter.uid;
            let length = bytes.len();
            self.say(&format!(
                "* {number} FETCH (UID {uid} BODY[{section}] {{{length}}}"
            ));
            self.out.extend_from_slice(bytes);
            self.say(")");
        }
    }

    fn expunge(&mut self, leaves: impl Fn(&Letter) -> bool) {
        self.remove(leaves);
    }

    fn remove(&mut self, leaves: impl Fn(&Letter) -> bool) -> Vec<Letter> {
        let (numbers, taken) = self.here(|folder| folder.take(leaves));
        let mut announced = 0;
        for (before, number) in numbers.iter().enumerate() {
            // No EXPUNGE for messages that were never announced.
            if number + before <= self.announced_total {
                self.say(&format!("* {number} EXPUNGE"));
                announced += 1;
            }
        }
        self.announced_total -= announced;
        taken
    }
}

/// A section of a message: its header, its text, all of it, or one of its parts.
fn cut<'a>(text: &'a [u8], section: &str) -> &'a [u8] {
    let body = find(text, b"\r\n\r\n").unwrap() + 4;
    match section {
        "HEADER" => &text[..body],
        "TEXT" => &text[body..],
        "" => text,
        number => part(&text[body..], number.parse().unwrap()),
    }
}

/// A part of a message, whose body begins with the boundary line.
fn part(body: &[u8], number: usize) -> &[u8] {
    let line = &body[..find(body, b"\r\n").unwrap()];
    let mut rest = body;
    for _ in 0..number {
        let at = find(rest, line).unwrap();
        rest = &rest[at + line.len() + 2..];
    }
    let contents = &rest[find(rest, b"\r\n\r\n").unwrap() + 4..];
    &contents[..find(contents, line).unwrap() - 2]
}
