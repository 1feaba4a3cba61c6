//! What a day comes to.
//!
//! Users answer mail, and answers are mail: a message that is handled makes `g` copies of others on
//! average, each of which is read and makes `g` in turn. With `p` the share of messages that are
//! handled at all, all mail of a day is the series of mail that nobody was asked for,
//! `new * recipients * (1 + p g + (p g)^2 + ...)`, which ends where `p g` is below 1.

use serde::{Deserialize, Serialize};

use super::Profile;

/// What a user does in a day of their own accord.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerDay {
    /// New messages that the user begins.
    pub new: f64,
}

/// What a user's day comes to once the mail of earlier days is answered: means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Day {
    /// Copies that a handled message makes (`g`), at users of this server.
    pub gain: f64,
    /// The share of messages that are handled (`p`).
    pub handled: f64,
    /// Their product: copies that a message read makes. Below 1.
    pub feedback: f64,
    /// Messages sent, however many recipients each has.
    pub sent: f64,
    /// Copies of messages received.
    pub received: f64,
    /// Copies that go elsewhere.
    pub elsewhere: f64,
    /// Messages moved to a folder.
    pub moved: f64,
    /// Messages copied to a folder.
    pub copied: f64,
    /// Messages deleted for what they are; what is deleted for the inbox cap comes on top.
    pub deleted: f64,
    /// Bytes of text and attachments of the messages sent, before they are encoded.
    pub sent_bytes: f64,
}

impl Profile {
    /// Copies that a handled message makes at users of this server, on average. Whoever is answered
    /// is such a user; the other recipients may be elsewhere.
    #[must_use]
    pub fn gain(&self) -> f64 {
        let here = self.here();
        let to_all = 1.0 + (self.recipients.mean - 1.0) * here;
        self.replied + self.replied_to_all * to_all + self.forwarded * self.recipients.mean * here
    }

    /// What a day comes to. The error is a sentence with the figures: mail that makes more mail than
    /// it is has no end.
    pub fn day(&self, own: &PerDay) -> Result<Day, String> {
        let (gain, handled) = (self.gain(), self.handled);
        let feedback = gain * handled;
        if feedback >= 1.0 {
            return Err(format!(
                "a message read makes {feedback:.2} others (handled {handled} x [replied {} + \
                 replied_to_all {} and forwarded {} to {} recipients, {gain:.2} together]), so mail would \
                 grow without end; it must be below 1: lower handled, the shares or the recipients",
                self.replied, self.replied_to_all, self.forwarded, self.recipients.mean
            ));
        }
        if !(own.new >= 0.0 && own.new.is_finite()) {
            let new = own.new;
            return Err(format!(
                "new messages a day must be 0 or more; they are {new}"
            ));
        }
        let recipients = self.recipients.mean;
        let received = own.new * recipients * self.here() / (1.0 - feedback);
        let acted = received * handled;
        let sent = own.new + acted * (self.replied + self.replied_to_all + self.forwarded);
        let to_strangers = own.new * recipients
            + acted * (self.replied_to_all * (recipients - 1.0) + self.forwarded * recipients);
        Ok(Day {
            gain,
            handled,
            feedback,
            sent,
            received,
            elsewhere: to_strangers * (1.0 - self.here()),
            moved: acted * self.moved,
            copied: acted * self.copied,
            deleted: acted * self.deleted,
            sent_bytes: sent * super::mix::mean_bytes(&self.mix),
        })
    }
}
