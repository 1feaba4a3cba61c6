//! An IMAP server that follows a script: what real ones rarely do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use headcount_mail::endpoint::{Endpoint, EndpointOptions, Security};
use headcount_net::Certificates;

/// Accepts one connection, greets, and sends each answer after a line of the client that ends with
/// its text. Then it closes. The thread returns all that it received.
pub fn script(greeting: &str, turns: &[(&str, &[u8])]) -> (Endpoint, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let greeting = greeting.to_owned();
    let turns: Vec<(String, Vec<u8>)> = turns
        .iter()
        .map(|(heard, reply)| ((*heard).to_owned(), reply.to_vec()))
        .collect();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(super::PATIENCE)).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut heard = String::new();
        let _ = (&stream).write_all(greeting.as_bytes());
        for (end, answer) in turns {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 {
                break; // the client has disconnected
            }
            heard.push_str(&line);
            assert!(
                line.trim_end().ends_with(&end),
                "heard {line:?} instead of {end}"
            );
            if (&stream).write_all(&answer).is_err() {
                break;
            }
        }
        // Closing with unread bytes would reset the connection and lose what was sent last.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = reader.read_to_string(&mut heard);
        heard
    });
    let options = EndpointOptions {
        address,
        at: Vec::new(),
        security: Security::None,
        verify_certificates: Certificates::System(true),
        verify_name: true,
        certificate: None,
        key: None,
    };
    (Endpoint::new(&options).unwrap(), thread)
}
