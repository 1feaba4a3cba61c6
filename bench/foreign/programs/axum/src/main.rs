//! A plain web application on axum: its flags choose what a request does, and so what limits it.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::{extract::State, routing::get, Router};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Mutex, Semaphore};

struct Shop {
    work: u64,
    sleep: Duration,
    locked: Duration,
    held: Duration,
    lock: Mutex<()>,
    places: Semaphore,
    limiter: Option<DefaultDirectRateLimiter>,
    body: Vec<u8>,
}

/// Mixes numbers: always the same work, some 0.3 ms for 100,000 rounds.
fn spin(rounds: u64) -> u64 {
    let mut sum = 1_u64;
    for round in 0..rounds {
        sum = std::hint::black_box(sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round));
    }
    sum
}

async fn answer(State(shop): State<Arc<Shop>>) -> Vec<u8> {
    if let Some(limiter) = &shop.limiter {
        limiter.until_ready().await;
    }
    if shop.work > 0 {
        spin(shop.work);
    }
    if !shop.locked.is_zero() {
        let _held = shop.lock.lock().await;
        tokio::time::sleep(shop.locked).await;
    }
    if !shop.held.is_zero() {
        let _place = shop.places.acquire().await;
        tokio::time::sleep(shop.held).await;
    }
    tokio::time::sleep(shop.sleep).await;
    shop.body.clone()
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let flags: HashMap<&str, &str> = words
        .chunks(2)
        .map(|pair| (pair[0].trim_start_matches("--"), pair[1].as_str()))
        .collect();
    let number = |name: &str| flags.get(name).map_or(0.0, |text| text.parse().expect("a number"));
    let host = flags.get("host").copied().unwrap_or("127.0.0.1");
    let ms = |name: &str| Duration::from_secs_f64(number(name) / 1000.0);
    let shop = Arc::new(Shop {
        work: number("rounds") as u64,
        sleep: ms("sleep-ms"),
        locked: ms("lock-ms"),
        held: ms("held-ms"),
        lock: Mutex::new(()),
        places: Semaphore::new(number("places") as usize),
        limiter: NonZeroU32::new(number("rate") as u32)
            .map(|rate| RateLimiter::direct(Quota::per_second(rate).allow_burst(NonZeroU32::MIN))),
        body: vec![b'x'; number("bytes").max(200.0) as usize],
    });
    let threads = number("threads").max(1.0) as usize;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    runtime.expect("a runtime").block_on(async move {
        let place = format!("{host}:{}", number("port"));
        let listener = tokio::net::TcpListener::bind(place).await.expect("a free port");
        let routes = Router::new().fallback(get(answer)).with_state(shop);
        axum::serve(listener, routes).await.expect("a server");
    });
}
