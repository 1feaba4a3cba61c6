//! A user's access token.

use std::sync::Arc;

use super::oauth2::{Claim, TokenAsk};
use super::token::Token;

/// A user's token, and how it gets the next.
#[derive(Debug)]
pub(super) struct Bearer {
    pub(super) ask: Arc<TokenAsk>,
    pub(super) claim: Claim,
    pub(super) token: Token,
    /// Whether a request that used it was answered with 401.
    pub(super) was_refused: bool,
}
