//! Coordinated omission: against a server with known stalls, the reported response times match the
//! truth, computed here without the engine.

use crate::common::{plan, scenario, steady, step};
use headcount_load::distribution::Distribution;
use headcount_load::pace::{Draw, Pace};
use headcount_load::rehearsal::rehearse;
use headcount_null::{Null, Stalls};
use serde_json::json;

const EVERY_S: f64 = 10.0;
const STALL_S: f64 = 1.0;
const MEAN_S: f64 = 0.001;

/// The share of arrivals at uniform moments whose response exceeds `limit_s`: a response is the
/// exponential service time, plus what is left of the stall the request meets. Service is so short
/// against the period that meeting two stalls has no weight.
fn share_above(limit_s: f64) -> f64 {
    let cells = 200_000;
    let tail = |s: f64| if s <= 0.0 { 1.0 } else { (-s / MEAN_S).exp() };
    let above = |cell: u32| {
        let phase_s = (f64::from(cell) + 0.5) / f64::from(cells) * EVERY_S;
        if phase_s < STALL_S {
            return tail(limit_s - (STALL_S - phase_s)); // waits for the end of the stall
        }
        let left_s = EVERY_S - phase_s; // work that outlasts this is interrupted for a whole stall
        let uninterrupted = (tail(limit_s) - tail(left_s)).max(0.0);
        let interrupted = tail(left_s.max(limit_s - STALL_S));
        uninterrupted
            + if limit_s < left_s {
                tail(left_s)
            } else {
                interrupted
            }
    };
    (0..cells).map(above).sum::<f64>() / f64::from(cells)
}

fn true_percentile(quantile: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if share_above(middle) > 1.0 - quantile {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn response_times_are_within_two_percent_of_the_truth_and_service_times_hide_the_stalls() {
    // 20 users, a scenario every 0.2 s on average: in a stall, each falls five behind.
    let service = json!({"op": "serve", "service": {"draw": "exponential", "mean_s": MEAN_S}});
    let pace = Pace::Open {
        every: Draw::Exponential { mean_s: 0.2 },
    };
    let plan = plan(
        pace,
        vec![scenario("work", 1.0, vec![step("work", service)])],
    );
    let stalls = Stalls {
        every_ns: 10_000_000_000,
        lasting_ns: 1_000_000_000,
    };
    let server = Null {
        stalls: Some(stalls),
    };
    let last = rehearse(plan, server, &steady(20, 7_200))
        .unwrap()
        .pop()
        .unwrap();
    let tally = &last.recorder.scenarios[0];
    assert!(tally.completed > 700_000);
    for quantile in [0.5, 0.95, 0.99] {
        let truth_s = true_percentile(quantile);
        let reported_s = Distribution::of(&tally.response).quantile_us(quantile) as f64 / 1e6;
        // One connection for each user: a request behind another of its user waits for it too,
        // which the truth above, with a connection for each request, leaves out. A user is busy for
        // half a percent of the time, so that moves no percentile by more than that.
        assert!(
            (reported_s / truth_s - 1.0).abs() < 0.02,
            "p{quantile}: {reported_s} for {truth_s}"
        );
    }
    // What tools that time from the actual start would have claimed.
    let claimed_s = Distribution::of(&tally.service).quantile_us(0.95) as f64 / 1e6;
    assert!(claimed_s < 0.5 * true_percentile(0.95), "{claimed_s}");
}
