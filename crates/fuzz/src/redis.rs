//! Replies of a Redis server.

use headcount_load::Fault;
use headcount_redis::resp::{Reply, append_bulk, parse};
use headcount_redis::value;
use headcount_redis::wire::Answers;

use crate::input::Input;

/// Reads one to four replies: the same however they are cut, and what is written again is read alike.
pub fn replies(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    if let Ok(Some((reply, length))) = parse(input.message) {
        assert!(length <= input.message.len());
        let mut again = Vec::new();
        write(&reply, &mut again);
        let whole = again.len();
        assert_eq!(parse(&again), Ok(Some((reply, whole))));
    }
    let (whole, pieces) = (
        received(&input, input.whole()),
        received(&input, input.pieces()),
    );
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// The replies that came, as text, and what became of them: nothing if they are no replies.
fn received<'a>(
    input: &Input<'_>,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> (Vec<String>, Option<Result<(), Fault>>) {
    let mut found = Vec::new();
    let accept = |place, reply: &Reply<'_>| {
        found.push(format!("{reply:?}"));
        match reply {
            Reply::Bulk(Some(bytes)) => value::check(bytes, 7, place, 24),
            _ => Ok(()),
        }
    };
    let mut answers = Answers::new(u32::from(input.mode & 3) + 1, accept);
    let mut is_read = true;
    for piece in pieces {
        is_read = is_read && answers.take(piece).is_ok();
    }
    let is_over = answers.are_over();
    let finished = answers.finish();
    (found, (is_read && is_over).then_some(finished))
}

fn write(reply: &Reply<'_>, out: &mut Vec<u8>) {
    let mut line = |kind: u8, text: &[u8]| {
        out.push(kind);
        out.extend_from_slice(text);
        out.extend_from_slice(b"\r\n");
    };
    match reply {
        Reply::Status(text) => line(b'+', text),
        Reply::Error(text) => line(b'-', text),
        Reply::Integer(number) => line(b':', number.to_string().as_bytes()),
        Reply::Bulk(None) => line(b'$', b"-1"),
        Reply::Bulk(Some(bytes)) => {
            append_bulk(out, bytes.len(), |out| out.extend_from_slice(bytes));
        }
        Reply::Array(parts) => {
            line(b'*', parts.len().to_string().as_bytes());
            for part in parts {
                write(part, out);
            }
        }
    }
}
