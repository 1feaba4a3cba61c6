//! Messages whose every byte can be made again and checked, so that none needs to be kept.
//!
//! * [`body`]: what is sent, in pieces.
//! * [`stamp`], [`part`]: who sent what; the two of them make the contents.
//! * [`message`]: a whole message; [`checker`]: whether one that came back is still as it was sent.
//! * [`table`]: the sizes of messages of the classic benchmarks.
//! * [`letter`]: a message of the user's own words; [`mime`]: what any message says to a person.
//! * [`mark`]: what a gateway may add by rule.
//! * `contents`: what stands below the header; `text`, `file`, `encoded`, `calendar`: what parts contain.
//! * `header`, `date`: what stands above. `mix`: where variety comes from.

pub mod body;
mod calendar;
pub mod checker;
mod contents;
mod date;
mod encoded;
mod file;

mod header;
pub mod letter;
pub mod mark;
#[expect(
    clippy::module_inception,
    reason = "the room is called by what is in it"
)]
pub mod message;
pub mod mime;
mod mix;
pub mod part;
pub mod stamp;
pub mod table;
mod text;

pub use body::Body;
pub use checker::{Checked, Checker, Place, Section, Verdict};
pub use letter::Letter;
pub use mark::{Added, Footer, Marks};
pub use message::Message;
pub use part::{Kind, Part};
pub use stamp::Stamp;
pub use table::Row;
