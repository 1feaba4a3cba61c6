//! Answers of IMAP.

use headcount_mail::imap::name;
use headcount_mail::imap::wire::answer::{Answer, each_pair, read};
use headcount_mail::imap::wire::cursor::Cursor;
use headcount_mail::imap::wire::reader::{Event, Reader};
use headcount_mail::imap::wire::{fetch, found};

use crate::input::Input;

/// What the reader reported: answers, and contents put together.
type Heard = Vec<(Vec<u8>, Vec<u8>)>;

fn hear<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<Heard, String> {
    let (mut reader, mut heard) = (Reader::default(), Heard::new());
    for piece in pieces {
        reader.take(piece, &mut |event| note(&event, &mut heard))?;
    }
    Ok(heard)
}

fn note(event: &Event<'_>, heard: &mut Heard) -> Result<(), String> {
    match *event {
        Event::Piece {
            text,
            at,
            of,
            bytes,
        } => {
            assert!(at + bytes.len() as u64 <= of, "no more than was announced");
            fetch::read(text, &mut |_, _, _| {})?;
            if at == 0 {
                heard.push((text.to_vec(), Vec::new()));
            }
            if let Some((_, contents)) = heard.last_mut() {
                assert_eq!(contents.len() as u64, at, "in order");
                contents.extend_from_slice(bytes);
            }
        }
        Event::Answer(text) => {
            understand(text)?;
            heard.push((text.to_vec(), Vec::new()));
        }
    }
    Ok(())
}

/// Reads what an answer says, as the commands do.
fn understand(text: &[u8]) -> Result<(), String> {
    match read(text)? {
        Answer::Fetch(_) => {
            fetch::read(text, &mut |_, _, _| {})?;
        }
        Answer::Search(numbers) => found::read_search(numbers, &mut Vec::new())?,
        Answer::Esearch(numbers) => found::read_esearch(numbers, &mut Vec::new())?,
        Answer::Vanished(_, uids) => {
            found::count(uids)?;
        }
        Answer::Status(folder, pairs) => {
            let _ = name::decode(&folder);
            each_pair(pairs, &mut |_, _| {})?;
        }
        Answer::List(listed) => {
            let _ = name::decode(&listed.name);
        }
        Answer::Namespace(cursor) | Answer::Quota(cursor) => walk(cursor)?,
        Answer::Done(_, state) | Answer::State(state) => {
            for code in ["APPENDUID", "COPYUID", "UIDNEXT", "CAPABILITY"] {
                let _ = (state.code(code), state.number(code));
            }
        }
        _ => {}
    }
    Ok(())
}

fn walk(mut cursor: Cursor<'_>) -> Result<(), &'static str> {
    while !cursor.is_at_end() {
        let before = cursor.rest().len();
        cursor.value()?;
        cursor.take(b' ');
        assert!(cursor.rest().len() < before, "a value is not nothing");
    }
    Ok(())
}

/// Reads answers: the same however they are cut.
pub fn answers(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, pieces) = (hear(input.whole()), hear(input.pieces()));
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// Reads words of one answer in every way; each takes something or is wrong.
pub fn words(data: &[u8]) {
    let Some((&mode, text)) = data.split_first() else {
        return;
    };
    let _ = (understand(text), walk(Cursor::new(text)));
    let _ = fetch::read(text, &mut |_, _, _| {});
    let mut cursor = Cursor::new(text);
    for turn in 0..text.len() {
        let before = cursor.rest().len();
        let is_read = match (usize::from(mode) + turn) % 6 {
            0 => cursor.string().is_ok(),
            1 => cursor.astring().is_ok(),
            2 => cursor.nstring().is_ok(),
            3 => cursor.atom().is_ok(),
            4 => cursor.number().is_ok(),
            _ => cursor.literal_length().is_ok(),
        };
        if !is_read && !cursor.take(b' ') {
            break;
        }
        assert!(cursor.rest().len() < before);
    }
}

/// Names of mailboxes: what is encoded comes back, and any bytes are a name.
pub fn names(data: &[u8]) {
    let _ = name::decode(data);
    if let Ok(text) = std::str::from_utf8(data) {
        let mut wire = Vec::new();
        name::encode(text, &mut wire);
        assert!(wire.iter().all(|byte| (b' '..=b'~').contains(byte)));
        assert_eq!(name::decode(&wire), text);
    }
}
