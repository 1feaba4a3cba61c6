//! libFuzzer around one target, which the variable `HEADCOUNT_FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

use headcount_fuzz::{Target, target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("HEADCOUNT_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("HEADCOUNT_FUZZ_TARGET is no target: \"{name}\""))
});

fuzz_target!(|data: &[u8]| TARGET(data));
