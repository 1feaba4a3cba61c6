//! Replies of SMTP and LMTP, and what clients of the front send.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use headcount_mail::front::inbound::{Inbound, Incoming};
use headcount_mail::smtp::{Extensions, Replies, Reply};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::{Builder, Runtime};

use crate::input::Input;

fn replied<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Reply>, String> {
    let (mut replies, mut found) = (Replies::new(), Vec::new());
    for piece in pieces {
        replies.take(piece)?;
        while let Some(reply) = replies.pop() {
            found.push(reply);
        }
    }
    Ok(found)
}

/// Reads replies: the same however they are cut, and fit for a terminal.
pub fn replies(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, pieces) = (replied(input.whole()), replied(input.pieces()));
    assert_eq!(whole.is_err(), pieces.is_err(), "pieces make no difference");
    let (Ok(whole), Ok(pieces)) = (whole, pieces) else {
        return;
    };
    for reply in &whole {
        assert!((200..600).contains(&reply.code));
        assert!(!reply.to_string().contains(char::is_control));
        let _ = (reply.enhanced(), Extensions::read(reply));
    }
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// A client whose bytes come in these pieces, and who hears nothing.
struct Client<I> {
    pieces: I,
}

impl<'a, I: Iterator<Item = &'a [u8]> + Unpin> AsyncRead for Client<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(piece) = self.pieces.next() {
            into.put_slice(piece);
        }
        Poll::Ready(Ok(()))
    }
}

impl<I: Unpin> AsyncWrite for Client<I> {
    fn poll_write(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Lines and messages in the order in which a client sent them.
async fn heard<'a>(pieces: impl Iterator<Item = &'a [u8]> + Unpin) -> Vec<Vec<u8>> {
    let (mut client, mut found) = (Inbound::new(Client { pieces }), Vec::new());
    while let Ok(Some(line)) = client.line().await {
        client.say("250 well");
        let is_data = line.eq_ignore_ascii_case("DATA");
        found.push(line.into_bytes());
        if is_data {
            match client.message().await {
                Ok(Incoming::Message(message)) => found.push(message),
                Ok(Incoming::TooLarge) => found.push(b"too large".to_vec()),
                Err(_) => break,
            }
        }
    }
    found
}

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// Reads what a client of the front sends: the same however it is cut.
pub fn inbound(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    // A read of the front takes up to 16 KiB, and `Client` hands over a piece as a whole.
    let whole = input.message.chunks(4096);
    let pieces: Vec<_> = input.pieces().collect();
    let (whole, pieces) = RUNTIME.with_borrow_mut(|runtime| {
        let runtime = runtime.get_or_insert_with(|| {
            let built = Builder::new_current_thread().enable_time().build();
            built.expect("a runtime without sockets")
        });
        runtime.block_on(async { (heard(whole).await, heard(pieces.into_iter()).await) })
    });
    assert_eq!(whole, pieces, "pieces make no difference");
}
