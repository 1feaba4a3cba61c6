//! Who a message goes to.

use headcount_load::stream::Stream;

use super::{Profile, Recipients};

/// A user, and how many users there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct People {
    /// The user who sends.
    pub own: u32,
    /// Users are numbered below this.
    pub population: u32,
}

/// Where a copy of a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressee {
    /// A user of the run.
    User(u32),
    /// Somebody at another domain.
    Elsewhere {
        /// The index of the destination in the profile.
        destination: usize,
        /// The recipient's number there.
        number: u32,
    },
}

impl Profile {
    /// Draws how many recipients a message has, members of a list included.
    #[must_use]
    pub fn draw_count(&self, stream: &mut Stream) -> u32 {
        let recipients = &self.recipients;
        let named = recipients.named();
        let more = stream.unit() < named.fract();
        let listed = if stream.unit() < recipients.list_share {
            recipients.draw_members(stream)
        } else {
            0
        };
        named as u32 + u32::from(more) + listed
    }

    /// Draws different recipients and adds them to `to`. Users do not write to themselves unless
    /// they are alone; if the population is too small, all users are drawn.
    pub fn draw_recipients(
        &self,
        people: People,
        count: u32,
        to: &mut Vec<Addressee>,
        stream: &mut Stream,
    ) {
        if people.population < 2 {
            to.push(Addressee::User(people.own));
            return;
        }
        let mut users = to
            .iter()
            .filter(|there| matches!(there, Addressee::User(_)))
            .count() as u32;
        for _ in 0..count {
            let addressee = match self.draw_destination(stream) {
                Some(destination) => {
                    let number = stream.below(u64::from(people.population)) as u32;
                    Addressee::Elsewhere {
                        destination,
                        number,
                    }
                }
                None if users + 1 < people.population => {
                    users += 1;
                    Addressee::User(self.draw_user(people, to, stream))
                }
                None => continue,
            };
            if !to.contains(&addressee) {
                to.push(addressee);
            }
        }
    }

    fn draw_destination(&self, stream: &mut Stream) -> Option<usize> {
        if self.destinations.is_empty() {
            return None;
        }
        let mut left = stream.unit();
        self.destinations.iter().position(|there| {
            left -= there.share;
            left < 0.0
        })
    }

    /// Draws a user who is neither the sender nor in `to`. There must be one.
    fn draw_user(&self, people: People, to: &[Addressee], stream: &mut Stream) -> u32 {
        let is_free = |id: u32| id != people.own && !to.contains(&Addressee::User(id));
        // 64 draws fail only if nearly everybody is a recipient already.
        for _ in 0..64 {
            let id = self.recipients.draw_id(people.population, stream);
            if is_free(id) {
                return id;
            }
        }
        let from = stream.below(u64::from(people.population)) as u32;
        let around = (from..people.population).chain(0..from);
        around.into_iter().find(|id| is_free(*id)).unwrap_or(from)
    }
}

impl Recipients {
    /// Draws uniformly from the fewest to the mean, or from the mean to the most members, with a
    /// probability that gives that mean.
    fn draw_members(&self, stream: &mut Stream) -> u32 {
        let ([fewest, most], mean) = (self.list_members, self.list_mean);
        if fewest == most {
            return mean;
        }
        let below = f64::from(most - mean) / f64::from(most - fewest);
        let (low, high) = if stream.unit() < below {
            (fewest, mean)
        } else {
            (mean, most)
        };
        low + stream.below(u64::from(high - low) + 1) as u32
    }

    fn draw_id(&self, population: u32, stream: &mut Stream) -> u32 {
        let Some(popular) = self.popular else {
            return stream.below(u64::from(population)) as u32;
        };
        let one_in = popular.one_in;
        if stream.unit() < popular.mail {
            let all = population.div_ceil(one_in);
            return stream.below(u64::from(all)) as u32 * one_in;
        }
        // Number only the others: between two popular users there are `one_in - 1`.
        let others = (population - population.div_ceil(one_in)).max(1);
        let nth = stream.below(u64::from(others)) as u32;
        nth / (one_in - 1) * one_in + 1 + nth % (one_in - 1)
    }
}
