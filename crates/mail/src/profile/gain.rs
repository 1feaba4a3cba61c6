//! The volume of mail in a day.
//!
//! Users answer mail, and answers are mail: a handled message causes `g` copies of others on
//! average, each of which is read and causes `g` in turn. With `p` the share of messages that are
//! handled at all, the mail of a day is the series
//! `new * recipients * (1 + p g + (p g)^2 + ...)`, which converges if `p g` is below 1.

use serde::{Deserialize, Serialize};

use super::Profile;

/// What a user does in a day of their own accord.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerDay {
    /// New messages that the user begins.
    pub new: f64,
}

/// The mean volume of a user's day, once the mail of earlier days is answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Day {
    /// Copies to users of this server that a handled message causes (`g`).
    pub gain: f64,
    /// The share of messages that are handled (`p`).
    pub handled: f64,
    /// Their product: copies that a message read causes. Below 1.
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
    /// Messages deleted after reading; those deleted for the inbox cap are not included.
    pub deleted: f64,
    /// Bytes of text and attachments of the messages sent, before they are encoded.
    pub sent_bytes: f64,
}

impl Profile {
    /// Copies to users of this server that a handled message causes, on average. The answered
    /// sender is such a user; other recipients may be elsewhere.
    #[must_use]
    pub fn gain(&self) -> f64 {
        let here = self.here();
        let to_all = 1.0 + (self.recipients.mean - 1.0) * here;
        self.replied + self.replied_to_all * to_all + self.forwarded * self.recipients.mean * here
    }

    /// The volume of a day. It is an error, a sentence with the figures, if each message causes one
    /// or more others: such mail grows without end.
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
