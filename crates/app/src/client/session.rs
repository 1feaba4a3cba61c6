//! One user's connection to the application server.

use headcount_load::fault::words;
use headcount_load::{Fault, FaultKind, Moved, Session, User};
use tokio::net::TcpStream;

use super::App;
use super::memory::Memory;
use super::sizes::Sizes;
use super::step::Step;
use super::wire::{connect_fault, receive, send, unexpected};
use crate::block::{Place, UNIT_BYTES};
use crate::kernel::{self, SEEDS};
use crate::message::{Hello, PROTOCOL, Shape};
use crate::reply::Reply;
use crate::request::Request;

/// One user's connection.
#[derive(Debug)]
pub struct AppSession {
    pub(super) stream: TcpStream,
    file: u32,
    shape: Shape,
    pub(super) memory: Memory,
    /// Whether the server's data set is the one this user expects.
    is_prepared: bool,
}

impl AppSession {
    pub(super) async fn open(app: &App, user: &User) -> Result<Self, Fault> {
        let connect = headcount_net::connect::connect(&app.addresses[..]).await;
        let mut stream = connect.map_err(|error| connect_fault(&error))?;
        stream
            .set_nodelay(true)
            .map_err(|error| connect_fault(&error))?;
        let hello = Request::Hello {
            protocol: PROTOCOL,
            token: app.token.as_bytes(),
        };
        send(&mut stream, |out| hello.encode(out)).await?;
        let hello = receive(&mut stream, |reply| match reply {
            Reply::Json(_, json) => serde_json::from_slice::<Hello>(json).map_err(|error| {
                Fault::session(
                    FaultKind::Malformed,
                    format!("its greeting is malformed: {}", words(&error.to_string())),
                )
            }),
            other => Err(unexpected(&other)),
        })
        .await?;
        if hello.protocol != PROTOCOL {
            let theirs = hello.protocol;
            let sentence = format!(
                "the server speaks protocol version {theirs}, this program version {PROTOCOL}: use \
                 the same version of Headcount on both sides"
            );
            return Err(Fault::session(FaultKind::Refused, sentence));
        }
        Ok(Self {
            stream,
            file: app.file_of(user.id()),
            shape: app.shape,
            memory: Memory::new(hello.session),
            is_prepared: hello
                .data_set
                .is_some_and(|data_set| data_set.shape == app.shape),
        })
    }

    /// A random block within the I/O range of this user's file.
    fn draw_block(&self, sizes: Sizes, user: &mut User) -> Result<(u32, Place), Fault> {
        let Shape {
            seed,
            file_bytes,
            range_bytes,
        } = self.shape;
        if !self.is_prepared {
            let sentence = format!(
                "the server has no data set with seed {seed}, file_bytes {file_bytes} and \
                 range_bytes {range_bytes}: prepare it first"
            );
            return Err(Fault::step(FaultKind::Refused, sentence));
        }
        let bytes = sizes.draw(user.stream());
        let Some(room) = range_bytes.checked_sub(u64::from(bytes)) else {
            let sentence =
                format!("a block of {bytes} bytes exceeds the I/O range of {range_bytes} bytes");
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let unit = u64::from(UNIT_BYTES);
        let offset = user.stream().below(room / unit + 1) * unit;
        Ok((
            bytes,
            Place {
                file: self.file,
                offset,
                seed,
            },
        ))
    }
}

impl Session for AppSession {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        match step {
            Step::ClientServer(sizes) => {
                let bytes = sizes.draw(user.stream());
                self.client_server(bytes, user.stream().bits()).await
            }
            Step::ServerClient(sizes) => {
                let bytes = sizes.draw(user.stream());
                self.server_client(bytes, user.stream().bits()).await
            }
            Step::Processor { rounds, expected } => {
                let index = user.stream().below(SEEDS as u64) as usize;
                self.processor(*rounds, kernel::seed(index), expected[index])
                    .await
            }
            Step::Read(sizes) => {
                let (bytes, place) = self.draw_block(*sizes, user)?;
                self.read(bytes, place).await
            }
            Step::Write(sizes) => {
                let (bytes, place) = self.draw_block(*sizes, user)?;
                self.write(bytes, place).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_fits_into_a_kibibyte() {
        assert!(
            size_of::<AppSession>() < 1024,
            "{}",
            size_of::<AppSession>()
        );
    }
}
