use headcount_load::stream::{Purpose, Stream};

use super::samples::{heavy, light, medium};
use super::*;

fn near(value: f64, wanted: f64, error: f64) -> bool {
    (value / wanted - 1.0).abs() <= error
}

#[test]
fn a_day_of_loadsim_matches_the_published_figures() {
    // The gains and the received messages were computed by hand in the research.
    for (sample, gain, received) in [
        (light(), 0.42, 20.7),
        (medium(), 0.63, 56.6),
        (heavy(), 0.90, 125.5),
    ] {
        let day = sample.profile.day(&sample.per_day).unwrap();
        assert!((day.gain - gain).abs() < 1e-9, "{day:?}");
        assert!(near(day.received, received, 0.005), "{day:?}");
        assert!(near(day.received, sample.received, sample.error), "{day:?}");
        assert!(near(day.sent, sample.sent, 0.05), "{day:?}");
        sample.profile.check().unwrap();
    }
}

#[test]
fn a_day_of_mmb_matches_compaqs_figures() {
    // 14.18 messages a day, answers included, to 4.7 recipients each: 66.3 were published.
    let mut profile = Profile {
        recipients: Recipients {
            mean: 4.7,
            list_share: 0.3,
            ..Recipients::default()
        },
        ..Profile::default()
    };
    let day = profile.day(&PerDay { new: 14.18 }).unwrap();
    assert!(near(day.received, 66.3, 0.006), "{day:?}");
    assert!(near(day.sent, 14.18, 1e-12), "{day:?}");
    // A third of the recipients elsewhere: neither received here, nor lost.
    profile.destinations = vec![Destination {
        domain: "dest1.invalid".into(),
        share: 1.0 / 3.0,
    }];
    let day = profile.day(&PerDay { new: 14.18 }).unwrap();
    assert!(near(day.received + day.elsewhere, 14.18 * 4.7, 1e-12));
    assert!(near(day.elsewhere, 14.18 * 4.7 / 3.0, 1e-12));
}

#[test]
fn profiles_that_multiply_their_mail_are_refused() {
    let mut profile = heavy().profile;
    profile.handled = 1.0;
    let settles = profile.day(&PerDay { new: 8.0 }).unwrap();
    assert!(near(settles.received, 400.0, 1e-9), "{settles:?}");
    (profile.replied, profile.deleted) = (0.30, 0.30);
    let error = profile.check().unwrap_err();
    assert!(error.contains("makes 1.00 others"), "{error}");
    assert!(error.contains("handled 1 x [replied 0.3"), "{error}");
}

#[test]
fn recipients_match_the_profile_and_are_distinct() {
    let mut stream = Stream::new(5, Purpose::Scenario, 0, 0);
    let mut profile = Profile {
        recipients: Recipients {
            mean: 4.7,
            list_share: 0.3,
            ..Recipients::default()
        },
        ..Profile::default()
    };
    let draws = 100_000;
    let mean = |profile: &Profile, stream: &mut Stream| {
        let all = (0..draws)
            .map(|_| u64::from(profile.draw_count(stream)))
            .sum::<u64>();
        all as f64 / f64::from(draws)
    };
    // The standard deviation of a count is 4.9 (a list of 10 in 3 of 10, its size 5.4 around that).
    assert!((mean(&profile, &mut stream) - 4.7).abs() < 4.0 * 4.9 / f64::from(draws).sqrt());
    profile.recipients.list_share = 0.0;
    profile.recipients.mean = 5.0;
    assert!((0..1000).all(|_| profile.draw_count(&mut stream) == 5));

    let people = People {
        own: 3,
        population: 10,
    };
    for count in 1..20 {
        let mut to = Vec::new();
        profile.draw_recipients(people, count, &mut to, &mut stream);
        assert_eq!(to.len(), count.min(9) as usize);
        assert!(!to.contains(&Addressee::User(3)));
        let ids = to.iter().map(|addressee| match addressee {
            Addressee::User(id) => *id,
            Addressee::Elsewhere { .. } => panic!("nobody is elsewhere"),
        });
        let unique: std::collections::BTreeSet<u32> = ids.filter(|id| *id < 10).collect();
        assert_eq!(unique.len(), to.len());
    }
    let alone = People {
        own: 0,
        population: 1,
    };
    let mut to = Vec::new();
    profile.draw_recipients(alone, 4, &mut to, &mut stream);
    assert_eq!(to, [Addressee::User(0)]);
}

#[test]
fn a_fifth_of_the_users_may_receive_four_fifths_of_the_mail() {
    let mut stream = Stream::new(6, Purpose::Scenario, 0, 0);
    let mut profile = Profile::default();
    profile.recipients.popular = Some(Popular {
        one_in: 5,
        mail: 0.8,
    });
    profile.destinations = vec![Destination {
        domain: "dest1.invalid".into(),
        share: 0.25,
    }];
    let people = People {
        own: 102,
        population: 103,
    };
    let (mut elsewhere, mut popular, mut others) = (0, 0, vec![0_u32; 103]);
    let draws = 40_000;
    for _ in 0..draws {
        let mut to = Vec::new();
        profile.draw_recipients(people, 1, &mut to, &mut stream);
        match to[..] {
            [Addressee::Elsewhere { destination: 0, .. }] => elsewhere += 1,
            [Addressee::User(id)] if id % 5 == 0 => popular += 1,
            [Addressee::User(id)] => others[id as usize] += 1,
            _ => panic!("one recipient was asked for"),
        }
    }
    let share = |count: i32, of: i32| f64::from(count) / f64::from(of);
    assert!((share(elsewhere, draws) - 0.25).abs() < 4.0 * (0.1875 / f64::from(draws)).sqrt());
    assert!((share(popular, draws - elsewhere) - 0.8).abs() < 0.01);
    // Every user except the sender and the popular ones receives some of the rest, even the last.
    let left_out = (0..103).filter(|id| id % 5 != 0 && others[*id] == 0);
    assert_eq!(left_out.collect::<Vec<_>>(), [102]);
}

#[test]
fn mistakes_are_named() {
    for (json, part) in [
        (r#"{"mix": []}"#, "mix needs at least one row"),
        (r#"{"mix": [{"weight": 0, "text_bytes": 1}]}"#, "weight"),
        (r#"{"handled": 1.5}"#, "handled must be from 0 to 1"),
        (r#"{"replied": 0.6, "deleted": 0.6}"#, "are 1.200 together"),
        (r#"{"moved": 0.1}"#, "start.folders"),
        (
            r#"{"recipients": {"mean": 2, "list_share": 0.3}}"#,
            "which are 3.00",
        ),
        (r#"{"recipients": {"list_mean": 30}}"#, "[2, 20] and 30"),
        (
            r#"{"recipients": {"popular": {"one_in": 1, "mail": 0.8}}}"#,
            "one_in",
        ),
        (
            r#"{"destinations": [{"domain": "a b", "share": 0.1}]}"#,
            "\"a b\"",
        ),
        (
            r#"{"destinations": [{"domain": "a", "share": 0.6}, {"domain": "b", "share": 0.6}]}"#,
            "add up",
        ),
        (r#"{"start": {"inbox": 2000000}}"#, "start.inbox"),
    ] {
        let profile: Profile = serde_json::from_str(json).unwrap();
        let sentence = profile.check().unwrap_err();
        assert!(sentence.contains(part), "{json}: {sentence}");
    }
    assert!(serde_json::from_str::<Profile>(r#"{"replies": 1}"#).is_err());
}
