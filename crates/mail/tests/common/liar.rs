//! A server that begins as it should, and then keeps everybody waiting.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// What becomes of a connection after its script.
#[derive(Debug, Clone, Copy)]
pub enum Then {
    /// Nothing more is said, and the connection stays.
    Silence,
    /// This is said for ever, a byte each few milliseconds.
    Drip(&'static str),
    /// This is said for ever, as fast as it is taken.
    Flood(&'static str),
}

/// The time between two bytes of what drips.
const APART: Duration = Duration::from_millis(20);

/// Greets each connection with the first line, says each of the others when the client has said one,
/// and then does what `then` says until the client has gone. Returns the address.
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

/// Returns when the client has gone.
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
        // TLS is no text.
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
