//! The parts of the page's code that a browser fetches when they are wanted: one for each area, and
//! one for a session under way.
//!
//! The program that mounts the page provides [`Loaders`] in the context. The host has none: it renders
//! the shell and the list of agents, and is built without the views. docs/design/client-size.md says why.

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::SplitLoaderError;

use crate::state::Rehearsal;
use crate::state::reading::Reading;
use crate::state::value_form::ValueForm;
use api::{AgentSummary, LiveId, LiveTurnId, SetId, ToolView};

/// What draws the workspace of an agent. Pointers, so that who holds them need not hold the code.
#[derive(Debug, Clone, Copy)]
pub struct RehearseViews {
    /// The workspace, with an agent and its rehearsal.
    pub workspace: fn(AgentSummary, Rehearsal) -> AnyView,
}

/// What a session draws once it is under way: nothing of it is seen before the first message.
#[derive(Debug, Clone, Copy)]
pub struct SessionViews {
    /// The form for a query that has a schema.
    pub query_form: fn(ValueForm) -> AnyView,
    /// The entries of the history.
    pub timeline: fn() -> AnyView,
    /// The history as JSON.
    pub raw_history: fn() -> AnyView,
    /// What the agent printed.
    pub log: fn() -> AnyView,
    /// The form of a chosen tool.
    pub tool_form: fn(ToolView) -> AnyView,
    /// Where the final response is written.
    pub respond: fn() -> AnyView,
    /// The export, with the path of the eval-set file.
    pub export: fn(String) -> AnyView,
    /// A value to read, with its name for those who hear the page.
    pub value: fn(Reading, &'static str) -> AnyView,
    /// The tools to read a value with.
    pub value_tools: fn(Reading) -> AnyView,
}

/// What draws the live sessions.
#[derive(Debug, Clone, Copy)]
pub struct LiveViews {
    /// The list.
    pub list: fn() -> AnyView,
    /// A session, and the turn of it that the address names.
    pub session: fn(LiveId, Memo<Option<LiveTurnId>>) -> AnyView,
}

/// What draws the eval sets.
#[derive(Debug, Clone, Copy)]
pub struct EvalSetViews {
    /// The list.
    pub list: fn() -> AnyView,
    /// An eval set, and the case of it that the address names.
    pub set: fn(SetId, Memo<Option<String>>) -> AnyView,
}

/// What draws the reports.
#[derive(Debug, Clone, Copy)]
pub struct ReportViews {
    /// The list, and what opens a report from the reader's disk.
    pub list: fn() -> AnyView,
    /// A report, and the case of it that the address names.
    pub report: fn(String, Memo<Option<String>>) -> AnyView,
}

/// Why the code of an area is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "Part of this page cannot be loaded from the host. Check that the host is running, then reload \
     the page"
)]
pub struct NotLoaded;

impl From<SplitLoaderError> for NotLoaded {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// Fetches a part of the code, once; afterwards it is there at once. Fails when the host does not
/// answer or serves another version; the next call tries again.
pub type Load<V> = fn() -> Pin<Box<dyn Future<Output = Result<V, NotLoaded>>>>;

/// How each part is fetched.
#[derive(Debug, Clone, Copy)]
pub struct Loaders {
    /// The workspace of an agent.
    pub rehearse: Load<RehearseViews>,
    /// A session under way.
    pub session: Load<SessionViews>,
    /// Live sessions.
    pub live: Load<LiveViews>,
    /// Eval sets.
    pub evalsets: Load<EvalSetViews>,
    /// Reports.
    pub reports: Load<ReportViews>,
}

/// The parts of this page, each on the host, on its way or here.
#[derive(Clone, Copy)]
pub struct LazyPages {
    /// The workspace of an agent.
    pub rehearse: LazyPart<RehearseViews>,
    /// A session under way.
    pub session: LazyPart<SessionViews>,
    /// Live sessions.
    pub live: LazyPart<LiveViews>,
    /// Eval sets.
    pub evalsets: LazyPart<EvalSetViews>,
    /// Reports.
    pub reports: LazyPart<ReportViews>,
}

/// The parts as the [`Loaders`] in the context load them; without those, none is ever loaded.
#[must_use]
pub fn use_lazy_pages() -> LazyPages {
    let loaders = use_context::<Loaders>();
    LazyPages {
        rehearse: LazyPart::new(loaders.map(|loaders| loaders.rehearse)),
        session: LazyPart::new(loaders.map(|loaders| loaders.session)),
        live: LazyPart::new(loaders.map(|loaders| loaders.live)),
        evalsets: LazyPart::new(loaders.map(|loaders| loaders.evalsets)),
        reports: LazyPart::new(loaders.map(|loaders| loaders.reports)),
    }
}

/// One part of the code, as small as its handles.
#[derive(Debug)]
pub struct LazyPart<V: 'static> {
    load: StoredValue<Option<Load<V>>>,
    loaded: RwSignal<Option<Result<V, NotLoaded>>>,
}

impl<V> Clone for LazyPart<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for LazyPart<V> {}

impl<V: Copy + Send + Sync + 'static> LazyPart<V> {
    fn new(load: Option<Load<V>>) -> Self {
        Self { load: StoredValue::new(load), loaded: RwSignal::new(None) }
    }

    /// The views, once they are here, or why they are not. Tracked.
    #[must_use]
    pub fn views(self) -> Option<Result<V, NotLoaded>> {
        self.loaded.get()
    }

    /// Whether the views are here.
    #[must_use]
    pub fn is_here(self) -> bool {
        matches!(self.loaded.get_untracked(), Some(Ok(_)))
    }

    /// Fetches the part unless it is here. For effects and event handlers.
    pub fn fetch(self) {
        self.and_then(|_| ());
    }

    /// Runs `then` at once when the part is here, else when it has come or has failed to.
    /// For effects and event handlers.
    pub fn and_then(self, then: impl FnOnce(Result<V, NotLoaded>) + 'static) {
        match self.loaded.get_untracked() {
            Some(Ok(views)) => then(Ok(views)),
            _ => spawn_local(async move { then(self.fetched().await) }),
        }
    }

    async fn fetched(self) -> Result<V, NotLoaded> {
        let Some(load) = self.load.get_value() else { return Err(NotLoaded) };
        let views = load().await;
        if !self.is_here() {
            self.loaded.set(Some(views));
        }
        views
    }
}
