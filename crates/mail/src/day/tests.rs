use std::sync::Arc;

use headcount_load::Plan;
use headcount_load::rehearsal::rehearse;
use headcount_load::worker::Command;
use serde_json::json;

use super::post_office::{Count, DAY_NS, PostOffice, State};
use crate::profile::samples::{Sample, heavy, light, medium};
use crate::profile::{Destination, Profile};

/// Plays whole days and returns the post office.
fn play(
    profile: Profile,
    (new, looks): (f64, f64),
    users: u32,
    days: u64,
    state: State,
) -> PostOffice {
    let office = PostOffice {
        profile: Arc::new(profile),
        state: Arc::new(state.into()),
    };
    let scenario = |op: &str, weight: f64| {
        json!({"name": op, "weight": weight, "limit_ms": 1000.0, "late_ms": 1000.0,
               "steps": [{"name": op, "op": op}]})
    };
    let every_s = DAY_NS as f64 / 1e9 / (new + looks);
    let plan = json!({
        "seed": 11, "workers": 1, "step_timeout_ms": 60_000, "report_every_ms": 60_000,
        "pace": {"pace": "open", "every": {"draw": "exponential", "mean_s": every_s}},
        "scenarios": [scenario("write", new), scenario("look", looks)],
    });
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let script = [
        (
            0,
            Command::Users {
                target: users,
                over_ns: 0,
            },
        ),
        (
            days * DAY_NS,
            Command::Stop {
                drain_ns: 1_000_000_000,
            },
        ),
    ];
    let snapshots = rehearse(plan, office.clone(), &script).unwrap();
    assert!(
        snapshots.len() as u64 > days * 8 - 1,
        "it was played to its end"
    );
    office
}

/// Mean and standard error of a figure over the days, per user.
fn mean_and_error(days: &[Count], users: u32, figure: impl Fn(&Count) -> u64) -> (f64, f64) {
    let each: Vec<f64> = days
        .iter()
        .map(|day| figure(day) as f64 / f64::from(users))
        .collect();
    let n = each.len() as f64;
    let mean = each.iter().sum::<f64>() / n;
    let squares = each.iter().map(|day| (day - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

fn check_whole_days(sample: &Sample) {
    const USERS: u32 = 240;
    const DAYS: u64 = 30;
    // The mail of the first days has not been answered yet.
    const SETTLED: usize = 4;
    let pace = (sample.per_day.new, sample.looks);
    let office = play(sample.profile.clone(), pace, USERS, DAYS, State::default());
    let state = office.state.lock().unwrap();
    let days = &state.days[SETTLED..DAYS as usize];
    let model = sample.profile.day(&sample.per_day).unwrap();
    for (figure, published, computed) in [
        (
            mean_and_error(days, USERS, |day| day.received),
            sample.received,
            model.received,
        ),
        (
            mean_and_error(days, USERS, |day| day.sent),
            sample.sent,
            model.sent,
        ),
    ] {
        let (mean, error) = figure;
        assert!(
            error / mean < 0.01,
            "too few days to tell: {mean} +- {error}"
        );
        assert!(
            (mean - computed).abs() < 4.0 * error,
            "{mean} +- {error}, {computed} computed"
        );
        let allowed = sample.error * published + 4.0 * error;
        assert!(
            (mean - published).abs() < allowed,
            "{mean} +- {error}, {published} published"
        );
    }
    // Users handled their messages as the profile says.
    let count =
        |of: fn(&super::post_office::Inbox) -> usize| state.boxes.iter().map(of).sum::<usize>();
    let (deleted, filed) = (count(|b| b.deleted.len()), count(|b| b.filed.len()));
    let all = count(|b| b.deleted.len() + b.filed.len() + b.held.len()) as f64;
    for (made, share) in [
        (deleted, sample.profile.deleted),
        (filed, sample.profile.moved),
    ] {
        let wanted = all * sample.profile.handled * share;
        assert!(
            (made as f64 - wanted).abs() <= 4.0 * wanted.sqrt(),
            "{made}, {wanted} expected"
        );
    }
}

#[test]
fn days_of_light_users_match_the_published_figures() {
    check_whole_days(&light());
}

#[test]
fn days_of_medium_users_match_the_published_figures() {
    check_whole_days(&medium());
}

#[test]
fn days_of_heavy_users_match_the_published_figures() {
    check_whole_days(&heavy());
}

#[test]
fn mail_that_causes_more_mail_than_itself_grows_without_bound() {
    let sample = heavy();
    let mut profile = Profile {
        handled: 1.0,
        replied: 0.25,
        replied_to_all: 0.10,
        forwarded: 0.10,
        deleted: 0.20,
        ..sample.profile
    };
    assert!(profile.check().unwrap_err().contains("makes 1.25 others"));
    let grown = |profile: &Profile| {
        let office = play(profile.clone(), (2.0, 4.0), 60, 6, State::default());
        let state = office.state.lock().unwrap();
        let received: Vec<u64> = state.days[..6].iter().map(|day| day.received).collect();
        received
    };
    // A look every two hours multiplies the mail by 1.25: e^(0.25 x 4) = 2.7 a day.
    let received = grown(&profile);
    assert!(
        received
            .windows(2)
            .skip(1)
            .all(|days| days[1] > days[0] * 2),
        "{received:?}"
    );
    profile.handled = 0.4;
    profile.check().unwrap();
    let received = grown(&profile);
    assert!(received[5] < received[2] * 3 / 2, "{received:?}");
}

#[test]
fn the_inbox_is_kept_to_its_cap_and_copies_stay() {
    let profile = Profile {
        copied: 0.5,
        inbox_cap: 20,
        start: crate::profile::Start {
            folders: 3,
            ..Default::default()
        },
        destinations: vec![Destination {
            domain: "dest1.invalid".into(),
            share: 0.5,
        }],
        ..light().profile
    };
    let office = play(
        Profile {
            deleted: 0.0,
            moved: 0.0,
            ..profile
        },
        (10.0, 10.0),
        20,
        10,
        State::default(),
    );
    let state = office.state.lock().unwrap();
    for inbox in &state.boxes {
        assert!(inbox.held.len() <= 20 && !inbox.copied.is_empty());
        assert!(inbox.held.is_sorted() && inbox.deleted.last() < inbox.held.first());
        assert!(inbox.copied.iter().all(|(folder, _)| *folder < 3));
    }
    let (elsewhere, received) = state
        .days
        .iter()
        .fold((0, 0), |(elsewhere, received), day| {
            (
                elsewhere + day.elsewhere,
                received + day.received - day.answers,
            )
        });
    let share = elsewhere as f64 / (elsewhere + received) as f64;
    // A few messages are replies to all: the answered sender, 1 of 4 recipients, is always here.
    assert!((share - 0.5).abs() < 0.05, "{share}");
}

#[test]
fn one_bad_message_does_not_keep_the_user_from_the_others() {
    let state = State {
        bad: Some(3),
        ..State::default()
    };
    let office = play(light().profile, (10.0, 10.0), 5, 2, state);
    let state = office.state.lock().unwrap();
    // The user looked at it, did nothing with it, and read those after it.
    let holder = state
        .boxes
        .iter()
        .find(|inbox| inbox.held.contains(&3))
        .unwrap();
    assert!(holder.held.last() > Some(&3) || holder.deleted.last() > Some(&3));
}
