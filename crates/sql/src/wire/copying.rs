//! COPY on a connection: rows are sent in pieces, and messages from the server are read meanwhile.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::Poll;

use bytes::BytesMut;
use headcount_load::Fault;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::{INCOMING, Wire};
use crate::answer::Rows;
use crate::copy_answer::{CopyAnswer, Turn};
use crate::fault::{closed, lost, unsendable};
use crate::frames::Message;

/// Bytes of rows that are collected before they are sent.
const PIECE_BYTES: usize = 64 << 10;

impl Wire {
    /// Executes a COPY TO STDOUT; `each` gets the rows in pieces.
    pub async fn copy_out(
        &mut self,
        statement: &str,
        each: impl FnMut(&[u8]),
    ) -> Result<Rows, Fault> {
        self.settle().await?;
        self.send(|out| frontend::query(statement, out)).await?;
        let mut answer = CopyAnswer::to_stdout(each);
        self.receive(|message| answer.take(message)).await?;
        self.copy_result(answer)
    }

    /// Executes a COPY FROM STDIN; `append` appends its rows one by one until it has no more. If
    /// `append` fails, the COPY fails and nothing is stored.
    pub async fn copy_in(
        &mut self,
        statement: &str,
        mut append: impl FnMut(&mut String) -> Result<bool, Fault>,
    ) -> Result<Rows, Fault> {
        self.settle().await?;
        self.send(|out| frontend::query(statement, out)).await?;
        let mut answer = CopyAnswer::from_stdin();
        let turn = self.receive(|message| answer.take(message)).await?;
        if turn == Turn::End {
            return self.copy_result(answer);
        }
        // If this future is dropped halfway, the server is left waiting for rows.
        self.is_sending = true;
        let (mut rows, mut piece) = (String::new(), BytesMut::new());
        let mut has_more = !answer.has_failed();
        while has_more {
            rows.clear();
            while has_more && rows.len() < PIECE_BYTES {
                match append(&mut rows) {
                    Ok(more) => has_more = more,
                    Err(fault) => {
                        answer.fail(fault);
                        has_more = false;
                    }
                }
            }
            if answer.has_failed() || rows.is_empty() {
                break;
            }
            piece.clear();
            let data = frontend::CopyData::new(rows.as_bytes());
            data.map_err(|error| unsendable(&error))?.write(&mut piece);
            let heard = self.send_hearing(&piece, |message| answer.take(message));
            if heard.await?.is_some() {
                // The server refused a row, and takes no others.
                self.is_sending = false;
                return self.copy_result(answer);
            }
            if has_more {
                tokio::task::yield_now().await; // let other users run between two pieces
            }
        }
        let has_failed = answer.has_failed();
        self.send(|out| {
            if has_failed {
                return frontend::copy_fail("the rows could not be made", out);
            }
            frontend::copy_done(out);
            Ok(())
        })
        .await?;
        self.receive(|message| answer.take(message)).await?;
        self.copy_result(answer)
    }

    /// The result of a COPY, after its end.
    fn copy_result<F: FnMut(&[u8])>(&mut self, answer: CopyAnswer<F>) -> Result<Rows, Fault> {
        self.owed = 0;
        self.in_transaction = answer.in_transaction();
        answer.finish()
    }

    /// Sends bytes, and receives meanwhile: a server with pending messages may not read on until
    /// they are received. Returns what `accept` broke with.
    async fn send_hearing<T>(
        &mut self,
        bytes: &[u8],
        mut accept: impl FnMut(&Message<'_>) -> Result<ControlFlow<T>, Fault>,
    ) -> Result<Option<T>, Fault> {
        let Self {
            transport, frames, ..
        } = self;
        let (mut at, mut heard) = (0, None);
        let sent = poll_fn(|context| {
            while heard.is_none() {
                let found = INCOMING.with_borrow_mut(|buffer| {
                    let mut filling = ReadBuf::new(buffer);
                    match Pin::new(&mut *transport).poll_read(context, &mut filling) {
                        Poll::Ready(Ok(())) if filling.filled().is_empty() => Err(closed()),
                        Poll::Ready(Ok(())) => {
                            heard = frames.take(filling.filled(), &mut accept)?;
                            Ok(true)
                        }
                        Poll::Ready(Err(error)) => Err(lost(&error)),
                        Poll::Pending => Ok(false),
                    }
                });
                match found {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(fault) => return Poll::Ready(Err(fault)),
                }
            }
            while at < bytes.len() {
                match Pin::new(&mut *transport).poll_write(context, &bytes[at..]) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Err(closed())),
                    Poll::Ready(Ok(sent)) => at += sent,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(lost(&error))),
                    Poll::Pending => return Poll::Pending,
                }
            }
            Poll::Ready(Ok(()))
        });
        sent.await?;
        let flushed = transport.flush().await;
        flushed.map_err(|error| lost(&error))?;
        Ok(heard)
    }
}
