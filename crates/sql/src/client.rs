//! A PostgreSQL server as a target of load.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;

use headcount_load::{Blame, Blamed, Fault, FaultKind, Logins};
use headcount_net::{Certificates, Resolved, Spelling, Tls, TlsOptions, resolve};

use crate::authentication::ChannelBinding;
use crate::data_set::DataSet;
use crate::encryption::{Encryption, NO_TLS};
use crate::logon::Terms;
use crate::options::{SqlOptions, SslMode, Statements};
use crate::wire::Wire;

/// Why a database cannot be used as a target.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The name of the server has no address.
    #[error("the server's address {address} cannot be resolved: {error}")]
    Address {
        /// As it was given.
        address: String,
        /// Why.
        error: std::io::Error,
    },
    /// An option is out of bounds, or contradicts another.
    #[error("{0}")]
    Options(String),
}

impl Blamed for SqlError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) => Blame::Input,
            Self::Address { .. } => Blame::Target,
        }
    }
}

const NO_TLS_FOR_PASSWORD: &str = "no logon: the server does not support TLS, which sslmode=auto \
    requires for a password that leaves this machine";

/// The words of libpq.
const SPELLING: Spelling = Spelling {
    trust: "sslmode=verify-full root_certificates=FILE",
    any: "sslmode=require",
    names: "sslmode=verify-ca",
};

/// A database as a target of load.
#[derive(Clone)]
pub struct Sql {
    pub(crate) shared: Arc<Shared>,
}

/// What all users share.
pub struct Shared {
    pub(crate) addresses: Vec<SocketAddr>,
    /// As it was given, for messages.
    pub(crate) address: String,
    pub(crate) database: String,
    pub(crate) terms: Terms,
    /// Roles and passwords of the users, where each has its own.
    logins: Logins,
    encryption: Encryption,
    /// Whether TLS is required because a password is sent, not because the user asked for it.
    is_tls_ours: bool,
    pub(crate) first_user: u32,
    pub(crate) verify: bool,
    pub(crate) statements: Statements,
    pub(crate) has_schema: bool,
    pub(crate) data_set: DataSet,
}

impl Sql {
    /// Resolves the address and checks the options. Nothing is sent.
    pub fn new(options: SqlOptions) -> Result<Self, SqlError> {
        options.data_set.check().map_err(SqlError::Options)?;
        let address = options.address;
        let Resolved { host, addresses } =
            resolve(&address).map_err(|error| SqlError::Address {
                address: address.clone(),
                error,
            })?;
        let host = options.host.as_deref().unwrap_or(&host);
        let has_password = options.password.is_some() || options.logins.user(0).is_some();
        let sslmode = options.sslmode.decided(has_password, &addresses);
        let is_verified = matches!(sslmode, SslMode::VerifyCa | SslMode::VerifyFull);
        let certificates = match options.root_certificates {
            Some(file) if is_verified => Certificates::File(file),
            None => Certificates::System(is_verified),
            Some(_) => {
                return Err(SqlError::Options(
                    "root_certificates apply only with sslmode verify-full or verify-ca: \
                     set one of these, or leave them out"
                        .to_owned(),
                ));
            }
        };
        if sslmode == SslMode::Disable && options.channel_binding == ChannelBinding::Require {
            return Err(SqlError::Options(
                "channel_binding require needs TLS, which sslmode disable never uses: set another \
                 sslmode, or channel_binding prefer"
                    .to_owned(),
            ));
        }
        let asked = TlsOptions {
            certificates: &certificates,
            checks_name: sslmode == SslMode::VerifyFull,
            certificate: options.certificate.as_deref(),
            key: options.key.as_deref(),
            spelling: SPELLING,
        };
        let tls = || Tls::new(asked, host, None).map_err(SqlError::Options);
        let encryption = match sslmode {
            SslMode::Disable => Encryption::Never,
            SslMode::Auto | SslMode::Prefer => Encryption::IfOffered(tls()?),
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => {
                Encryption::Always(tls()?)
            }
        };
        let shared = Shared {
            addresses,
            address,
            database: options.database,
            terms: Terms {
                user: options.user,
                password: options.password,
                allowed: options.require_auth,
                binding: options.channel_binding,
            },
            logins: options.logins,
            encryption,
            is_tls_ours: options.sslmode == SslMode::Auto && sslmode == SslMode::Require,
            first_user: options.first_user,
            verify: options.verify,
            statements: options.statements,
            has_schema: options.has_schema,
            data_set: options.data_set,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

impl Shared {
    /// The terms on which this user logs on.
    fn terms_of(&self, number: u32) -> Cow<'_, Terms> {
        let Some((user, password)) = self.logins.user(number) else {
            return Cow::Borrowed(&self.terms);
        };
        Cow::Owned(Terms {
            user: user.to_owned(),
            password: Some(password.clone()),
            ..self.terms.clone()
        })
    }

    /// Connects, and logs on as this user.
    pub(crate) async fn connect(&self, number: u32) -> Result<Wire, Fault> {
        let terms = self.terms_of(number);
        let opened = Wire::open(&self.addresses, &self.encryption, &terms, &self.database);
        opened.await.map_err(|fault| {
            if self.is_tls_ours && &*fault.message == NO_TLS {
                return Fault::session(FaultKind::Connect, NO_TLS_FOR_PASSWORD);
            }
            fault
        })
    }
}
