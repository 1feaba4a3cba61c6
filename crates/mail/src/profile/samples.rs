//! `LoadSim`'s canonical profiles, for tests (`BackOffice` Resource Kit, "Using Load Simulator"),
//! and the figures that its makers computed for them.

use super::{MixRow, PerDay, Profile, Recipients, Start};

/// A profile, the mail its users begin, and the published figures.
pub struct Sample {
    pub profile: Profile,
    pub per_day: PerDay,
    /// Looks into the inbox per day.
    pub looks: f64,
    /// Published: messages sent and received a day.
    pub sent: f64,
    pub received: f64,
    /// How far the model is from the published figures for received messages.
    pub error: f64,
}

pub fn light() -> Sample {
    // Handled: (sent - new) / (received * (reply + reply-all + forward)), of the published figures.
    sample(
        [0.10, 0.03, 0.05, 0.0],
        (4.0, 3.0, 5.0),
        (6.7, 20.4),
        (1.0, 0.015),
    )
}

pub fn medium() -> Sample {
    sample(
        [0.15, 0.05, 0.07, 0.20],
        (4.0, 6.0, 15.0),
        (19.8, 55.9),
        (0.914, 0.014),
    )
}

pub fn heavy() -> Sample {
    sample(
        [0.20, 0.07, 0.07, 0.20],
        (5.0, 8.0, 20.0),
        (38.6, 118.9),
        (0.757, 0.056),
    )
}

fn sample(
    [replied, replied_to_all, forwarded, moved]: [f64; 4],
    (recipients, new, looks): (f64, f64, f64),
    (sent, received): (f64, f64),
    (handled, error): (f64, f64),
) -> Sample {
    let profile = Profile {
        recipients: Recipients {
            mean: recipients,
            ..Recipients::default()
        },
        mix: vec![MixRow::text(1024)],
        handled,
        replied,
        replied_to_all,
        forwarded,
        moved,
        deleted: 0.4,
        start: Start {
            folders: 20,
            messages: 5,
            inbox: 1,
            deleted: 1,
            ..Start::default()
        },
        ..Profile::default()
    };
    Sample {
        profile,
        per_day: PerDay { new },
        looks,
        sent,
        received,
        error,
    }
}
