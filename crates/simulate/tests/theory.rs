//! The simulator against exact results for closed queueing networks.

use headcount_simulate::{
    Batch, Level, LevelError, Limiter, Measured, Server, Spread, System, simulate,
};

/// Mean response of M/M/c//N (N users thinking exponentially, c servers), seconds.
///
/// Birth-death chain: p(k+1) / p(k) = (N - k) / think / (min(k + 1, c) / service); response by
/// Little's law. Kleinrock, Queueing Systems I, 3.8-3.10 (finite customer population).
fn machine_repair_response_s(users: u32, servers: u32, service_s: f64, think_s: f64) -> f64 {
    let mut weight = 1.0_f64;
    let (mut total, mut present, mut busy) = (1.0, 0.0, 0.0);
    for k in 0..users {
        let serving = f64::from((k + 1).min(servers));
        weight *= f64::from(users - k) / think_s * service_s / serving;
        if weight > 1e200 {
            total /= weight;
            present /= weight;
            busy /= weight;
            weight = 1.0;
        }
        total += weight;
        present += weight * f64::from(k + 1);
        busy += weight * serving;
    }
    let throughput = busy / total / service_s;
    present / total / throughput
}

fn steady_cpu() -> System {
    System {
        run_deviation: 0.0,
        ..System::named("cpu").expect("known")
    }
}

fn level(users: u32, measure_s: f64) -> Level {
    Level {
        users,
        measure_s,
        warmup_s: 100.0,
        seed: 11,
        ..Level::default()
    }
}

fn run(system: &System, level: &Level) -> Measured {
    simulate(system, level).expect("within the limits")
}

#[test]
fn mean_response_is_that_of_the_birth_death_chain() {
    for (users, expected_ms, tolerance) in
        [(500, 21.7, 0.01), (803, 34.1, 0.02), (1100, 500.6, 0.02)]
    {
        let exact_s = machine_repair_response_s(users, 4, 0.020, 5.0);
        assert!(
            (exact_s * 1e3 - expected_ms).abs() < 0.1,
            "{users}: {exact_s}"
        );
        let measured_s = run(&steady_cpu(), &level(users, 20_000.0)).response_mean_s();
        assert!(
            (measured_s / exact_s - 1.0).abs() < tolerance,
            "{users}: {measured_s} {exact_s}"
        );
    }
}

#[test]
fn users_response_and_throughput_obey_littles_law() {
    for name in [
        "cpu", "disk", "noisy", "thrash", "memcliff", "sharing", "lock",
    ] {
        let system = System::named(name).expect("known");
        let measured = run(&system, &level(800, 2_000.0));
        let seconds = measured.batches.len() as f64 * measured.batch_s;
        let throughput = measured.completed() as f64 / seconds;
        let users = throughput * (measured.response_mean_s() + system.think_s);
        assert!((users / 800.0 - 1.0).abs() < 0.01, "{name}: {users}");
    }
}

#[test]
fn an_overloaded_server_saturates_and_nearly_everything_is_slow() {
    let measured = run(&steady_cpu(), &level(2000, 1_000.0));
    let throughput = measured.completed() as f64 / 1_000.0;
    assert!((throughput / 200.0 - 1.0).abs() < 0.02, "{throughput}");
    assert!(measured.slow() as f64 > 0.99 * measured.decided() as f64);
    assert!(
        measured.percentiles_s[2] > 4.0,
        "{:?}",
        measured.percentiles_s
    );
}

#[test]
fn overdue_requests_are_counted_when_they_cross_the_limit() {
    // One request lasts 1,000 s: none completes within the level, all of them cross the limit in it.
    let mut system = steady_cpu();
    system.stations[0].service_s = 1_000_000.0;
    let measured = run(
        &system,
        &Level {
            users: 8,
            warmup_s: 0.0,
            ..level(8, 60.0)
        },
    );
    assert_eq!(measured.completed(), 0);
    assert_eq!(measured.slow(), 8);
    assert_eq!(measured.decided(), 8);
}

#[test]
fn thrashing_loses_throughput_beyond_its_capacity() {
    let system = System {
        run_deviation: 0.0,
        ..System::named("thrash").expect("known")
    };
    let rate = |users| run(&system, &level(users, 500.0)).completed();
    assert!(rate(1_600) < rate(1_000), "{} {}", rate(1_600), rate(1_000));
}

#[test]
fn the_state_before_a_level_is_carried_into_it() {
    let warm = Level {
        users: 500,
        previous_users: 2_000,
        warmup_s: 0.0,
        measure_s: 5.0,
        seed: 3,
    };
    let overloaded = run(&steady_cpu(), &warm);
    let fresh = run(
        &steady_cpu(),
        &Level {
            previous_users: 0,
            ..warm
        },
    );
    assert!(overloaded.response_mean_s() > 10.0 * fresh.response_mean_s());
}

#[test]
fn same_seed_same_level() {
    let system = System::named("noisy").expect("known");
    assert_eq!(
        run(&system, &level(700, 60.0)),
        run(&system, &level(700, 60.0))
    );
    let other = Level {
        seed: 12,
        ..level(700, 60.0)
    };
    assert_ne!(run(&system, &other), run(&system, &level(700, 60.0)));
}

#[test]
fn levels_outside_the_limits_are_refused() {
    let refused = |level: Level| simulate(&steady_cpu(), &level).expect_err("outside");
    assert_eq!(refused(level(0, 60.0)), LevelError::Users);
    assert_eq!(refused(level(2_000_000, 60.0)), LevelError::Users);
    assert_eq!(refused(level(10, 0.0)), LevelError::Seconds);
    assert_eq!(refused(level(10, f64::NAN)), LevelError::Seconds);
    assert_eq!(
        refused(Level {
            warmup_s: -1.0,
            ..level(10, 60.0)
        }),
        LevelError::Seconds
    );
}

/// Processor sharing is insensitive: its mean response depends on the mean of the service times
/// only, and is that of M/M/c//N. Kelly, Reversibility and Stochastic Networks, 3.3.
#[test]
fn processor_sharing_depends_only_on_the_mean_service_time() {
    let exact_s = machine_repair_response_s(900, 4, 0.020, 5.0);
    for spread in [Spread::Constant, Spread::Erlang(1), Spread::Lognormal(1.0)] {
        let mut system = steady_cpu();
        system.stations[0].shared = true;
        system.stations[0].spread = spread;
        let measured_s = run(&system, &level(900, 20_000.0)).response_mean_s();
        assert!(
            (measured_s / exact_s - 1.0).abs() < 0.03,
            "{spread:?}: {measured_s} {exact_s}"
        );
    }
}

#[test]
fn a_server_goes_on_where_the_last_level_left_it() {
    let mut server = Server::new(steady_cpu(), 3);
    server.users(2_000).expect("within the limits");
    server.pass(60.0).expect("within the limits");
    server.start_level();
    server.users(500).expect("within the limits");
    let at_once = server.measure(5.0).expect("within the limits");
    server.pass(60.0).expect("within the limits");
    let later = server.measure(5.0).expect("within the limits");
    let slow = |batch: Batch| batch.slow as f64 / batch.completed as f64;
    assert!(slow(at_once) > 0.5 && slow(later) < 0.05);
    assert!((server.now_s() - 130.0).abs() < 1e-9);
}

#[test]
fn a_stall_delays_every_kind_of_station_once() {
    for shared in [false, true] {
        let mut system = steady_cpu();
        system.stations[0].shared = shared;
        let mut server = Server::new(system, 4);
        server.users(500).expect("within the limits");
        server.pass(30.0).expect("within the limits");
        server.stall(2.0, 3.0);
        let during = server.measure(10.0).expect("within the limits");
        let after = server.measure(10.0).expect("within the limits");
        // 100 requests per second for 3 s minus the limit, and those that then wait behind them.
        assert!(during.slow > 250 && during.slow < 700, "{during:?}");
        assert!(after.slow < 3, "{shared} {after:?}");
    }
}

#[test]
fn a_limiter_refuses_requests_beyond_its_rate() {
    let mut system = steady_cpu();
    system.limiter = Some(Limiter {
        per_s: 100.0,
        burst: 10.0,
    });
    let measured = run(&system, &level(800, 1_000.0));
    let served = measured.completed() - measured.slow();
    assert!((served as f64 / 100_000.0 - 1.0).abs() < 0.01, "{served}");
}

#[test]
fn newcomers_load_the_disks_until_they_are_cached() {
    let system = System::named("newcomers").expect("known");
    let mut server = Server::new(system, 5);
    server.users(1_000).expect("within the limits");
    server.pass(20.0).expect("within the limits");
    let cold = server.measure(20.0).expect("within the limits");
    server.pass(600.0).expect("within the limits");
    let warm = server.measure(20.0).expect("within the limits");
    let mean = |batch: Batch| batch.response_sum_s / batch.completed as f64;
    assert!(mean(cold) > 1.2 * mean(warm), "{cold:?} {warm:?}");
}
