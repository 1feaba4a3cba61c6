//! QUIC connections (RFC 9000), for HTTP/3.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use headcount_load::local_address::local_address;
use headcount_load::{Fault, FaultKind};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{
    ClientConfig, ConnectionError, Endpoint, EndpointConfig, TokioRuntime, TransportConfig,
};
use rustls::AlertDescription;
use rustls::pki_types::ServerName;

use crate::tls::{Tls, unwelcome};
use crate::trust::distrust;

/// How long a server may take for the handshake. A closed UDP port mostly sends nothing back.
const PATIENCE: Duration = Duration::from_secs(8);

/// After how long the next address is tried as well (RFC 8305, 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Error codes that stand for a TLS alert (RFC 9001, 4.8).
const ALERTS: std::ops::RangeInclusive<u64> = 0x100..=0x1ff;

/// Connects to the first address that answers. Each connection has its own socket, because servers
/// tell users apart by their ports. `answered` is the index of the address that answered last; it
/// is tried first. Needs the runtime's timers.
pub async fn establish_quic(
    addresses: &[SocketAddr],
    answered: &AtomicUsize,
    tls: &Tls,
) -> Result<quinn::Connection, Fault> {
    let config = QuicClientConfig::try_from(Arc::clone(&tls.config)).map_err(failed)?;
    let mut config = ClientConfig::new(Arc::new(config));
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(None); // the server's holds, as with TCP
    config.transport_config(Arc::new(transport));
    let mut last = failed("the server has no address");
    let mut attempts = FuturesUnordered::new();
    let first = answered.load(Ordering::Relaxed);
    for turn in 0..addresses.len() {
        let place = (first + turn) % addresses.len();
        let address = addresses[place];
        let shaken = shake_hands(address, config.clone(), tls);
        attempts.push(async move { (place, shaken.await) });
        let is_last = turn + 1 == addresses.len();
        // Nothing follows the last attempt, so wait until all end by their own timeout.
        let wait = if is_last { 2 * PATIENCE } else { HEAD_START };
        while let Ok(Some((place, shaken))) = tokio::time::timeout(wait, attempts.next()).await {
            match shaken {
                Ok(connection) => {
                    answered.store(place, Ordering::Relaxed);
                    return Ok(connection);
                }
                Err(fault) => last = fault,
            }
        }
    }
    Err(last)
}

async fn shake_hands(
    address: SocketAddr,
    config: ClientConfig,
    tls: &Tls,
) -> Result<quinn::Connection, Fault> {
    let socket = udp_socket(&address).map_err(failed)?;
    let options = EndpointConfig::default();
    let endpoint = Endpoint::new(options, None, socket, Arc::new(TokioRuntime)).map_err(failed)?;
    let name = tls.server.to_str();
    let connecting = endpoint.connect_with(config, address, &name);
    match tokio::time::timeout(PATIENCE, connecting.map_err(failed)?).await {
        Ok(connected) => connected.map_err(|error| handshake_fault(&error, tls)),
        Err(_) => Err(failed(format!(
            "no answer from UDP port {} within {} s: is HTTP/3 enabled there, and does a firewall \
             let UDP through?",
            address.port(),
            PATIENCE.as_secs()
        ))),
    }
}

/// A UDP socket bound to the user's address.
fn udp_socket(server: &SocketAddr) -> io::Result<UdpSocket> {
    let any: IpAddr = if server.is_ipv4() {
        Ipv4Addr::UNSPECIFIED.into()
    } else {
        Ipv6Addr::UNSPECIFIED.into()
    };
    let socket = UdpSocket::bind((local_address(server).unwrap_or(any), 0))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// The fault of a failed handshake.
fn handshake_fault(error: &ConnectionError, tls: &Tls) -> Fault {
    let (code, reason) = match error {
        ConnectionError::TransportError(error) => (u64::from(error.code), error.reason.clone()),
        ConnectionError::ConnectionClosed(close) => (
            u64::from(close.error_code),
            String::from_utf8_lossy(&close.reason).into_owned(),
        ),
        _ => return failed(error),
    };
    // quinn keeps only the text of rustls's error.
    if let Some(why) = reason.strip_prefix("invalid peer certificate: ") {
        let why = distrust(why, tls.spelling);
        let sentence = format!("the server's certificate is not trusted: {why}");
        return Fault::session(FaultKind::Connect, sentence);
    }
    let alert = ALERTS
        .contains(&code)
        .then(|| AlertDescription::from((code & 0xff) as u8));
    let missing = tls.offered.and_then(|offered| offered.missing);
    match (alert, missing) {
        (Some(AlertDescription::NoApplicationProtocol), Some(missing)) => {
            Fault::session(FaultKind::Connect, missing)
        }
        // No name is sent for an address (RFC 6066, 3), and servers may have no certificate then.
        (Some(AlertDescription::InternalError | AlertDescription::UnrecognisedName), _)
            if matches!(tls.server, ServerName::IpAddress(_)) =>
        {
            failed(format!(
                "{error}; the server may require its name: give that as the target, and \
                 the address with --client connect=ADDRESS:PORT"
            ))
        }
        (Some(alert), _) => unwelcome(alert).map_or_else(
            || failed(error),
            |sentence| Fault::session(FaultKind::Connect, sentence),
        ),
        _ => failed(error),
    }
}

fn failed(error: impl std::fmt::Display) -> Fault {
    let sentence = format!("no connection over QUIC: {error}");
    Fault::session(FaultKind::Connect, sentence)
}
