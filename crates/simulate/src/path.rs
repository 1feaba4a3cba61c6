//! The path of a request: in, through the stations, and back to its user.

use std::cmp::Reverse;

use crate::event::{Departure, Who};
use crate::job::Job;
use crate::server::Server;
use crate::station::Station;

impl Server {
    /// A user sends a request.
    pub(crate) fn send(&mut self) {
        self.thinking -= 1;
        let slow = match &self.system.slow_class {
            Some(class) => self.draw.uniform() <= class.share,
            None => false,
        };
        let job = Job {
            sent_s: self.now_s,
            kind: 0,
            visits: self.visits(0),
            slow,
        };
        if self.admitted() {
            self.visit(job);
        } else {
            self.answer(job, true);
        }
    }

    /// Takes a token from the limiter; returns whether there was one.
    fn admitted(&mut self) -> bool {
        let Some(limiter) = &self.system.limiter else {
            return true;
        };
        let (tokens, counted_s) = self.tokens;
        let tokens = (tokens + (self.now_s - counted_s) * limiter.per_s).min(limiter.burst);
        let admitted = tokens >= 1.0;
        self.tokens = (tokens - f64::from(u8::from(admitted)), self.now_s);
        admitted
    }

    /// Share of the users present who have just joined.
    pub(crate) fn new_share(&self) -> f64 {
        let (share, since_s) = self.new;
        match &self.system.newcomers {
            Some(newcomers) => share * ((since_s - self.now_s) / newcomers.warm_s).exp(),
            None => 0.0,
        }
    }

    /// Visits of one request to a kind of station: the whole part and a coin toss for the rest.
    fn visits(&mut self, kind: usize) -> u32 {
        let mean = self.system.visits(kind, self.users, self.new_share());
        let whole = mean.floor();
        if mean > whole && self.draw.uniform() <= mean - whole {
            return whole as u32 + 1;
        }
        whole as u32
    }

    /// Sends the request to its next station, or back to its user when it has made all its visits.
    fn visit(&mut self, mut job: Job) {
        while job.visits == 0 {
            job.kind += 1;
            if job.kind == self.system.stations.len() {
                return self.answer(job, false);
            }
            job.visits = self.visits(job.kind);
        }
        let spec = &self.system.stations[job.kind];
        let (count, backlog) = (spec.count, spec.backlog);
        let offset = if count == 1 {
            0
        } else {
            self.draw.index(count)
        };
        let index = self.first[job.kind] + offset as usize;
        if self.stations[index].waiting() >= backlog {
            return self.answer(job, true);
        }
        match &mut self.stations[index] {
            Station::Queue(queue) => {
                if let Some(job) = queue.arrive(job) {
                    self.serve(index, job);
                }
            }
            Station::Shared(_) => self.share(index, job),
        }
    }

    /// Starts a service at a station's own server.
    fn serve(&mut self, station: usize, job: Job) {
        let work_s = self.work_s(station, &job);
        let at_bits = self
            .speed
            .pauses
            .end_of(self.now_s, work_s, &mut self.draw)
            .to_bits();
        self.departures.push(Reverse(Departure {
            at_bits,
            station: station as u32,
            who: Who::One(job),
        }));
    }

    /// Adds a request to a shared station.
    fn share(&mut self, station: usize, job: Job) {
        let work_s = self.work_s(station, &job);
        let active_s = self.speed.pauses.active_s(self.now_s, &mut self.draw);
        if let Station::Shared(shared) = &mut self.stations[station] {
            shared.arrive(active_s, job, work_s);
        }
        self.expect(station);
    }

    /// Adds the next departure of a shared station to the events.
    fn expect(&mut self, station: usize) {
        let Station::Shared(shared) = &self.stations[station] else {
            return;
        };
        let Some(next_s) = shared.next_s() else {
            return;
        };
        let who = Who::First(shared.version);
        let end_s = self.speed.pauses.end_of(self.now_s, next_s, &mut self.draw);
        self.departures.push(Reverse(Departure {
            at_bits: end_s.to_bits(),
            station: station as u32,
            who,
        }));
    }

    /// Seconds that a request needs at a station at its current speed, which is assumed constant
    /// during the service: services are short compared with changes of speed.
    fn work_s(&mut self, station: usize, job: &Job) -> f64 {
        let spec = &self.system.stations[job.kind];
        let mut work_s = spec.service_s * self.draw.service(spec.spread);
        if let Some(congested) = &self.system.congested {
            let waiting = self.stations[station].waiting();
            let beyond = waiting.saturating_sub(congested.free);
            work_s *= 1.0 + congested.growth * beyond as f64;
        }
        if job.slow
            && let Some(class) = &self.system.slow_class
        {
            work_s *= class.factor;
        }
        let stations = &self.stations;
        self.speed.advance(self.now_s, &mut self.draw, || {
            stations.iter().map(Station::waiting).sum()
        });
        work_s / self.speed.factor()
    }

    /// Ends the next service.
    pub(crate) fn depart(&mut self) {
        let Some(Reverse(departure)) = self.departures.pop() else {
            return;
        };
        let station = departure.station as usize;
        let mut job = match departure.who {
            Who::One(job) => {
                if let Station::Queue(queue) = &mut self.stations[station]
                    && let Some(next) = queue.depart()
                {
                    self.serve(station, next);
                }
                job
            }
            Who::First(version) => match self.shared_departure(station, version) {
                Some(job) => job,
                None => return,
            },
        };
        job.visits -= 1;
        self.visit(job);
    }

    /// The request that leaves a shared station now, unless this event is outdated.
    fn shared_departure(&mut self, station: usize, version: u64) -> Option<Job> {
        let Station::Shared(shared) = &mut self.stations[station] else {
            return None;
        };
        if shared.version != version {
            return None;
        }
        let active_s = self.speed.pauses.active_s(self.now_s, &mut self.draw);
        let job = shared.depart(active_s);
        self.expect(station);
        job
    }

    /// Returns the answer, or a refusal, to the user.
    fn answer(&mut self, job: Job, refused: bool) {
        if self.leaving > 0 {
            self.leaving -= 1;
        } else {
            self.thinking += 1;
        }
        if self.measuring {
            let response_s = self.now_s - job.sent_s;
            self.batch.completed += 1;
            self.batch.slow += u64::from(refused || response_s > self.system.limit_s);
            self.batch.response_sum_s += response_s;
            self.responses_s.push(response_s as f32);
        }
    }
}
