//! Contents compress as their kind should, and are checked and distinguished whatever their kind.

use std::collections::HashSet;
use std::io;

use flate2::Compression;
use flate2::read::ZlibEncoder;
use headcount_tree::block::{Owner, UNIT_BYTES, stamp, verify};
use headcount_tree::content::Content::{self, Compressed, Data, Image, Office, Text};

const KINDS: [Content; 5] = [Compressed, Text, Image, Data, Office];

fn file(content: Content, number: u32, bytes: usize) -> Vec<u8> {
    let owner = owner(content, number);
    let mut data = vec![0; bytes];
    stamp(&mut data, owner, 0);
    assert_eq!(verify(&data, owner, 0), Ok(()));
    data
}

fn owner(content: Content, file: u32) -> Owner {
    Owner {
        user: u32::MAX,
        file,
        seed: 5,
        content,
    }
}

fn ratio(data: &[u8]) -> f64 {
    let mut compressed = ZlibEncoder::new(data, Compression::new(6));
    let bytes = io::copy(&mut compressed, &mut io::sink()).unwrap_or(0);
    data.len() as f64 / bytes as f64
}

#[test]
fn whole_files_compress_as_their_kind_should() {
    // The table of `content`, within 6%: other versions of zlib differ a little.
    let expected = [
        (Compressed, 1.0, 1.0),
        (Text, 4.1, 4.6),
        (Image, 1.04, 1.04),
        (Data, 2.0, 2.0),
        (Office, 2.4, 2.5),
    ];
    for (content, small, large) in expected {
        for number in 0..5 {
            for (bytes, expected) in [(64 << 10, small), (1 << 20, large)] {
                let found = ratio(&file(content, number, bytes));
                let odd = (found / expected - 1.0).abs();
                assert!(odd < 0.06, "{content:?} of {bytes} bytes: {found}");
            }
        }
    }
}

#[test]
fn compressed_data_does_not_shrink_and_images_hardly_do() {
    for bytes in [64 << 10, 1 << 20] {
        assert!(ratio(&file(Compressed, 1, bytes)) < 1.005);
        let image = ratio(&file(Image, 1, bytes));
        assert!((1.02..1.06).contains(&image), "{image}");
    }
}

#[test]
fn no_two_blocks_have_the_same_body() {
    for content in KINDS {
        let mut bodies = HashSet::new();
        for number in 0..64 {
            let data = file(content, number, 64 << 10);
            for unit in data.as_chunks::<{ UNIT_BYTES as usize }>().0 {
                assert!(bodies.insert(unit[32..].to_vec()), "{content:?}");
            }
        }
    }
}

#[test]
fn damage_anywhere_is_found_in_every_kind() {
    for content in KINDS {
        let sound = file(content, 1, 3 * UNIT_BYTES as usize);
        for at in (0..sound.len()).step_by(97) {
            let mut damaged = sound.clone();
            damaged[at] ^= 0x20;
            let offset = at as u64 / u64::from(UNIT_BYTES) * u64::from(UNIT_BYTES);
            let found = verify(&damaged, owner(content, 1), 0).unwrap_err();
            assert_eq!(found.0, offset, "{content:?} at {at}");
        }
    }
}

#[test]
fn blocks_are_those_of_earlier_versions() {
    // CRC-32 of the whole block, from the formula in another language.
    let owner = Owner {
        user: 3,
        file: 7,
        seed: 99,
        content: Compressed,
    };
    let mut unit = vec![0; UNIT_BYTES as usize];
    stamp(&mut unit, owner, 8192);
    assert_eq!(unit[4..8], 0xf90f_0d70_u32.to_le_bytes());
    assert_eq!(crc32fast::hash(&unit), 0xdce3_0e64);
}
