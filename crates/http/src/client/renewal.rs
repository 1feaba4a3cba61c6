//! Users with access tokens: getting a token, sending it and renewing it.

use std::sync::Arc;

use headcount_load::{Fault, Moved, User};
use http::header::AUTHORIZATION;
use serde_json::json;

use super::ask::Ask;
use super::bearer::Bearer;
use super::oauth2::{Claim, TokenAsk};
use super::session::{Asked, HttpSession};
use super::step::Step;
use super::token::Token;

impl HttpSession {
    /// Gets the user's first token: the first step of its setup.
    pub(super) async fn begin_bearing(
        &mut self,
        ask: &Arc<TokenAsk>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let claim = ask.claim(user.scope())?;
        let token = self.obtain(ask, &claim, None, user).await?;
        self.proves_by_digest = false;
        self.bear(&token, ask, user);
        self.bearer = Some(Box::new(Bearer {
            ask: Arc::clone(ask),
            claim,
            token,
            was_refused: false,
        }));
        Ok(Moved::default())
    }

    /// Plays a step of a user with a token. Renews a token that is about to expire first, and plays
    /// the step again with a new token if the server rejects this one.
    pub(super) async fn play_bearing(
        &mut self,
        step: &Step,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        if !matches!(
            step,
            Step::Whole(_)
                | Step::Page(_)
                | Step::Request(_)
                | Step::OpenSocket(_)
                | Step::OpenStream(_)
                | Step::News(_)
        ) {
            return self.play_step(step, user).await;
        }
        let now_ns = user.now_ns();
        if self
            .bearer
            .as_ref()
            .is_some_and(|it| it.token.renew_at_ns <= now_ns)
        {
            self.renew_token(user).await?;
        }
        let mut played = self.play_step(step, user).await;
        if played.is_err()
            && self
                .bearer
                .as_mut()
                .is_some_and(|it| std::mem::take(&mut it.was_refused))
        {
            self.renew_token(user).await?;
            played = self.play_step(step, user).await;
        }
        played.map_err(|fault| self.without_token(fault))
    }

    /// Hides the token in a message: a server may repeat it in its answer, which messages quote.
    fn without_token(&mut self, fault: Fault) -> Fault {
        let Some(bearer) = &mut self.bearer else {
            return fault;
        };
        bearer.was_refused = false;
        let message = fault.message.replace(&*bearer.token.access, "***").into();
        Fault { message, ..fault }
    }

    /// Notes the status of an answer: a 401 to a request with the token may mean that it has
    /// expired.
    pub(super) fn note_status(&mut self, status: u16, ask: &Ask, asked: &Asked) {
        let Some(bearer) = &mut self.bearer else {
            return;
        };
        let token = &*bearer.token.access;
        let has = |text: &str| text.contains(token);
        let is_used = !ask.has_header(&AUTHORIZATION)
            || asked
                .headers
                .iter()
                .any(|(_, value)| value.to_str().is_ok_and(has));
        bearer.was_refused = status == 401 && is_used && !ask.expect.contains(&401);
    }

    /// Replaces the user's token.
    async fn renew_token(&mut self, user: &mut User) -> Result<(), Fault> {
        let Some(mut bearer) = self.bearer.take() else {
            return Ok(());
        };
        let renewed = self
            .obtain(&bearer.ask, &bearer.claim, Some(&bearer.token), user)
            .await;
        if let Ok(token) = &renewed {
            self.bear(token, &bearer.ask, user);
            bearer.token = token.clone();
        }
        self.bearer = Some(bearer);
        renewed.map(|_| ())
    }

    /// Uses this token from now on.
    fn bear(&mut self, token: &Token, ask: &TokenAsk, user: &mut User) {
        self.authorization = Some(format!("Bearer {}", token.access).into());
        user.scope().set(ask.access_slot, &token.access);
        if let Some(refresh) = &token.refresh {
            user.scope().set(ask.refresh_slot, refresh);
        }
    }

    /// The shared token, if another user has renewed it already; otherwise a new one.
    async fn obtain(
        &mut self,
        ask: &TokenAsk,
        claim: &Claim,
        spent: Option<&Token>,
        user: &mut User,
    ) -> Result<Token, Fault> {
        let Some(shared) = &ask.shared else {
            return self.request_token(ask, claim, spent, user).await;
        };
        let mut kept = shared.lock().await;
        let now_ns = user.now_ns();
        if let Some(token) = &*kept
            && token.renew_at_ns > now_ns
            && spent.is_none_or(|spent| spent.access != token.access)
        {
            let token = token.clone();
            user.note(|| json!({"secret": token.access}));
            return Ok(token);
        }
        let token = self.request_token(ask, claim, kept.as_ref(), user).await?;
        *kept = Some(token.clone());
        Ok(token)
    }
}
