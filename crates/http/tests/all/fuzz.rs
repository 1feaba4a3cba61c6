//! Random and mutated answers: parsers return, and never panic.

use headcount_http::pages::content::Owner;
use headcount_http::pages::{Content, PageSet};
use headcount_http::wire::chunked::Chunked;
use headcount_http::wire::head::parse;
use headcount_http::wire::reply::Reply;
use headcount_http::{HttpOptions, Step};
use headcount_load::Compile;
use proptest::prelude::*;

/// Feeds an answer in pieces. Returns the bytes of its body, or `None` after an error.
fn read(bytes: &[u8], cuts: &[usize], of_head: bool) -> Option<u64> {
    let owner = Owner {
        seed: 1,
        page: 2,
        content: Content::Text,
    };
    let mut reply = Reply::new(of_head, Some(owner));
    let mut start = 0;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        let end = cut.clamp(start, bytes.len());
        reply.take(&bytes[start..end], &mut |_, _| {}).ok()?;
        let discardable = reply.discardable().min(3);
        reply.discarded(discardable).ok()?;
        start = end;
    }
    let closed = reply.close();
    if let Some(sink) = reply.take_sink() {
        let _ = sink.finish();
    }
    closed.ok().map(|()| reply.received())
}

const ANSWERS: [&[u8]; 4] = [
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 20\r\nConnection: keep-alive\r\n\r\n0123456789abcdefghij",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
    b"HTTP/1.0 302 Found\r\nLocation: /\r\nSet-Cookie: a=b\r\n\r\nuntil the end",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_answers(bytes in prop::collection::vec(any::<u8>(), 0..300), of_head: bool) {
        read(&bytes, &[], of_head);
    }

    #[test]
    fn random_headers(
        status in 0u16..1200,
        lines in prop::collection::vec(
            ("(?i)(content-length|transfer-encoding|connection|content-encoding|[a-z-]{1,12})",
             "[ -~]{0,20}"), 0..8),
    ) {
        let mut text = format!("HTTP/1.1 {status:03} x\r\n");
        for (name, value) in &lines {
            text.extend([name, ": ", value, "\r\n"]);
        }
        text.push_str("\r\n");
        if let Ok(Some((_, length))) = parse(text.as_bytes(), false, |_, _| {}) {
            prop_assert!(length <= text.len());
        }
    }

    #[test]
    fn mutated_answers(
        which in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cuts in prop::collection::vec(0usize..150, 0..5),
        of_head: bool,
    ) {
        let mut bytes = ANSWERS[which].to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let mut cuts = cuts;
        cuts.sort_unstable();
        read(&bytes, &cuts, of_head);
    }

    /// httparse's parser of chunk sizes is the oracle.
    #[test]
    fn sizes_of_chunks_agree_with_another_parser(line in "[0-9a-fA-F]{1,17}(;[ -~]{0,10})?") {
        let text = format!("{line}\r\n");
        let mut chunked = Chunked::default();
        let ours = chunked.take(text.as_bytes(), |_| {}).map(|_| chunked.left());
        match httparse::parse_chunk_size(text.as_bytes()) {
            Ok(httparse::Status::Complete((_, size))) => prop_assert_eq!(ours, Ok(size)),
            Ok(httparse::Status::Partial) => prop_assert!(false, "a whole line"),
            Err(_) => prop_assert!(ours.is_err(), "{:?}", ours),
        }
    }

    #[test]
    fn random_paths(path in "(/|/cgi-bin/page\\?seed=)?[ -~]{0,60}") {
        let set: PageSet = HttpOptions::new("http://a").data_set;
        if let Some(page) = set.find(&path) {
            prop_assert_eq!(set.path(&page), path);
        }
    }

    #[test]
    fn random_steps(op in "get|request|post|[a-z]{0,6}", key in "[a-z_]{0,12}", text in ".{0,20}") {
        for value in [serde_json::json!(text), serde_json::json!([text]), serde_json::json!(5)] {
            let step = serde_json::json!({"op": op, "path": "/", key.clone(): value});
            let _ = Step::compile(&step);
        }
    }
}
