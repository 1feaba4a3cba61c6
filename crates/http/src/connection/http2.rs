//! Requests and answers of HTTP/2 on one connection, several at a time for a page's resources.
//!
//! The user who waits for an answer drives the connection; between two steps nobody reads it. Users
//! who wait at the same time must be polled together, because only the last to drive it is woken.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use h2::client::{Connection, ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use headcount_load::{Fault, FaultKind};
use http::{HeaderMap, HeaderValue, Request, Response};

use super::http1::{Each, Until};
use super::{Driven, drive, lost, malformed};
use crate::client::payload::Payload;
use crate::wire::head::{Coding, Framing, Head};
use crate::wire::reply::Reply;
use headcount_net::{Agreed, Transport};

/// What the server may send before it gets a window update: large enough never to limit a page.
const WINDOW_BYTES: u32 = 1 << 20;

/// The same for all streams of a connection. What an event stream has sent while nobody reads it
/// leaves room for other answers.
const CONNECTION_WINDOW_BYTES: u32 = 2 * WINDOW_BYTES;

/// Bytes of the headers of one answer, as with HTTP/1.1.
const HEADERS_BYTES: u32 = 64 << 10;

/// Bytes of a request's body that are made and sent at a time.
const PIECE_BYTES: u64 = 16 << 10;

/// One connection.
#[derive(Debug)]
pub struct Http2 {
    /// Borrowed during a poll, never across an await.
    state: RefCell<State>,
    /// What the TLS handshake negotiated; `None` without TLS.
    pub agreed: Option<Agreed>,
}

#[derive(Debug)]
struct State {
    connection: Connection<Transport, Bytes>,
    sender: SendRequest<Bytes>,
    /// Set when the server has closed the connection: what went wrong.
    end: Option<Fault>,
}

impl Http2 {
    /// Sends the connection preface (RFC 9113, 3.4).
    pub async fn establish(transport: Transport) -> Result<Self, Fault> {
        transport.hurry();
        let agreed = transport.agreed();
        let opened = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(HEADERS_BYTES)
            .handshake(transport)
            .await;
        let (sender, connection) = opened.map_err(|error| of_h2(&error))?;
        let state = State {
            connection,
            sender,
            end: None,
        };
        Ok(Self {
            state: RefCell::new(state),
            agreed,
        })
    }

    /// Whether the server has closed the connection, or accepts no more requests on it.
    pub async fn is_stale(&self) -> bool {
        poll_fn(|context| {
            let mut state = self.state.borrow_mut();
            state.advance(context);
            let is_ready = state.sender.poll_ready(context);
            Poll::Ready(state.end.is_some() || matches!(is_ready, Poll::Ready(Err(_))))
        })
        .await
    }

    /// Sends a request with its body, and waits for the head of the answer. Returns the stream of
    /// the rest.
    pub async fn request(
        &self,
        request: Request<()>,
        payload: &Payload<'_>,
        reply: &mut Reply,
        each: &mut Each<'_>,
    ) -> Result<RecvStream, Fault> {
        let ready = drive(&self.state, |state, context| {
            state.sender.poll_ready(context)
        })
        .await?;
        ready.map_err(|error| of_h2(&error))?;
        let is_whole = payload.bytes() == 0;
        let sent = self
            .state
            .borrow_mut()
            .sender
            .send_request(request, is_whole);
        let (mut response, mut stream) = sent.map_err(|error| of_h2(&error))?;
        let mut answer = None;
        if !is_whole {
            answer = self.send_body(payload, &mut stream, &mut response).await?;
        }
        let answer = match answer {
            Some(answer) => answer,
            None => {
                drive(&self.state, |_, context| {
                    Pin::new(&mut response).poll(context)
                })
                .await?
            }
        };
        let (head, body) = answer.map_err(|error| of_h2(&error))?.into_parts();
        for (name, value) in &head.headers {
            each(name.as_str(), value.as_bytes());
        }
        let head = read_head(head.status.as_u16(), &head.headers, body.is_end_stream())?;
        reply.begin(head);
        Ok(body)
    }

    /// Sends the body as the server's window allows. Returns the answer if it came before the end
    /// of the body, whose rest is then not sent.
    async fn send_body(
        &self,
        payload: &Payload<'_>,
        stream: &mut SendStream<Bytes>,
        response: &mut ResponseFuture,
    ) -> Result<Option<Result<Response<RecvStream>, h2::Error>>, Fault> {
        let mut offset = 0;
        while offset < payload.bytes() {
            stream.reserve_capacity((payload.bytes() - offset).min(PIECE_BYTES) as usize);
            let next = drive(&self.state, |_, context| {
                if let Poll::Ready(answer) = Pin::new(&mut *response).poll(context) {
                    return Poll::Ready(Err(answer));
                }
                if stream.capacity() > 0 {
                    return Poll::Ready(Ok(Some(Ok(stream.capacity()))));
                }
                stream.poll_capacity(context).map(Ok)
            })
            .await?;
            let room = match next {
                Ok(Some(Ok(room))) => room as u64,
                // The server has closed the stream: its answer says why.
                Ok(_) => return Ok(None),
                Err(answer) => return Ok(Some(answer)),
            };
            let end = payload.bytes().min(offset + room.min(PIECE_BYTES));
            let mut piece = Vec::with_capacity((end - offset) as usize);
            payload.append(offset..end, &mut piece);
            offset = end;
            let sent = stream.send_data(piece.into(), offset == payload.bytes());
            sent.map_err(|error| of_h2(&error))?;
        }
        Ok(None)
    }

    /// Reads the body to its end, or until some of it has come.
    pub async fn receive(
        &self,
        body: &mut RecvStream,
        reply: &mut Reply,
        until: Until,
    ) -> Result<(), Fault> {
        let before = reply.received();
        while until != Until::Head && !reply.is_over() {
            if until == Until::More && reply.received() > before {
                return Ok(());
            }
            let data = drive(&self.state, |_, context| body.poll_data(context)).await?;
            match data {
                Some(Ok(data)) => {
                    let released = body.flow_control().release_capacity(data.len());
                    released.map_err(|error| of_h2(&error))?;
                    reply.take(&data, &mut |_, _| {}).map_err(malformed)?;
                }
                Some(Err(error)) => return Err(of_h2(&error)),
                None => reply.close().map_err(lost)?,
            }
        }
        Ok(())
    }
}

impl Driven for State {
    fn advance(&mut self, context: &mut Context<'_>) {
        if self.end.is_none()
            && let Poll::Ready(ended) = Pin::new(&mut self.connection).poll(context)
        {
            let fault = match ended {
                Ok(()) => lost("the server closed the connection"),
                Err(error) => of_h2(&error),
            };
            self.end = Some(fault);
        }
    }

    fn end(&self) -> Option<&Fault> {
        self.end.as_ref()
    }
}

/// The head of an answer; `is_empty` if no body follows. Fails if the content length is not a
/// number.
pub fn read_head(status: u16, headers: &HeaderMap, is_empty: bool) -> Result<Head, Fault> {
    let length = match headers.get(http::header::CONTENT_LENGTH) {
        None => None,
        Some(value) => {
            let length = value.to_str().ok().and_then(|text| text.parse().ok());
            Some(length.ok_or_else(|| malformed("content-length is not a length"))?)
        }
    };
    let coding = match headers
        .get(http::header::CONTENT_ENCODING)
        .map(HeaderValue::as_bytes)
    {
        None | Some(b"identity") => Coding::Identity,
        Some(b"gzip") => Coding::Gzip,
        Some(_) => Coding::Other,
    };
    Ok(Head {
        status,
        framing: if is_empty {
            Framing::Empty
        } else {
            Framing::UntilClose
        },
        length,
        coding,
        keeps_alive: true,
    })
}

/// The fault for an error of the HTTP/2 layer (RFC 9113, 5.4).
fn of_h2(error: &h2::Error) -> Fault {
    if error.is_reset() && error.is_remote() {
        let sentence = format!("the server reset the request's stream: {error}");
        return Fault::step(FaultKind::Refused, sentence);
    }
    if error.is_io() || error.is_go_away() && error.is_remote() {
        return lost(format!("the connection was lost: {error}"));
    }
    malformed(format!("the server's HTTP/2 is broken: {error}"))
}
