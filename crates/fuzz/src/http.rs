//! Answers of HTTP.

use headcount_http::client::jar::{Jar, MOST_COOKIE_BYTES, MOST_COOKIES, Site};
use headcount_http::connection::http2::read_head;
use headcount_http::pages::Content;
use headcount_http::pages::content::Owner;
use headcount_http::wire::chunked::Chunked;
use headcount_http::wire::head::Head;
use headcount_http::wire::reply::Reply;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::input::Input;

/// The request was HEAD.
const OF_HEAD: u8 = 0;
/// The contents are compared with those of a page.
const IS_CHECKED: u8 = 1;
/// The page is of bytes, not of text.
const IS_BINARY: u8 = 2;

/// When cookies are set: 28 November 2026.
const NOW_S: i64 = 1_795_860_000;

/// A longer answer may exceed the limit of a head if it comes in pieces, and not if it comes whole.
const MOST_BYTES: usize = 60_000;

/// What came of an answer; nothing of one that was refused.
#[derive(Debug, PartialEq)]
struct Answer {
    head: Option<Head>,
    received: u64,
    is_over: bool,
    text: Option<String>,
    headers: Vec<(String, Vec<u8>)>,
    is_whole: bool,
    /// What the check of its contents found: their length, or where they differ; with no difference
    /// their compression is damaged. Why they differ is found in what came with it, so a cut matters.
    checked: Option<Result<u64, ()>>,
}

fn answer<'a>(
    input: &Input<'_>,
    pieces: impl Iterator<Item = &'a [u8]>,
    discards: bool,
) -> Result<Answer, String> {
    let content = if input.is_on(IS_BINARY) {
        Content::Binary
    } else {
        Content::Text
    };
    let owner = Owner {
        seed: 1,
        page: 2,
        content,
    };
    let wanted = input.is_on(IS_CHECKED).then_some(owner);
    let mut reply = Reply::new(input.is_on(OF_HEAD), wanted);
    let mut headers = Vec::new();
    for piece in pieces {
        reply.take(piece, &mut |name, value| {
            headers.push((name.to_owned(), value.to_vec()));
        })?;
        if discards {
            let bytes = reply.discardable().min(3);
            reply.discarded(bytes)?;
        }
    }
    let is_over = reply.is_over();
    let is_whole = reply.close().is_ok();
    // Which of two errors is seen first, in the contents or in their compression, may depend on the
    // pieces: a decoder drops what it had unpacked of a piece that it cannot read to its end.
    let checked = reply.take_sink().map(|sink| sink.finish().map_err(drop));
    Ok(Answer {
        head: reply.head().copied(),
        received: reply.received(),
        is_over,
        text: reply.text(),
        headers,
        is_whole,
        checked,
    })
}

/// Reads an answer of HTTP/1.1: the same however it is cut.
pub fn reply(data: &[u8]) {
    let Some(input) = Input::new(data).filter(|input| input.message.len() < MOST_BYTES) else {
        return;
    };
    let (whole, pieces) = (
        answer(&input, input.whole(), false).ok(),
        answer(&input, input.pieces(), false).ok(),
    );
    assert_eq!(whole, pieces, "pieces make no difference");
    let _ = answer(&input, input.pieces(), true);
    if let Some(whole) = whole {
        let mut jar = Jar::default();
        for (name, value) in &whole.headers {
            if name.eq_ignore_ascii_case("set-cookie") {
                let site = Site {
                    host: "www.example.org",
                    is_tls: true,
                };
                jar.set(value, site, "/a/b?c", NOW_S);
            }
        }
    }
}

/// Reads a body that is said to be gzip.
pub fn gzip(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let head = &b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "[..];
    let length = input.message.len().to_string();
    let message = [head, length.as_bytes(), b"\r\n\r\n", input.message].concat();
    let mut input = input.with(&message);
    input.mode = input.mode & !(1 << OF_HEAD) | 1 << IS_CHECKED;
    let (whole, pieces) = (
        answer(&input, input.whole(), false),
        answer(&input, input.pieces(), false),
    );
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// Reads a body in chunks: the same data however it is cut, and no more of it than came.
pub fn chunks(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, pieces) = (decoded(input.whole()), decoded(input.pieces()));
    assert_eq!(whole.is_err(), pieces.is_err(), "pieces make no difference");
    if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
        let (body, used, _) = &whole;
        assert!(body.len() <= *used && *used <= input.message.len());
        assert_eq!(whole, pieces, "pieces make no difference");
    }
}

fn decoded<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<(Vec<u8>, usize, bool), String> {
    let (mut body, mut used, mut chunked) = (Vec::new(), 0, Chunked::default());
    for piece in pieces {
        used += chunked.take(piece, |data| body.extend_from_slice(data))?;
    }
    Ok((body, used, chunked.is_over()))
}

/// Sets cookies, a line for each: what goes back has no line ends, and a limit.
pub fn cookies(data: &[u8]) {
    let Some((&mode, lines)) = data.split_first() else {
        return;
    };
    let hosts = ["www.example.org", "localhost", "127.0.0.1", "::1"];
    let paths = ["/", "/a/b?c=/d", "", "/shop/"];
    let host = hosts[usize::from(mode & 3)];
    let path = paths[usize::from(mode >> 2 & 3)];
    let site = Site {
        host,
        is_tls: mode & 16 == 0,
    };
    let mut jar = Jar::default();
    for line in lines.split(|byte| *byte == b'\n') {
        jar.set(line, site, path, NOW_S);
    }
    let mut out = String::new();
    jar.write(path, site, NOW_S, &mut out);
    assert!(!out.contains(|c: char| c.is_ascii_control() && c != '\t'));
    assert!(out.len() <= MOST_COOKIES * (MOST_COOKIE_BYTES + 3));
}

/// Reads the head of an answer of HTTP/2: a line for each header.
pub fn head_of_http2(data: &[u8]) {
    let Some((&mode, lines)) = data.split_first() else {
        return;
    };
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n').take(100) {
        let at = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(at.unwrap_or(line.len()));
        let name = HeaderName::from_bytes(name);
        let value = HeaderValue::from_bytes(value.get(1..).unwrap_or_default());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let _ = read_head(100 + u16::from(mode), &headers, mode & 1 == 0);
}
