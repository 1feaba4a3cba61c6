//! The five exchanges: a request, its reply, and the check that the reply is right.

use std::cell::RefCell;

use headcount_load::{Fault, FaultKind, Moved};

use super::session::AppSession;
use super::wire::{receive, send, unexpected};
use crate::block::{Place, stamp, verify};
use crate::pattern;
use crate::reply::Reply;
use crate::request::Request;

thread_local! {
    /// Payloads are made here before they are framed.
    static PAYLOAD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl AppSession {
    pub(super) async fn client_server(&mut self, bytes: u32, seed: u64) -> Result<Moved, Fault> {
        let mut sent_checksum = 0;
        send(&mut self.stream, |out| {
            PAYLOAD.with_borrow_mut(|payload| {
                payload.resize(bytes as usize, 0);
                pattern::fill(seed, payload);
                sent_checksum = crc32fast::hash(payload);
                Request::ClientServer {
                    checksum: sent_checksum,
                    payload,
                }
                .encode(out);
            });
        })
        .await?;
        receive(&mut self.stream, |reply| match reply {
            Reply::ClientServer {
                checksum,
                bytes: length,
                ..
            } => {
                if (checksum, length) == (sent_checksum, bytes) {
                    return Ok(Moved {
                        written_bytes: u64::from(bytes),
                        read_bytes: 0,
                    });
                }
                let sentence = format!(
                    "the server received {length} bytes with CRC-32 {checksum:08x}, but {bytes} \
                     bytes with {sent_checksum:08x} were sent"
                );
                Err(Fault::step(FaultKind::WrongData, sentence))
            }
            other => Err(unexpected(&other)),
        })
        .await
    }

    pub(super) async fn server_client(&mut self, bytes: u32, seed: u64) -> Result<Moved, Fault> {
        let request = Request::ServerClient { seed, bytes };
        send(&mut self.stream, |out| request.encode(out)).await?;
        receive(&mut self.stream, |reply| match reply {
            Reply::ServerClient { contents, .. } => {
                if contents.len() != bytes as usize {
                    let length = contents.len();
                    let sentence = format!("the reply has {length} bytes instead of {bytes}");
                    return Err(Fault::step(FaultKind::WrongData, sentence));
                }
                if let Some(at) = pattern::first_difference(seed, contents) {
                    let sentence = format!("byte {at} of the {bytes} of the reply is wrong");
                    return Err(Fault::step(FaultKind::WrongData, sentence));
                }
                Ok(Moved {
                    read_bytes: u64::from(bytes),
                    written_bytes: 0,
                })
            }
            other => Err(unexpected(&other)),
        })
        .await
    }

    pub(super) async fn processor(
        &mut self,
        rounds: u32,
        seed: u64,
        expected: u64,
    ) -> Result<Moved, Fault> {
        let request = Request::Processor { seed, rounds };
        send(&mut self.stream, |out| request.encode(out)).await?;
        receive(&mut self.stream, |reply| match reply {
            Reply::Processor { check, .. } if check == expected => Ok(Moved::default()),
            Reply::Processor { check, .. } => {
                let sentence = format!(
                    "{rounds} rounds from seed {seed:x} gave {check:x} instead of {expected:x}: \
                     the server miscalculated"
                );
                Err(Fault::step(FaultKind::WrongData, sentence))
            }
            other => Err(unexpected(&other)),
        })
        .await
    }

    pub(super) async fn read(&mut self, bytes: u32, place: Place) -> Result<Moved, Fault> {
        let Place { file, offset, .. } = place;
        let request = Request::Read {
            file,
            offset,
            bytes,
        };
        send(&mut self.stream, |out| request.encode(out)).await?;
        let memory = &self.memory;
        receive(&mut self.stream, |reply| match reply {
            Reply::Read { block, .. } => {
                if block.len() != bytes as usize {
                    let length = block.len();
                    let sentence = format!(
                        "{length} bytes came instead of {bytes} from file {file} at offset {offset}"
                    );
                    return Err(Fault::step(FaultKind::WrongData, sentence));
                }
                verify(block, place, |offset| memory.at_least(offset))
                    .map_err(|damage| Fault::step(FaultKind::WrongData, damage.to_string()))?;
                Ok(Moved {
                    read_bytes: u64::from(bytes),
                    written_bytes: 0,
                })
            }
            other => Err(unexpected(&other)),
        })
        .await
    }

    pub(super) async fn write(&mut self, bytes: u32, place: Place) -> Result<Moved, Fault> {
        let Place { file, offset, .. } = place;
        let generation = self.memory.next_generation();
        send(&mut self.stream, |out| {
            PAYLOAD.with_borrow_mut(|block| {
                block.resize(bytes as usize, 0);
                stamp(block, place, generation);
                Request::Write {
                    file,
                    offset,
                    block,
                }
                .encode(out);
            });
        })
        .await?;
        receive(&mut self.stream, |reply| match reply {
            Reply::Write { bytes: length, .. } if length == bytes => Ok(()),
            Reply::Write { bytes: length, .. } => {
                let sentence = format!(
                    "only {length} of {bytes} bytes were written to file {file} at offset {offset}"
                );
                Err(Fault::step(FaultKind::WrongData, sentence))
            }
            other => Err(unexpected(&other)),
        })
        .await?;
        self.memory.remember(generation, offset, bytes);
        Ok(Moved {
            written_bytes: u64::from(bytes),
            read_bytes: 0,
        })
    }
}
