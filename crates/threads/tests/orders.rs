//! Runs the code that threads share in many orders: nothing is lost or done twice, and no thread
//! waits for ever.
//!
//! Shuttle draws the next thread at each lock, wait and wake-up; a thread that waits for ever is a
//! deadlock, and fails the test. A failure prints the schedule that replays it.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::time::Duration;

use headcount_threads::job_pool::Pool;
use headcount_threads::mailbox::{Mail, Mailbox};
use headcount_threads::recorder::Recorder;
use headcount_threads::report::Report;
use headcount_threads::server::ServicePool;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::sync::{Arc, Mutex};
use shuttle::{check_pct, check_random, future, thread};

const ORDERS: usize = 3_000;
/// How often a thread is preempted at the worst moment, in the orders of `check_pct`.
const OVERTAKEN: usize = 3;
/// Shuttle's clock stands still: a wait with a time limit ends only when it is woken.
const PATIENCE: Duration = Duration::from_secs(1);

fn in_many_orders(test: fn()) {
    check_random(test, ORDERS);
    check_pct(test, ORDERS, OVERTAKEN);
}

#[test]
fn a_reader_gets_each_report_once_and_in_order_however_late_it_comes() {
    in_many_orders(|| {
        let mailbox = Arc::new(Mailbox::new(2));
        for worker in 0..2 {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || {
                let mut spare = 0;
                for tick in 1..=3 {
                    let given = mailbox.publish(Report { worker, tick });
                    spare = given.map_or(spare, |Recorder(of)| {
                        assert!(spare < of && of < tick, "one that was given back before");
                        of
                    });
                }
                mailbox.end(worker, None);
            });
        }
        let mut last = [0, 0];
        let mut is_over = false;
        while !is_over {
            let reports = match mailbox.wait(last[0].min(last[1]), PATIENCE) {
                Mail::Fresh(reports) => reports,
                Mail::Ended(reports) => {
                    is_over = true;
                    reports
                }
                other => panic!("{other:?}"),
            };
            for report in reports {
                assert_eq!(report.tick, last[report.worker] + 1);
                last[report.worker] = report.tick;
                mailbox.give_back(report.worker, Recorder(report.tick));
            }
        }
        assert_eq!(last, [3, 3]);
        assert!(mailbox.wait_for_end(PATIENCE));
    });
}

#[test]
fn a_panic_of_one_worker_reaches_the_reader_though_the_other_never_reports() {
    in_many_orders(|| {
        let mailbox = Arc::new(Mailbox::new(2));
        let sender = Arc::clone(&mailbox);
        thread::spawn(move || sender.end(1, Some("out of cheese".to_owned())));
        match mailbox.wait(0, PATIENCE) {
            Mail::Failed(message) => assert_eq!(message, "out of cheese"),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn each_job_is_done_once_by_a_bounded_number_of_threads() {
    in_many_orders(|| {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let pool = Arc::new(Pool::new(2));
        let users: Vec<_> = (0..3)
            .map(|number| {
                let (pool, now, most) = (Arc::clone(&pool), Arc::clone(&now), Arc::clone(&most));
                thread::spawn(move || {
                    let done = pool.run(move || {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        number
                    });
                    assert_eq!(future::block_on(done), Some(number));
                })
            })
            .collect();
        for user in users {
            user.join().unwrap();
        }
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    });
}

#[test]
fn waiting_jobs_are_done_after_the_pool_is_dropped() {
    in_many_orders(|| {
        let done = Arc::new(Mutex::new(Vec::new()));
        let pool = Pool::new(1);
        for number in 0..3 {
            let done = Arc::clone(&done);
            pool.send(move || done.lock().unwrap().push(number));
        }
        drop(pool);
        while done.lock().unwrap().len() < 3 {
            thread::yield_now();
        }
        assert_eq!(*done.lock().unwrap(), [0, 1, 2]);
    });
}

#[test]
fn the_server_does_each_request_once_until_it_is_stopped() {
    in_many_orders(|| {
        let done = Arc::new(Mutex::new(Vec::new()));
        let served = Arc::clone(&done);
        let pool = Arc::new(ServicePool::new(2, move |job: u32| {
            served.lock().unwrap().push(job);
        }));
        let clients: Vec<_> = [[0, 1], [2, 3]]
            .into_iter()
            .map(|jobs| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || jobs.into_iter().for_each(|job| pool.submit(job)))
            })
            .collect();
        for client in clients {
            client.join().unwrap();
        }
        while done.lock().unwrap().len() < 4 {
            thread::yield_now();
        }
        pool.stop();
        let mut all = done.lock().unwrap().clone();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        assert_eq!(pool.queue().now, 0);
    });
}

#[test]
fn a_server_that_stops_while_requests_come_joins_its_threads() {
    in_many_orders(|| {
        let done = Arc::new(AtomicUsize::new(0));
        let served = Arc::clone(&done);
        let pool = Arc::new(ServicePool::new(2, move |()| {
            served.fetch_add(1, Ordering::SeqCst);
        }));
        let client = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || (0..3).for_each(|_| pool.submit(())))
        };
        pool.stop();
        client.join().unwrap();
        let after = done.load(Ordering::SeqCst);
        pool.submit(());
        assert_eq!(pool.queue().now, 0, "what comes late is dropped");
        assert_eq!(
            done.load(Ordering::SeqCst),
            after,
            "a thread is still at work"
        );
    });
}
