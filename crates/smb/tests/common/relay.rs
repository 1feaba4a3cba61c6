//! A man in the middle, who sees each message and may change it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    ToServer,
    ToClient,
}

/// Starts a relay to a server. `hand` gets the way of each message, its number on that way of its
/// connection, and its bytes without the frame; if it clears them, the connection is cut. Returns
/// the address to connect to.
pub fn relay(
    server: &str,
    hand: impl Fn(Way, u32, &mut Vec<u8>) + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (server, hand) = (server.to_owned(), Arc::new(hand));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (Ok(client), Ok(upstream)) = (client, TcpStream::connect(&server)) else {
                return;
            };
            for (way, from, to) in [
                (Way::ToServer, &client, &upstream),
                (Way::ToClient, &upstream, &client),
            ] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let hand = Arc::clone(&hand);
                std::thread::spawn(move || {
                    pass(from, to, |number, bytes| hand(way, number, bytes));
                });
            }
        }
    });
    address
}

/// Passes messages on until a side closes.
fn pass(mut from: TcpStream, mut to: TcpStream, hand: impl Fn(u32, &mut Vec<u8>)) {
    for number in 0.. {
        let mut prefix = [0; 4];
        if from.read_exact(&mut prefix).is_err() {
            break;
        }
        let mut message = vec![0; u32::from_be_bytes(prefix) as usize];
        if from.read_exact(&mut message).is_err() {
            break;
        }
        hand(number, &mut message);
        if message.is_empty() {
            break;
        }
        let prefix = (message.len() as u32).to_be_bytes();
        if to.write_all(&[&prefix, &message[..]].concat()).is_err() {
            break;
        }
    }
    for side in [&from, &to] {
        let _ = side.shutdown(Shutdown::Both); // it may be closed already
    }
}
