//! HTTP/1.1 as bytes, without sockets.
//!
//! * [`head`]: the status line and headers of an answer; [`chunked`]: its chunks.
//! * [`reply`]: an answer as it arrives, piece by piece; [`sink`]: the check of its contents;
//!   [`excerpt`]: what is kept of an error; [`kept`]: a body that is kept whole.
//! * [`events`]: an event stream in the body of an answer.

pub mod chunked;
pub mod events;
pub mod excerpt;
pub mod head;
pub mod kept;
pub mod reply;
pub mod sink;
