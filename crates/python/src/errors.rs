//! Engine errors as the exceptions of `headcount.errors`: one place, no catch-all.

use headcount_app::control::ControlError;
use headcount_app::server::ServeError;
use headcount_disk::DiskError;
use headcount_files::FilesError;
use headcount_files::provision::ProvisionError as FilesProvisionError;
use headcount_http::HttpError;
use headcount_http::pages::tree::TreeError;
use headcount_load::limits::LimitError;
use headcount_load::run::RunError;
use headcount_load::{Fault, FaultKind};
use headcount_mail::MailError;
use headcount_mail::client::provision::ProvisionError as MailProvisionError;
use headcount_mail::front::FrontError;
use headcount_smb::SmbError;
use headcount_smb::client::provision::ProvisionError;
use headcount_sort::SortError;
use headcount_sql::SqlError;
use headcount_sql::provision::ProvisionError as SqlProvisionError;
use pyo3::PyErr;

pyo3::import_exception!(headcount.errors, EngineError);
pyo3::import_exception!(headcount.errors, InputError);
pyo3::import_exception!(headcount.errors, PlanError);
pyo3::import_exception!(headcount.errors, SystemLimitError);
pyo3::import_exception!(headcount.errors, TargetError);

/// The exception for a run that could not start or go on.
pub fn of_run(error: &RunError) -> PyErr {
    let text = error.to_string();
    match error {
        RunError::Plan(_) => PlanError::new_err(text),
        RunError::Thread(_) => SystemLimitError::new_err(text),
        RunError::Worker(_) => EngineError::new_err(text),
    }
}

/// The exception for a limit of this machine.
pub fn of_limit(error: &LimitError) -> PyErr {
    match error {
        LimitError::FileHandles { .. } | LimitError::Ports { .. } => {
            SystemLimitError::new_err(error.to_string())
        }
    }
}

/// The exception for a call to an application server that failed.
pub fn of_control(error: &ControlError) -> PyErr {
    let text = error.to_string();
    match error {
        ControlError::Options(_) | ControlError::Address { .. } | ControlError::Token { .. } => {
            InputError::new_err(text)
        }
        ControlError::NoSpace(_) => SystemLimitError::new_err(text),
        ControlError::Unreachable { .. }
        | ControlError::Silent { .. }
        | ControlError::NotAppServer { .. }
        | ControlError::VersionMismatch { .. }
        | ControlError::Refused { .. }
        | ControlError::Lost { .. }
        | ControlError::Cancelled => TargetError::new_err(text),
    }
}

/// The exception for an application server that does not start.
pub fn of_serve(error: &ServeError) -> PyErr {
    let text = error.to_string();
    match error {
        ServeError::TokenRequired(_)
        | ServeError::Token
        | ServeError::NoThreads
        | ServeError::Folder(_) => InputError::new_err(text),
        ServeError::Listen { .. } | ServeError::Handles { .. } | ServeError::Thread(_) => {
            SystemLimitError::new_err(text)
        }
    }
}

/// The exception for an SMTP front that does not start.
pub fn of_front(error: &FrontError) -> PyErr {
    let text = error.to_string();
    match error {
        FrontError::Route(_) | FrontError::PasswordRequired(_) => InputError::new_err(text),
        FrontError::Lmtp { .. } => TargetError::new_err(text),
        FrontError::Listen { .. } | FrontError::Thread(_) => SystemLimitError::new_err(text),
    }
}

/// The exception for a disk that could not be measured.
pub fn of_disk(error: &DiskError) -> PyErr {
    let text = error.to_string();
    match error {
        DiskError::Options(_)
        | DiskError::NoFolder(_)
        | DiskError::NotAFolder(_)
        | DiskError::NotWritable { .. }
        | DiskError::Memory(_)
        | DiskError::NoDirect(_)
        | DiskError::BlockTooSmall { .. } => InputError::new_err(text),
        DiskError::NoSpace { .. }
        | DiskError::Full(_)
        | DiskError::NoRing(_)
        | DiskError::Resources(_) => SystemLimitError::new_err(text),
        DiskError::Io { .. } | DiskError::WrongData { .. } | DiskError::Cancelled => {
            TargetError::new_err(text)
        }
        DiskError::Thread => EngineError::new_err(text),
    }
}

/// The exception for a web server that cannot be used, or does not answer as it should.
pub fn of_http(error: &HttpError) -> PyErr {
    let text = error.to_string();
    match error {
        HttpError::Options(_) => InputError::new_err(text),
        HttpError::Address { .. } | HttpError::Cancelled => TargetError::new_err(text),
        HttpError::System(_) => SystemLimitError::new_err(text),
        HttpError::Fault(fault) => of_fault(fault),
    }
}

/// The exception for pages that could not be written or deleted.
pub fn of_tree(error: &TreeError) -> PyErr {
    let text = error.to_string();
    match error {
        TreeError::Options(_) | TreeError::NotOurs(_) | TreeError::NotAFolder(_) => {
            InputError::new_err(text)
        }
        TreeError::NoSpace { .. } | TreeError::System { .. } => SystemLimitError::new_err(text),
        TreeError::Cancelled => TargetError::new_err(text),
    }
}

/// The exception for SMB options that cannot be used.
pub fn of_smb(error: &SmbError) -> PyErr {
    match error {
        SmbError::Address { .. } | SmbError::Options(_) => InputError::new_err(error.to_string()),
    }
}

/// The exception for a data set that could not be made, checked or deleted.
pub fn of_provision(error: &ProvisionError) -> PyErr {
    let text = error.to_string();
    match error {
        ProvisionError::Options(error) => of_smb(error),
        ProvisionError::NotOurs { .. } | ProvisionError::ReadOnly { .. } => {
            InputError::new_err(text)
        }
        ProvisionError::NoSpace { .. } | ProvisionError::System(_) => {
            SystemLimitError::new_err(text)
        }
        ProvisionError::Fault(fault) => of_fault(fault),
        ProvisionError::Cancelled => TargetError::new_err(text),
    }
}

/// The exception for data that could not be made, sorted or verified.
pub fn of_sort(error: &SortError) -> PyErr {
    let text = error.to_string();
    match error {
        SortError::Shape(_) | SortError::TooSmall { .. } | SortError::NoWork => {
            InputError::new_err(text)
        }
        SortError::Memory(_)
        | SortError::Io { .. }
        | SortError::NoSpace { .. }
        | SortError::Size { .. } => SystemLimitError::new_err(text),
        SortError::Thread | SortError::Cancelled => EngineError::new_err(text),
    }
}

/// The exception for a folder, or options of one, that cannot be used.
pub fn of_files(error: &FilesError) -> PyErr {
    let text = error.to_string();
    match error {
        FilesError::Options(_) | FilesError::Folder { .. } => InputError::new_err(text),
        FilesError::NoRing(_) => SystemLimitError::new_err(text),
    }
}

/// The exception for a data set below a folder that could not be made, checked or deleted.
pub fn of_files_provision(error: &FilesProvisionError) -> PyErr {
    let text = error.to_string();
    match error {
        FilesProvisionError::Options(error) => of_files(error),
        FilesProvisionError::NotOurs { .. } | FilesProvisionError::ReadOnly { .. } => {
            InputError::new_err(text)
        }
        FilesProvisionError::NoSpace { .. } | FilesProvisionError::System(_) => {
            SystemLimitError::new_err(text)
        }
        FilesProvisionError::Fault(fault) => of_fault(fault),
        FilesProvisionError::Cancelled => TargetError::new_err(text),
    }
}

/// The exception for a database, or options of one, that cannot be used.
pub fn of_sql(error: &SqlError) -> PyErr {
    let text = error.to_string();
    match error {
        SqlError::Options(_) => InputError::new_err(text),
        SqlError::Address { .. } => TargetError::new_err(text),
    }
}

/// The exception for a schema that could not be made, checked or deleted.
pub fn of_sql_provision(error: &SqlProvisionError) -> PyErr {
    let text = error.to_string();
    match error {
        SqlProvisionError::Options(error) => of_sql(error),
        SqlProvisionError::NotOurs { .. }
        | SqlProvisionError::NotAllowed { .. }
        | SqlProvisionError::Depended { .. } => InputError::new_err(text),
        SqlProvisionError::System(_) => SystemLimitError::new_err(text),
        SqlProvisionError::Fault(fault) => of_fault(fault),
        SqlProvisionError::Cancelled => TargetError::new_err(text),
    }
}

/// The exception for options of mail that cannot be used.
pub fn of_mail(error: &MailError) -> PyErr {
    match error {
        MailError::Options(_) => InputError::new_err(error.to_string()),
    }
}

/// The exception for mailboxes that could not be made, checked or emptied.
pub fn of_mail_provision(error: &MailProvisionError) -> PyErr {
    let text = error.to_string();
    match error {
        MailProvisionError::Options(error) => of_mail(error),
        MailProvisionError::NotOurs { .. } => InputError::new_err(text),
        MailProvisionError::System(_) => SystemLimitError::new_err(text),
        MailProvisionError::Fault(fault) => of_fault(fault),
        MailProvisionError::Cancelled => TargetError::new_err(text),
    }
}

fn of_fault(fault: &Fault) -> PyErr {
    let text = fault.message.to_string();
    match fault.kind {
        // Wrong credentials are the user's to mend, whatever the server does.
        FaultKind::Login => InputError::new_err(text),
        FaultKind::Connect
        | FaultKind::Timeout
        | FaultKind::Disconnected
        | FaultKind::Refused
        | FaultKind::Malformed
        | FaultKind::WrongData => TargetError::new_err(text),
    }
}
