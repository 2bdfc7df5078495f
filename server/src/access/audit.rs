//! The audit log: a line for each response, cancellation, completed session, export and login, with
//! its actor.
//!
//! Every line goes to the log under the target `audit`. If a file is configured, each line is also
//! written to it as a JSON object, before the host responds to the request.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use live::DisplayName;
use serde_json::{Map, Value};

use super::caller::Caller;
#[cfg(test)]
use super::caller::How;
#[cfg(test)]
use super::rules::Rule;
use super::token_scope::TokenScope;

/// The file to which lines are written in addition to the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audit(Option<Arc<AuditFile>>);

#[derive(Debug)]
struct AuditFile {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

/// The audited action.
#[derive(Debug, Clone)]
pub(crate) struct AuditEntry {
    what: &'static str,
    who: Option<String>,
    members: Vec<(&'static str, String)>,
}

/// An audit entry that carries the caller of the request that created it: it may be written on
/// another task, and after the request has ended.
#[derive(Debug, Clone)]
pub(crate) struct AttributedEntry {
    entry: AuditEntry,
    context: RequestContext,
}

/// The entry of a case that the current request exports, for a part of the host outside of this crate. It may be written
/// on another task, and after the request has ended.
#[derive(Debug, Clone)]
pub struct ExportEntry(AttributedEntry);

impl ExportEntry {
    /// For a result of a run.
    #[must_use]
    pub fn of_run(run: i64, case: &str) -> Self {
        Self(AuditEntry::new("export").with("run", &run).with("case", &case).with_caller())
    }

    /// Writes that the case is in this file now.
    pub fn write(self, eval_id: &str, file: &str) {
        self.0.with("eval_id", &eval_id).with("file", &file).write();
    }
}

/// The context of a request, set while the host handles it.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestContext {
    pub(super) audit: Audit,
    pub(super) caller: Option<Caller>,
    /// `None` for people, and when authentication is off.
    pub(super) token_scope: Option<Arc<TokenScope>>,
}

tokio::task_local! {
    pub(super) static REQUEST: RequestContext;
}

impl AuditEntry {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, who: None, members: Vec::new() }
    }

    /// The actor; without one, the caller of the current request.
    pub(crate) fn by(mut self, who: &str) -> Self {
        self.who = Some(who.to_owned());
        self
    }

    /// Sets the actor, if there is one.
    pub(crate) fn by_optional(self, who: Option<&DisplayName>) -> Self {
        match who {
            Some(who) => self.by(who.as_str()),
            None => self,
        }
    }

    pub(crate) fn with(mut self, key: &'static str, value: &impl ToString) -> Self {
        self.members.push((key, value.to_string()));
        self
    }

    /// Sets the caller of the current request as the actor.
    pub(crate) fn with_caller(self) -> AttributedEntry {
        let context = REQUEST.try_with(Clone::clone).unwrap_or_default();
        AttributedEntry { entry: self, context }
    }

    fn line(self, caller: Option<&Caller>) -> String {
        let mut line = Map::new();
        let mut put = |key: &str, value: String| {
            line.insert(key.to_owned(), Value::from(value));
        };
        put("at", jiff::Timestamp::now().to_string());
        put("what", self.what.to_owned());
        let who = self.who.or_else(|| caller.map(|caller| caller.name.to_string()));
        put("who", who.unwrap_or_default());
        put("how", caller.map_or("not asked", |caller| caller.how.word()).to_owned());
        for (key, value) in self.members {
            put(key, value);
        }
        Value::Object(line).to_string()
    }
}

/// The caller of the current request; `None` when authentication is off.
pub(crate) fn caller() -> Option<Caller> {
    REQUEST.try_with(|context| context.caller.clone()).ok().flatten()
}

/// `work` as a part of the current request, to run on another task.
pub(crate) fn within_request<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let context = REQUEST.try_with(Clone::clone).ok();
    async move {
        match context {
            Some(context) => REQUEST.scope(context, work).await,
            None => work.await,
        }
    }
}

/// The sessions that the current request may act on; `None` if it is not a token's: it may act on all.
pub(crate) fn token_scope() -> Option<Arc<TokenScope>> {
    REQUEST.try_with(|context| context.token_scope.clone()).ok().flatten()
}

impl AttributedEntry {
    pub(crate) fn with(mut self, key: &'static str, value: &impl ToString) -> Self {
        self.entry = self.entry.with(key, value);
        self
    }

    /// Writes the entry.
    pub(crate) fn write(self) {
        self.context.audit.write(self.entry, self.context.caller.as_ref());
    }
}

impl Audit {
    pub(super) fn to(path: Option<PathBuf>) -> Self {
        Self(path.map(|path| Arc::new(AuditFile { path, file: Mutex::default() })))
    }

    pub(super) fn write(&self, entry: AuditEntry, caller: Option<&Caller>) {
        let line = entry.line(caller);
        tracing::info!(target: "audit", "{line}");
        if let Some(file) = &self.0
            && let Err(error) = file.append(&line)
        {
            tracing::error!("the audit log cannot be written to {}: {error}", file.path.display());
        }
    }
}

impl AuditFile {
    fn append(&self, line: &str) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match file.as_mut() {
            Some(open) => open,
            None => {
                if let Some(folder) = self.path.parent() {
                    private_files::make_folder(folder)?;
                }
                let opened = private_files::open_file(&self.path)?;
                private_files::restrict(&self.path);
                file.insert(opened)
            }
        };
        // One write, so that lines of two hosts do not mix.
        open.write_all(format!("{line}\n").as_bytes())
    }
}

/// Runs `work` as a request of the token with this id.
#[cfg(test)]
pub(crate) async fn as_token<T>(id: &str, rule: Rule, work: impl Future<Output = T>) -> T {
    let name = DisplayName::parse("program").expect("a name");
    let caller = Caller { name, how: How::Token, id: id.to_owned() };
    let scope = TokenScope { rule, own: caller.identity(), responds_to: Vec::new() };
    let context = RequestContext {
        caller: Some(caller),
        token_scope: Some(Arc::new(scope)),
        ..RequestContext::default()
    };
    REQUEST.scope(context, work).await
}

/// Runs `work` as a request with this audit log.
#[cfg(test)]
pub(crate) async fn with_audit_file<T>(path: PathBuf, work: impl Future<Output = T>) -> T {
    let context = RequestContext { audit: Audit::to(Some(path)), ..RequestContext::default() };
    REQUEST.scope(context, work).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::How;

    #[tokio::test]
    async fn another_task_keeps_the_caller_of_its_request() {
        let name = DisplayName::parse("Ann").expect("a name");
        let known = Caller { name, how: How::Password, id: "ann".to_owned() };
        let context = RequestContext { caller: Some(known.clone()), ..RequestContext::default() };
        let spawned = async { tokio::spawn(within_request(async { caller() })).await };
        let carried = REQUEST.scope(context, spawned).await.expect("it ends");
        assert_eq!(carried, Some(known));
        assert_eq!(within_request(async { caller() }).await, None, "outside of a request");
    }
}
