//! The five kinds of work, done on a service thread.

use std::sync::{Arc, PoisonError};

use super::connection::Connection;
use super::files::{Failure, Files};
use super::scratch::Scratch;
use super::tally::Tally;
use crate::frame::{HEADER_BYTES, Kind};
use crate::reply::{Code, Timing, append_error};
use crate::request::Request;
use crate::{kernel, pattern};

/// One request on its way to a service thread.
pub(crate) struct Job {
    pub(crate) connection: Arc<Connection>,
    pub(crate) kind: Kind,
    /// The whole frame.
    pub(crate) frame: Vec<u8>,
}

/// Does the work of `job`, counts it, and answers.
pub(crate) fn serve(
    job: &Job,
    queue_wait_ns: u64,
    scratch: &mut Scratch,
    files: &Files,
    tally: &Tally,
) {
    let Job {
        connection,
        kind,
        frame,
    } = job;
    if connection.is_closed() {
        tally.abandon();
        return;
    }
    let began_ns = tally.now_ns();
    let result = match Request::parse(*kind, &frame[HEADER_BYTES..]) {
        Ok(request) => perform(request, connection, scratch, files),
        Err(error) => Err((Code::Malformed, error.to_string())),
    };
    let service_ns = tally.now_ns().saturating_sub(began_ns);
    tally.record(*kind, queue_wait_ns, service_ns, result.is_ok());
    match result {
        Ok(length) => {
            let timing = Timing::from_ns(queue_wait_ns, service_ns);
            connection.reply(scratch.reply(*kind, timing, length));
        }
        Err((code, message)) => {
            let mut error = Vec::new();
            append_error(&mut error, code, &message);
            connection.reply(&error);
        }
    }
}

/// Does the work; the reply's contents are then in `scratch`, and their length is returned.
fn perform(
    request: Request<'_>,
    connection: &Connection,
    scratch: &mut Scratch,
    files: &Files,
) -> Result<usize, Failure> {
    let mut file = connection
        .file
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    match request {
        Request::ClientServer { checksum, payload } => {
            let found = crc32fast::hash(payload);
            if found != checksum {
                let sentence = format!(
                    "the payload of {} bytes arrived damaged: its CRC-32 is {found:08x}, it was \
                     sent with {checksum:08x}",
                    payload.len()
                );
                return Err((Code::Damaged, sentence));
            }
            let reply = u64::from(found) | (payload.len() as u64) << 32;
            scratch.data(8).copy_from_slice(&reply.to_le_bytes());
            Ok(8)
        }
        Request::Processor { seed, rounds } => {
            scratch
                .data(8)
                .copy_from_slice(&kernel::work(seed, rounds).to_le_bytes());
            Ok(8)
        }
        Request::ServerClient { seed, bytes } => {
            pattern::fill(seed, scratch.data(bytes as usize));
            Ok(bytes as usize)
        }
        Request::Read {
            file: number,
            offset,
            bytes,
        } => {
            let block = scratch.data(bytes as usize);
            files
                .read(&mut file, (number, offset), block)
                .map(|()| bytes as usize)
        }
        Request::Write {
            file: number,
            offset,
            block,
        } => {
            if files.needs_alignment() {
                let aligned = scratch.data(block.len());
                aligned.copy_from_slice(block);
                files.write(&mut file, (number, offset), aligned)?;
            } else {
                files.write(&mut file, (number, offset), block)?;
            }
            scratch
                .data(4)
                .copy_from_slice(&(block.len() as u32).to_le_bytes());
            Ok(4)
        }
        Request::Hello { .. } | Request::Prepare(_) | Request::Statistics | Request::Cleanup => {
            Err((
                Code::Malformed,
                format!("{} is not work", request.kind().name()),
            ))
        }
    }
}
