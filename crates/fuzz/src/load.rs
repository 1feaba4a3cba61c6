//! What the engine reads: plans, options, histograms, and messages that it puts into groups.

use headcount_files::options::FilesOptions;
use headcount_http::HttpOptions;
use headcount_load::distribution::Distribution;
use headcount_load::{Compile, Plan, fault};
use headcount_mail::MailOptions;
use headcount_redis::{RedisOptions, RedisStep};
use headcount_smb::SmbOptions;
use headcount_sql::SqlOptions;
use headcount_sql::step::SqlStep;

/// Decodes a histogram. Its figures are in order, and what is encoded comes back.
pub fn histogram(data: &[u8]) {
    let Ok(found) = Distribution::decode(data) else {
        return;
    };
    let (half, most) = (found.quantile_us(0.5), found.quantile_us(1.0));
    assert!(half <= most && most <= found.max_us());
    assert!(found.count_above(half) <= found.count());
    assert!(found.mean_us() >= 0.0);
    // A histogram of others may have other buckets; ours come back as they are.
    let ours = Distribution::decode(&found.encode()).expect("what was encoded");
    let again = Distribution::decode(&ours.encode()).expect("what was encoded");
    assert_eq!(ours, again);
    let both = Distribution::merge([&ours, &again]);
    assert_eq!(both.count(), 2 * ours.count());
}

/// Puts a message into its group, which is never 0.
pub fn group(data: &[u8]) {
    assert_ne!(fault::group(&String::from_utf8_lossy(data)), 0);
}

/// Reads a plan and compiles it for each protocol but `app`, whose steps compute what they expect:
/// too slow with instrumentation.
pub fn plan(data: &[u8]) {
    let Some((&mode, text)) = data.split_first() else {
        return;
    };
    let Ok(Ok(plan)) = std::str::from_utf8(text).map(Plan::from_json) else {
        return;
    };
    match mode % 6 {
        0 => compile::<headcount_null::NullStep>(plan),
        1 => compile::<headcount_http::Step>(plan),
        2 => compile::<headcount_mail::Step>(plan),
        3 => compile::<SqlStep>(plan),
        4 => compile::<RedisStep>(plan),
        _ => compile::<headcount_tree::step::Step>(plan),
    }
}

fn compile<S: Compile>(plan: Plan) {
    if let Ok(compiled) = plan.compile::<S>() {
        assert!(!compiled.scenarios.is_empty() && !compiled.step_names.is_empty());
    }
}

/// Reads what is known of a target, for each protocol.
pub fn options(data: &[u8]) {
    let Some((&mode, json)) = data.split_first() else {
        return;
    };
    match mode % 6 {
        0 => drop(serde_json::from_slice::<HttpOptions>(json)),
        1 => drop(serde_json::from_slice::<MailOptions>(json)),
        2 => drop(serde_json::from_slice::<SqlOptions>(json)),
        3 => drop(serde_json::from_slice::<RedisOptions>(json)),
        4 => drop(serde_json::from_slice::<SmbOptions>(json)),
        _ => drop(serde_json::from_slice::<FilesOptions>(json)),
    }
}
