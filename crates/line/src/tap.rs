//! TAP devices: what the kernel sends out of one is read from its file, and the other way round.
//!
//! They are Ethernet devices, like real network cards: servers that list the machine's networks
//! (Samba) skip other kinds.

use std::ffi::{c_int, c_ulong};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};

/// The file that creates devices (`Documentation/networking/tuntap.rst`).
pub(crate) const MAKER: &str = "/dev/net/tun";
/// Size of a device's name with its terminating zero (`IFNAMSIZ`).
const NAME: usize = 16;

/// A TAP device of this process; dropping this removes it.
pub struct Tap {
    file: OwnedFd,
}

/// `struct ifreq`, with the members that are used here.
#[repr(C)]
struct Request {
    name: [u8; NAME],
    flags: u16,
    rest: [u8; 22],
}

impl Tap {
    /// Create a device with that name. With `is_cut` the kernel segments data into packets;
    /// without, one frame may hold the data of many.
    pub fn new(name: &str, is_cut: bool) -> io::Result<Self> {
        let mut request = Request {
            name: [0; NAME],
            flags: (libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as u16,
            rest: [0; 22],
        };
        if name.is_empty() || name.len() >= NAME {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        request.name[..name.len()].copy_from_slice(name.as_bytes());
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = open(MAKER, flags, Mode::empty())?;
        #[expect(unsafe_code, reason = "neither std nor rustix has the call")]
        // SAFETY: the file is open, and `request` has the size and layout of the `struct ifreq`
        // that the kernel reads and writes during the call.
        let answer = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        check(answer)?;
        // Frames are read and written before their checksums are computed.
        let whole = libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
        let offload = c_ulong::from(libc::TUN_F_CSUM | if is_cut { 0 } else { whole });
        #[expect(unsafe_code, reason = "neither std nor rustix has the call")]
        // SAFETY: the file is open, and the call's argument is a number, not a pointer.
        let answer = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETOFFLOAD, offload) };
        check(answer)?;
        Ok(Self { file })
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn check(answer: c_int) -> io::Result<()> {
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
