//! Contents that are compared with what they should be.

use headcount_app::block::{self as app, Generation, Place};
use headcount_http::pages::Content as Page;
use headcount_http::pages::content::{self as page, Owner as PageOwner};
use headcount_redis::value;
use headcount_tree::block::{self as tree, Owner};
use headcount_tree::content::Content;

use crate::input::Input;

/// Compares bytes that came with what should be there, and changes what should be: each change shows.
pub fn contents(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (mode, bytes) = (input.mode, input.message);
    let offset = u64::from(mode >> 2) * 512;
    let owner = Owner {
        user: 1,
        file: 2,
        seed: 3,
        content: Content::Text,
    };
    let _ = tree::verify(bytes, owner, offset);
    let _ = tree::verify_within(bytes, owner, offset);
    let place = Place {
        file: 2,
        offset,
        seed: 3,
    };
    let _ = app::verify(bytes, place, |_| Generation::default());
    let _ = value::check(bytes, 7, 3, value::LEAST_BYTES.max(bytes.len() as u32));
    for content in [Page::Text, Page::Binary] {
        let owner = PageOwner {
            seed: 3,
            page: 2,
            content,
        };
        if let Err(difference) = page::check(owner, offset, bytes) {
            assert!(difference.at >= offset && difference.at - offset < bytes.len() as u64);
        }
        change_a_page(owner, offset, bytes);
    }
    change_a_value(bytes);
}

/// Fills a page and changes a byte of it.
fn change_a_page(owner: PageOwner, offset: u64, change: &[u8]) {
    let Some((&[at, other], _)) = change.split_first_chunk() else {
        return;
    };
    let mut bytes = [0; 256];
    page::fill(owner, offset, &mut bytes);
    assert_eq!(page::check(owner, offset, &bytes), Ok(()));
    let at = usize::from(at);
    let is_changed = bytes[at] != other;
    bytes[at] = other;
    let found = page::check(owner, offset, &bytes)
        .err()
        .map(|difference| difference.at);
    assert_eq!(found, is_changed.then_some(offset + at as u64));
}

/// Fills a value and changes a byte of it: seen wherever it is, but in the number of its write, which
/// may be any and which all the rest derives from.
fn change_a_value(change: &[u8]) {
    let Some((&[at, other], _)) = change.split_first_chunk() else {
        return;
    };
    let mut bytes = Vec::new();
    value::append(&mut bytes, 7, 3, 5, 64);
    let at = usize::from(at) % bytes.len();
    let is_changed = bytes[at] != other;
    bytes[at] = other;
    assert_eq!(value::check(&bytes, 7, 3, 64).is_err(), is_changed);
}
