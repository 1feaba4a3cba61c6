//! TCP connections. tokio's own `connect` asks the kernel for the error of each connection, though
//! the event queue has already reported whether there is one.

use std::io;
use std::net::SocketAddr;

use headcount_bind::{bind_address, look_at_all_ports};
use headcount_load::local_address::local_address;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// Connects to the first address that answers. The error is that of the last attempt.
pub async fn connect(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "the server has no address");
    for address in addresses {
        match connect_to(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

async fn connect_to(address: &SocketAddr) -> io::Result<TcpStream> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    if let Some(from) = local_address(address) {
        bind_address(&socket, from)?;
    }
    look_at_all_ports(&socket);
    match rustix::net::connect(&socket, address) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error.into()),
    }
    let stream = TcpStream::from_std(socket.into())?;
    let ready = stream.ready(Interest::WRITABLE | Interest::ERROR).await?;
    if (ready.is_error() || ready.is_write_closed())
        && let Some(error) = stream.take_error()?
    {
        return Err(error);
    }
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpListener;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn play<T>(future: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_io().build().unwrap().block_on(future)
    }

    fn closed_address() -> SocketAddr {
        TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
    }

    #[test]
    fn the_first_address_that_answers_is_taken() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(host).unwrap();
            let address = listener.local_addr().unwrap();
            let echo = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut word = [0; 4];
                stream.read_exact(&mut word).unwrap();
                stream.write_all(&word).unwrap();
            });
            let answer = play(async {
                let mut stream = connect(&[closed_address(), address]).await.unwrap();
                stream.write_all(b"word").await.unwrap();
                let mut answer = Vec::new();
                stream.read_to_end(&mut answer).await.unwrap();
                answer
            });
            echo.join().unwrap();
            assert_eq!(answer, b"word");
        }
    }

    #[test]
    fn the_last_error_is_returned() {
        let kind = |addresses: &[SocketAddr]| play(connect(addresses)).unwrap_err().kind();
        assert_eq!(kind(&[closed_address()]), ErrorKind::ConnectionRefused);
        assert_eq!(kind(&[]), ErrorKind::InvalidInput);
    }
}
