//! SMTP as the stand-in speaks it: it delivers mail before it accepts it.

use std::cell::RefCell;
use std::rc::Rc;

use memchr::memmem::{find, find_iter};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::house::House;

/// Serves one connection until the client disconnects.
pub async fn serve(mut stream: TcpStream, house: Rc<RefCell<House>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(b"220 stand-in\r\n").await?;
    let (mut came, mut out) = (Vec::new(), Vec::new());
    let mut to: Vec<String> = Vec::new();
    let mut is_data = false;
    loop {
        let end: &[u8] = if is_data { b"\r\n.\r\n" } else { b"\r\n" };
        let Some(at) = find(&came, end) else {
            stream.write_all(&out).await?;
            out.clear();
            if stream.read_buf(&mut came).await? == 0 {
                return Ok(());
            }
            continue;
        };
        if is_data {
            let text: Rc<[u8]> = unstuffed(&came[..at + 2]).into();
            let mut house = house.borrow_mut();
            for user in to.drain(..) {
                house.folder(&user, "INBOX").add(Rc::clone(&text), false);
            }
            is_data = false;
            out.extend_from_slice(b"250 delivered\r\n");
        } else {
            let line = std::str::from_utf8(&came[..at]).unwrap();
            let reply = match line.split([' ', ':']).next().unwrap() {
                "EHLO" => "250-stand-in\r\n250 PIPELINING",
                "DATA" => {
                    is_data = true;
                    "354 go on"
                }
                "RCPT" => {
                    let address = line.split(['<', '@']).nth(1).unwrap();
                    to.push(address.to_owned());
                    "250 known"
                }
                "QUIT" => "221 bye",
                _ => "250 well",
            };
            out.extend_from_slice(reply.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        came.drain(..at + end.len());
    }
}

/// A message with doubled dots undone.
fn unstuffed(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(data.len());
    let mut from = usize::from(data.starts_with(b"."));
    for at in find_iter(data, b"\r\n.") {
        text.extend_from_slice(&data[from..at + 2]);
        from = at + 3;
    }
    text.extend_from_slice(&data[from..]);
    text
}
