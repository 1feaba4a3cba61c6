//! What a TAP device delivers: a kernel header (`virtio_net_hdr`), then the Ethernet frame.

/// Length of the header (`linux/virtio_net.h`): flags, kind, `u16` length of headers, `u16` bytes
/// of each packet, and two about checksums.
pub const HEADER: usize = 10;
/// The largest read: 64 KiB (`GSO_LEGACY_MAX_SIZE`) plus the headers of Ethernet and the kernel.
pub const LARGEST: usize = 65_536 + 14 + HEADER;

/// How many network packets a frame holds: more than one if the kernel leaves segmentation to the
/// device.
#[must_use]
pub fn packets_in(frame: &[u8]) -> u64 {
    let Some(&[_, kind, a, b, c, d, ..]) = frame.get(..HEADER) else {
        return 1;
    };
    let headers = usize::from(u16::from_ne_bytes([a, b]));
    let each = usize::from(u16::from_ne_bytes([c, d]));
    let payload = frame.len().saturating_sub(HEADER + headers);
    if kind == 0 || each == 0 {
        return 1;
    }
    payload.div_ceil(each).max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, headers: u16, each: u16, length: usize) -> Vec<u8> {
        let mut bytes = vec![1, kind];
        bytes.extend(headers.to_ne_bytes());
        bytes.extend(each.to_ne_bytes());
        bytes.resize(HEADER + length, 0);
        bytes
    }

    #[test]
    fn a_frame_holds_as_many_packets_as_it_will_be_cut_into() {
        for (kind, headers, each, length, packets) in [
            (0, 0, 0, 66, 1),
            (0, 66, 1448, 1514, 1),
            (1, 66, 1448, 66 + 1448, 1),
            (1, 66, 1448, 66 + 1449, 2),
            (1, 66, 1448, 66 + 44 * 1448, 44),
            (1, 66, 0, 9000, 1),
            (1, 66, 1448, 20, 1),
        ] {
            assert_eq!(packets_in(&frame(kind, headers, each, length)), packets);
        }
        assert_eq!(packets_in(&[]), 1);
    }
}
