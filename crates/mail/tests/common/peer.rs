//! A peer that follows a script: what real servers rarely do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;

use super::PATIENCE;

/// What the peer does next.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Waits for a line that begins with this.
    Hear(&'static str),
    /// Sends this.
    Say(&'static str),
    /// Sends this byte by byte.
    Spell(&'static str),
    /// Receives a message up to the dot.
    Take,
}

/// Plays the script for one connection and closes it. The thread returns all that it received.
pub fn peer(script: Vec<Act>) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut heard = String::new();
        for act in script {
            if !play(act, &stream, &mut reader, &mut heard) {
                break;
            }
        }
        // Closing with unread bytes would reset the connection and lose what was sent last. Errors
        // only mean that the client has already gone.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = reader.read_to_string(&mut heard);
        heard
    });
    (address, thread)
}

fn play(act: Act, mut stream: &TcpStream, reader: &mut impl BufRead, heard: &mut String) -> bool {
    match act {
        Act::Say(text) => stream.write_all(text.as_bytes()).is_ok(),
        Act::Spell(text) => text.as_bytes().chunks(1).all(|byte| {
            super::pause(std::time::Duration::from_micros(200));
            stream.write_all(byte).is_ok()
        }),
        Act::Hear(start) => {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            assert!(line.starts_with(start), "heard {line:?} instead of {start}");
            heard.push_str(&line);
            true
        }
        Act::Take => loop {
            let mut line = String::new();
            assert!(reader.read_line(&mut line).unwrap() > 0, "no dot");
            heard.push_str(&line);
            if line == ".\r\n" {
                return true;
            }
        },
    }
}
