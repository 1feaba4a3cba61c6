//! A server that begins as it should, and then makes clients wait.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// What the server does after its script.
#[derive(Debug, Clone, Copy)]
pub enum Then {
    /// Sends nothing more, and keeps the connection open.
    Silence,
    /// Sends this forever, a byte every few milliseconds.
    Drip(&'static str),
    /// Sends this forever, as fast as the client reads.
    Flood(&'static str),
}

/// The time between two bytes of [`Then::Drip`].
const APART: Duration = Duration::from_millis(20);

/// Greets each connection with the first line, sends each other line after one of the client, and
/// then does `then` until the client disconnects. Returns the address.
pub fn liar(lines: &'static [&'static str], then: Then) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            std::thread::spawn(move || talk(&stream, lines, then));
        }
    });
    address
}

/// Serves a client; returns when it has disconnected.
fn talk(mut stream: &TcpStream, lines: &[&str], then: Then) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut heard = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 && reader.read_line(&mut heard).ok()? == 0 {
            return None;
        }
        stream.write_all(line.as_bytes()).ok()?;
    }
    match then {
        // Bytes, not lines: TLS is not text.
        Then::Silence => drop(std::io::copy(&mut reader, &mut std::io::sink()).ok()?),
        Then::Drip(text) => {
            for byte in text.as_bytes().iter().cycle() {
                stream.write_all(&[*byte]).ok()?;
                super::pause(APART);
            }
        }
        Then::Flood(text) => loop {
            stream.write_all(text.as_bytes()).ok()?;
        },
    }
    Some(())
}
