//! [`LiveWorkspace`]: one live session on the page: its summary, the turn that is shown, and the actions.

mod current_turn;
mod lease;
mod next;
mod responding;
mod unsent;

use api::{ApiError, LiveId, LivePlace, LiveSummary, LiveTurn, LiveTurnId, ToolView};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use session::ToolName;

use crate::live::state::turn::{Holder, shown_side};
use crate::shared::keys::focus_now;
use api::host::read_live_session;
use app::state::Connection;
use app::state::Link;
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::draft_cleanup::delete_old_drafts;
use app::state::live::Live;
use app::state::live_draft::{Draft, LeaseRequest, Side};
use app::state::use_page;
pub use unsent::Rejected;

/// An action that a dialog asks about first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Cancel the turn.
    Cancel,
    /// Complete the session.
    Complete,
    /// Delete the session.
    Delete,
    /// Hand the lease over.
    HandOver,
}

/// What a request offers to its response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// The functions that may be called.
    pub tools: Vec<ToolView>,
    /// The schema that the response must match.
    pub output_schema: Option<JsonText>,
    /// Whether any request was read yet.
    pub is_known: bool,
}

impl Offer {
    fn of(turn: &LiveTurn) -> Self {
        let (tools, output_schema) = (turn.tools.clone(), turn.output_schema.clone());
        Self { tools, output_schema, is_known: true }
    }
}

/// The workspace of one live session.
#[derive(Clone, Copy)]
pub struct LiveWorkspace {
    /// The session.
    pub id: StoredValue<LiveId>,
    /// What the page shares of live sessions.
    pub live: Live,
    /// The connection to the host.
    pub connection: Connection,
    /// Its state; `None` until the host has reported it.
    pub summary: Memo<Option<LiveSummary>>,
    /// Why it cannot be shown.
    pub fault: RwSignal<Option<ApiError>>,
    /// Whether it was deleted, by somebody else or by the host.
    pub is_deleted: Memo<bool>,
    /// The turn that the address names.
    pub named: Memo<Option<LiveTurnId>>,
    /// The turn that is shown.
    pub shown: RwSignal<Option<LiveTurnId>>,
    /// What the model would see in it.
    pub turn: RwSignal<Option<LiveTurn>>,
    /// Why that cannot be shown.
    pub turn_fault: RwSignal<Option<ApiError>>,
    /// What it offers to its response. Until the turn is read, what the one before it offered: the
    /// person may be typing in its form.
    pub offer: Memo<Offer>,
    /// Its draft.
    pub draft: RwSignal<Option<Draft>>,
    /// Whether the draft is for the next request: the shown one is being answered or is closed.
    pub is_ahead: RwSignal<bool>,
    /// Whether the session's events are shown instead of the turn's conversation.
    pub shows_events: RwSignal<bool>,
    /// What the tools are filtered by.
    pub filter: RwSignal<String>,
    /// The responses that the host rejected and that the person no longer edits, oldest first.
    pub rejected: RwSignal<Vec<Rejected>>,
    /// What went wrong last.
    pub notice: RwSignal<Option<String>>,
    /// What happened last, for screen readers.
    pub announcement: RwSignal<String>,
    /// Whether a response is being sent.
    pub is_sending: RwSignal<bool>,
    /// The action that a dialog asks about.
    pub question: RwSignal<Option<Question>>,
    /// Whether the next waiting session is opened after a response.
    pub goes_on: RwSignal<bool>,
    /// Goes to a path of the app; with `true` in place of this one.
    navigate: StoredValue<Box<dyn Fn(String, bool)>, LocalStorage>,
}

/// The session as the address names it. Watches it for as long as the workspace is shown.
#[must_use]
pub fn use_live_workspace(id: LiveId, named: Memo<Option<LiveTurnId>>) -> LiveWorkspace {
    let page = use_page();
    let live = page.live;
    let (known, of_deleted) = (id.clone(), id.clone());
    let go = use_navigate();
    let navigate = move |path: String, replace: bool| {
        go(&address(&path), NavigateOptions { replace, scroll: false, ..unresolved() });
    };
    let turn = RwSignal::new(None::<LiveTurn>);
    let workspace = LiveWorkspace {
        summary: Memo::new(move |_| live.of(&known)),
        id: StoredValue::new(id.clone()),
        live,
        connection: page.connection,
        fault: RwSignal::new(None),
        is_deleted: Memo::new(move |_| live.deleted.read().contains(&of_deleted)),
        named,
        shown: RwSignal::new(None),
        turn,
        turn_fault: RwSignal::new(None),
        offer: Memo::new(move |before: Option<&Offer>| {
            let offer = turn.with(|turn| turn.as_ref().map(Offer::of));
            offer.or_else(|| before.cloned()).unwrap_or_default()
        }),
        draft: RwSignal::new(None),
        is_ahead: RwSignal::new(false),
        shows_events: RwSignal::new(false),
        filter: RwSignal::new(String::new()),
        rejected: RwSignal::new(Vec::new()),
        notice: RwSignal::new(None),
        announcement: RwSignal::new(String::new()),
        is_sending: RwSignal::new(false),
        question: RwSignal::new(None),
        goes_on: RwSignal::new(browser::stored(next::GOES_ON).is_some()),
        navigate: StoredValue::new_local(Box::new(navigate)),
    };
    live.watch(id);
    workspace.open();
    // Local storage: old drafts are removed.
    Effect::new(move |_| delete_old_drafts(live));
    // Requests: after a lost connection the host sends the session's state, and what failed is retried.
    Effect::new(move |_| {
        let is_there = page.connection.link.get() == Link::Connected;
        if is_there && workspace.fault.read_untracked().is_some() {
            workspace.open();
        }
        if is_there && workspace.turn_fault.read_untracked().is_some() {
            workspace.read_turn();
        }
    });
    workspace.follow_queue();
    workspace.keep_lease();
    workspace
}

impl LiveWorkspace {
    /// Requests the session from the host.
    pub fn open(self) {
        spawn_local(async move {
            match read_live_session(self.id.get_value()).await {
                Ok(summary) => {
                    self.fault.try_set(None);
                    self.live.learn(summary);
                }
                Err(error) => {
                    self.fault.try_set(Some(error));
                }
            }
        });
    }

    /// Opens the dialog that asks `question`. Where the page has a field for the person's name, it has
    /// to be filled in first.
    pub fn ask(self, question: Question) {
        if self.live.name.read_untracked().is_none() && browser::exists(NAME_FIELD) {
            let notice = "Enter your name. It is recorded with each response.";
            self.notice.set(Some(notice.to_owned()));
            focus_now(|| browser::focus(NAME_FIELD));
        } else {
            self.question.set(Some(question));
        }
    }

    /// A turn of this session.
    #[must_use]
    pub fn place(self, turn: LiveTurnId) -> LivePlace {
        LivePlace { session: self.id.get_value(), turn }
    }

    /// Whether the person has left this workspace. Its signals are gone then.
    fn is_gone(self) -> bool {
        self.is_sending.try_get_untracked().is_none()
    }

    /// The head of the queue. Tracked.
    #[must_use]
    pub fn head(self) -> Option<LiveTurnId> {
        self.summary.with(|summary| Some(summary.as_ref()?.head()?.turn.clone()))
    }

    /// Whether the shown turn is the head of the queue. Tracked.
    #[must_use]
    pub fn is_head(self) -> bool {
        let head = self.head();
        head.is_some() && head == self.shown.get()
    }

    /// Whether the session has ended. Tracked.
    #[must_use]
    pub fn is_completed(self) -> bool {
        self.summary.with(|summary| summary.as_ref().is_some_and(|it| it.is_completed))
    }

    /// How many pending turns come before the shown one; `None` when it is not pending. Tracked.
    #[must_use]
    pub fn ahead(self) -> Option<usize> {
        let shown = self.shown.get()?;
        self.summary
            .with(|summary| summary.as_ref()?.waiting.iter().position(|turn| turn.turn == shown))
    }

    /// Who holds the lease of the shown turn, unless it is this page. Tracked.
    #[must_use]
    pub fn other_lease_holder(self) -> Option<Holder> {
        self.holder_of_head().filter(|_| self.is_head())
    }

    /// Who holds the lease of the head of the queue, unless it is this page. Tracked.
    #[must_use]
    pub fn holder_of_head(self) -> Option<Holder> {
        let name = self.live.name.get();
        let asked =
            self.draft.get().is_some_and(|draft| draft.lease_request.get() == LeaseRequest::Asked);
        let may_hold = asked && self.is_head();
        self.summary.with(|summary| {
            let lease = summary.as_ref()?.lease.as_ref()?;
            Holder::other(lease, name.as_deref(), may_hold)
        })
    }

    /// The tools that may be called. Tracked.
    #[must_use]
    pub fn tools(self) -> Vec<ToolView> {
        self.offer.with(|offer| offer.tools.clone())
    }

    /// The tool whose form is shown. Tracked.
    #[must_use]
    pub fn tool(self) -> Option<ToolView> {
        let name = self.draft.get()?.tool.get()?;
        self.offer.with(|offer| offer.tools.iter().find(|tool| tool.name.as_str() == name).cloned())
    }

    /// The side of the response that is shown. Tracked.
    #[must_use]
    pub fn side(self) -> Side {
        let has_tools = self.offer.with(|offer| !offer.is_known || !offer.tools.is_empty());
        let chosen = self.draft.get().and_then(|draft| draft.side.get());
        shown_side(has_tools, chosen)
    }

    /// The schema that the response must match. Tracked.
    #[must_use]
    pub fn output_schema(self) -> Option<JsonText> {
        self.offer.with(|offer| offer.output_schema.clone())
    }

    /// Chooses a tool and shows its form.
    pub fn choose(self, name: &ToolName) {
        if let Some(draft) = self.draft.get_untracked() {
            draft.tool.set(Some(name.to_string()));
            draft.side.set(Some(Side::Call));
        }
    }

    /// Shows a side of the response.
    pub fn show(self, side: Side) {
        if let Some(draft) = self.draft.get_untracked() {
            draft.side.set(Some(side));
        }
    }
}

/// The id of the tool filter in the document.
pub const FILTER: &str = "tool-filter";
/// The id of the field for the person's name in the document.
pub const NAME_FIELD: &str = "your-name";

/// The workspace that is shown.
#[must_use]
pub fn use_this_live_workspace() -> LiveWorkspace {
    expect_context()
}
