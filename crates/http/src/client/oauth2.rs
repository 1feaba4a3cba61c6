//! How users get access tokens (OAuth 2.0, RFC 6749): what they send to a token server.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::{Serializer, byte_serialize};
use headcount_load::Fault;
use headcount_script::names::Slot;
use headcount_script::{Names, Scope, Template};
use http::HeaderValue;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::ask::{Ask, Method};
use super::body::Body;
use super::grant::Grant;
use super::token::Token;
use crate::Password;

/// How the client authenticates (2.3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ClientAuth {
    /// Basic authentication.
    #[default]
    Basic,
    /// Fields of the request's body.
    Body,
}

/// Who a token belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Share {
    /// Each user has their own.
    #[default]
    User,
    /// All users of the process share one.
    All,
}

/// A secret value: literal, or a text with placeholders.
#[derive(Deserialize)]
#[serde(untagged)]
enum SecretTable {
    Value { value: Password },
    Text(String),
}

/// The step as the engine gets it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Always [`OPERATION`].
    #[serde(rename = "op")]
    _op: String,
    path: String,
    #[serde(default)]
    elsewhere: bool,
    grant: Grant,
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    client_secret: Option<SecretTable>,
    #[serde(default)]
    auth: ClientAuth,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    password: Option<SecretTable>,
    #[serde(default)]
    refresh_token: Option<SecretTable>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    audience: Option<String>,
    #[serde(default)]
    share: Share,
}

/// The operation of the step. A workload has a table instead, which becomes the first step of the
/// setup.
pub(super) const OPERATION: &str = "oauth2-token";

/// A value that may be secret.
#[derive(Debug)]
enum Text {
    Plain(Template),
    Secret(Password),
}

impl Text {
    fn render(&self, scope: &mut Scope) -> Result<String, Fault> {
        match self {
            Self::Plain(template) => Ok(template.render(scope)?),
            Self::Secret(secret) => Ok(secret.reveal().to_owned()),
        }
    }
}

/// A request for a token, compiled.
#[derive(Debug)]
pub struct TokenAsk {
    pub(super) ask: Ask,
    /// Whether the token server is not the target.
    pub(super) is_elsewhere: bool,
    pub(super) grant: Grant,
    /// Where users keep the access token and the refresh token.
    pub(super) access_slot: Slot,
    pub(super) refresh_slot: Slot,
    /// The token of all users, if they share one.
    pub(super) shared: Option<Mutex<Option<Token>>>,
    fields: Box<[(&'static str, Text)]>,
    client_id: Option<Text>,
    client_secret: Option<Text>,
    auth: ClientAuth,
    refresh_token: Option<Text>,
}

impl TokenAsk {
    /// Compiles the step. The error is a sentence that names the key.
    pub(super) fn compile(options: &Value, names: &mut Names) -> Result<Self, String> {
        let table = Table::deserialize(options).map_err(|error| error.to_string())?;
        let mut text = |key: &str, text: &str| {
            let template = Template::parse(text, names);
            template
                .map(Text::Plain)
                .map_err(|mistake| format!("{key}: {mistake}"))
        };
        let mut secret = |key: &str, given: SecretTable| match given {
            SecretTable::Value { value } => Ok(Text::Secret(value)),
            SecretTable::Text(plain) => text(key, &plain),
        };
        let client_secret = table.client_secret.map(|it| secret("client_secret", it));
        let password = table
            .password
            .map(|it| secret("password", it))
            .transpose()?;
        let refresh_token = table.refresh_token.map(|it| secret("refresh_token", it));
        let client_secret = client_secret.transpose()?;
        let refresh_token = refresh_token.transpose()?;
        let mut fields = Vec::new();
        for (key, given) in [
            ("username", &table.username),
            ("scope", &table.scope),
            ("audience", &table.audience),
        ] {
            if let Some(given) = given {
                fields.push((key, text(key, given)?));
            }
        }
        fields.extend(password.map(|password| ("password", password)));
        let client_id = table.client_id.as_deref().map(|id| text("client_id", id));
        let client_id = client_id.transpose()?;
        let mut ask = Ask::get(&table.path, &[200]);
        ask.method = Method::Post;
        ask.body = Body::None;
        ask.keeps_body = true;
        ask.headers
            .add("Content-Type", "application/x-www-form-urlencoded")?;
        ask.headers.add("Accept", "application/json")?;
        Ok(Self {
            ask,
            is_elsewhere: table.elsewhere,
            grant: table.grant,
            access_slot: names.set("access_token")?,
            refresh_slot: names.set("refresh_token")?,
            shared: (table.share == Share::All).then(Mutex::default),
            fields: fields.into(),
            client_id,
            client_secret,
            auth: table.auth,
            refresh_token,
        })
    }

    /// This user's request, with its values as they are now.
    pub(super) fn claim(&self, scope: &mut Scope) -> Result<Claim, Fault> {
        let mut own = Vec::new();
        for (key, text) in &self.fields {
            own.push((*key, text.render(scope)?));
        }
        let id = self
            .client_id
            .as_ref()
            .map(|text| text.render(scope))
            .transpose()?;
        let secret = self
            .client_secret
            .as_ref()
            .map(|text| text.render(scope))
            .transpose()?;
        let mut client = Vec::new();
        let mut basic = None;
        match (id, secret, self.auth) {
            (Some(id), Some(secret), ClientAuth::Basic) => basic = Some(basic_of(&id, &secret)),
            (id, secret, _) => {
                client.extend(id.map(|id| ("client_id", id)));
                client.extend(secret.map(|secret| ("client_secret", secret)));
            }
        }
        // The server's last refresh token takes precedence: the workload's may have been used up.
        let refresh = match scope.value(self.refresh_slot) {
            Some(last) if self.grant == Grant::RefreshToken => Some(last.into()),
            _ => match &self.refresh_token {
                Some(text) => Some(text.render(scope)?.into()),
                None => None,
            },
        };
        Ok(Claim {
            grant: self.grant,
            own,
            client,
            basic,
            refresh,
        })
    }
}

/// The value of a Basic `Authorization` header, with both parts form-encoded (2.3.1).
fn basic_of(id: &str, secret: &str) -> HeaderValue {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
    // Base64 is always a valid value.
    let mut value =
        HeaderValue::try_from(format!("Basic {pair}")).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

/// One user's token request.
pub(super) struct Claim {
    grant: Grant,
    own: Vec<(&'static str, String)>,
    client: Vec<(&'static str, String)>,
    /// The `Authorization` header, if the client authenticates with one.
    pub(super) basic: Option<HeaderValue>,
    /// The refresh token to begin with.
    pub(super) refresh: Option<Box<str>>,
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Claim(hidden)")
    }
}

impl Claim {
    /// The body of the request for a token by its grant.
    pub(super) fn form(&self) -> String {
        self.encoded(self.grant.name(), &self.own)
    }

    /// The body of the request that renews a token.
    pub(super) fn refreshing(&self, refresh: &str) -> String {
        let mut fields = vec![("refresh_token", refresh.to_owned())];
        if self.grant == Grant::RefreshToken {
            fields.extend(self.own.iter().cloned());
        }
        self.encoded(Grant::RefreshToken.name(), &fields)
    }

    fn encoded(&self, grant: &str, fields: &[(&'static str, String)]) -> String {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", grant);
        form.extend_pairs(fields.iter().chain(&self.client));
        form.finish()
    }

    /// A server's text, without the secrets of the request.
    pub(super) fn without_secrets(&self, text: &str, refresh: Option<&str>) -> String {
        let secrets = self.own.iter().chain(&self.client);
        let secrets = secrets.filter(|(key, _)| matches!(*key, "password" | "client_secret"));
        let secrets = secrets.map(|(_, secret)| secret.as_str()).chain(refresh);
        secrets
            .filter(|secret| !secret.is_empty())
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claim(options: &Value) -> Claim {
        let mut names = Names::default();
        let ask = TokenAsk::compile(options, &mut names).unwrap();
        ask.claim(&mut Scope::outside(names.slots(), 7)).unwrap()
    }

    #[test]
    fn a_client_authenticates_with_an_encoded_header() {
        // The example of RFC 6749, 4.4.2, and credentials with special characters.
        let example = json!({"op": OPERATION, "path": "/token", "grant": "client-credentials",
            "client_id": "s6BhdRkqt3", "client_secret": {"value": "gX1fBat3bV"}, "scope": "a b"});
        let found = claim(&example);
        assert_eq!(
            found.basic.as_ref().unwrap(),
            "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"
        );
        assert_eq!(found.form(), "grant_type=client_credentials&scope=a+b");
        assert_eq!(
            found.refreshing("r{n}"),
            "grant_type=refresh_token&refresh_token=r%7Bn%7D"
        );
        assert!(!format!("{found:?}").contains("gX1f"));
        let basic = basic_of("a:b", "c d");
        assert_eq!(
            basic,
            format!("Basic {}", STANDARD.encode("a%3Ab:c+d")).as_str()
        );
    }

    #[test]
    fn a_client_authenticates_in_the_body() {
        let options = json!({"op": OPERATION, "path": "/token", "grant": "password", "auth": "body",
            "client_id": "app{n}", "client_secret": {"value": "{n}&"}, "username": "u{n}",
            "password": {"value": "p{n}"}});
        let found = claim(&options);
        assert_eq!(found.basic, None);
        assert_eq!(
            found.form(),
            "grant_type=password&username=u7&password=p%7Bn%7D&client_id=app7&client_secret=%7Bn%7D%26"
        );
        assert_eq!(found.without_secrets("p{n} and {n}&", None), "*** and ***");
    }

    #[test]
    fn a_client_without_a_secret_is_named_in_the_body() {
        let options = json!({"op": OPERATION, "path": "/token", "grant": "refresh-token",
            "client_id": "app", "refresh_token": {"value": "first"}});
        let found = claim(&options);
        assert_eq!(
            (found.basic.as_ref(), found.refresh.as_deref()),
            (None, Some("first"))
        );
        assert_eq!(
            found.refreshing("next"),
            "grant_type=refresh_token&refresh_token=next&client_id=app"
        );
    }

    #[test]
    fn mistakes_name_their_key() {
        let options =
            json!({"op": OPERATION, "path": "/token", "grant": "password", "username": "{x"});
        let sentence = TokenAsk::compile(&options, &mut Names::default()).unwrap_err();
        assert!(sentence.starts_with("username: "), "{sentence}");
    }
}
