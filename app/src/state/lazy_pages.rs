//! The parts of the page's code that the browser loads on demand: one for each area, and one for a
//! session in progress.
//!
//! The crate `frontend` provides [`Loaders`] in the context. The host has none: it renders the
//! shell and the list of agents, and is built without the views. docs/design/client-size.md gives
//! the reasons.

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::SplitLoaderError;

use crate::state::agent_list::AgentList;
use crate::state::browser;
use crate::state::reading::Reading;
use crate::state::rehearsal::{Action, FormSource, Forms, Rehearsal};
use crate::state::rehearsals::Rehearsals;
use api::{AgentSummary, ServerInstructions, ToolView};
use json_text::JsonText;
use session::AgentId;

/// The views of an agent's workspace. Function pointers, so that callers do not link the code.
#[derive(Debug, Clone, Copy)]
pub struct RehearseViews {
    /// The workspace, with an agent and its rehearsal.
    pub workspace: fn(AgentSummary, Rehearsal) -> AnyView,
    /// The last output of an agent that takes long to load, and Stop.
    pub slow_load: fn(AgentId) -> AnyView,
    /// The filter of a long list of agents.
    pub agent_filters: fn(AgentList) -> AnyView,
}

/// A group of shortcuts: its title, and for each shortcut the keys and the action. Keys that are
/// pressed together are separated by a space.
pub type ShortcutGroup = (&'static str, &'static [(&'static str, &'static str)]);

/// The actions and views of a session in progress, which are needed after the first message.
#[derive(Debug, Clone, Copy)]
pub struct SessionViews {
    /// Takes up what this tab keeps of a rehearsal, and keeps it from now on.
    pub keep: fn(Rehearsal),
    /// Does what the person wants.
    pub act: fn(Rehearsal, Action),
    /// Applies an event of a session.
    pub take_in: fn(Rehearsals, &JsonText),
    /// Ends what the restart of the host ended, and opens the sessions again.
    pub host_restarted: fn(Rehearsals),
    /// The form for a query that has a schema.
    pub query_form: fn(Forms, &FormSource) -> AnyView,
    /// What MCP servers say about their use.
    pub server_instructions: fn(Vec<ServerInstructions>) -> AnyView,
    /// How many fields of a form need attention.
    pub attention: fn(Forms, &FormSource) -> AnyView,
    /// The dialog that lists the shortcuts, by group.
    pub shortcuts: fn(&'static [ShortcutGroup]) -> AnyView,
    /// The editor of the initial state.
    pub initial_state: fn() -> AnyView,
    /// The artifacts that were saved.
    pub artifacts: fn() -> AnyView,
    /// The entries of the history.
    pub timeline: fn() -> AnyView,
    /// The history as JSON.
    pub raw_history: fn() -> AnyView,
    /// The agent's output.
    pub log: fn() -> AnyView,
    /// The form of a chosen tool.
    pub tool_form: fn(ToolView) -> AnyView,
    /// The form of the final response.
    pub respond: fn() -> AnyView,
    /// The export, with the path of the eval-set file.
    pub export: fn(String) -> AnyView,
    /// A value to read, with its accessible name.
    pub value: fn(Reading, &'static str) -> AnyView,
    /// The tools to read a value with.
    pub value_tools: fn(Reading) -> AnyView,
}

/// The view of live sessions, of eval sets, of stored eval runs, and of reports. One type, so that the first page has
/// the code that loads and draws them once.
#[derive(Debug, Clone, Copy)]
pub struct ListViews {
    /// The list; with an id, the one with this id, and the case or the turn in the address.
    pub page: fn(Option<String>, Memo<Option<String>>) -> AnyView,
}

/// The code of an area could not be loaded.
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

/// Loads a part of the code; later calls return it at once. Fails when the host does not respond or
/// serves another version. The next call tries again.
pub type Load<V> = fn() -> Pin<Box<dyn Future<Output = Result<V, NotLoaded>>>>;

/// The loader of each part.
#[derive(Debug, Clone, Copy)]
pub struct Loaders {
    /// The workspace of an agent.
    pub rehearse: Load<RehearseViews>,
    /// A session in progress.
    pub session: Load<SessionViews>,
    /// Live sessions.
    pub live: Load<ListViews>,
    /// Eval sets.
    pub evalsets: Load<ListViews>,
    /// The list of stored eval runs.
    pub runs: Load<ListViews>,
    /// A stored eval run.
    pub run: Load<ListViews>,
    /// Reports.
    pub reports: Load<ListViews>,
}

/// The parts of this page, each of them loaded or not.
#[derive(Clone, Copy)]
pub struct LazyPages {
    /// The workspace of an agent.
    pub rehearse: LazyPart<RehearseViews>,
    /// A session in progress.
    pub session: LazyPart<SessionViews>,
    /// Live sessions.
    pub live: LazyPart<ListViews>,
    /// Eval sets.
    pub evalsets: LazyPart<ListViews>,
    /// The list of stored eval runs.
    pub runs: LazyPart<ListViews>,
    /// A stored eval run.
    pub run: LazyPart<ListViews>,
    /// Reports.
    pub reports: LazyPart<ListViews>,
}

/// The parts for the [`Loaders`] in the context; without loaders, no part is ever loaded.
#[must_use]
pub fn use_lazy_pages() -> LazyPages {
    let loaders = use_context::<Loaders>();
    LazyPages {
        rehearse: LazyPart::new(loaders.map(|loaders| loaders.rehearse)),
        session: LazyPart::new(loaders.map(|loaders| loaders.session)),
        live: LazyPart::new(loaders.map(|loaders| loaders.live)),
        evalsets: LazyPart::new(loaders.map(|loaders| loaders.evalsets)),
        runs: LazyPart::new(loaders.map(|loaders| loaders.runs)),
        run: LazyPart::new(loaders.map(|loaders| loaders.run)),
        reports: LazyPart::new(loaders.map(|loaders| loaders.reports)),
    }
}

/// One part of the code. Copies share its signals.
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

    /// The views once they are loaded, or the error. Tracked.
    #[must_use]
    pub fn views(self) -> Option<Result<V, NotLoaded>> {
        self.loaded.get()
    }

    /// Whether the views are loaded.
    #[must_use]
    pub fn is_loaded(self) -> bool {
        matches!(self.loaded.get_untracked(), Some(Ok(_)))
    }

    /// Loads the part unless it is loaded. For effects and event handlers.
    pub fn fetch(self) {
        self.and_then(|_| ());
    }

    /// Runs `then` at once if the part is loaded, else after loading it. For effects and event
    /// handlers.
    pub fn and_then(self, then: impl FnOnce(Result<V, NotLoaded>) + 'static) {
        match self.loaded.get_untracked() {
            Some(Ok(views)) => then(Ok(views)),
            _ => spawn_local(async move { then(self.fetched().await) }),
        }
    }

    async fn fetched(self) -> Result<V, NotLoaded> {
        let Some(load) = self.load.get_value() else { return Err(NotLoaded) };
        let styled = browser::style_views();
        let views = load().await;
        let views = if styled.await { views } else { Err(NotLoaded) };
        if !self.is_loaded() {
            self.loaded.set(Some(views));
        }
        views
    }
}
