//! [`Workspace`]: what is shown of a rehearsal. The side of the right panel and the chosen tool are in the
//! address, so that a link restores them.

use api::ToolView;
use json_text::JsonText;
use leptos::prelude::*;
use schema_form::Integers;
use session::{SessionState, ToolCall};

use crate::shared::state::catalog::fits;
use app::state::browser;
use app::state::in_address::{InAddress, use_in_address};
use app::state::lazy_pages::{LazyPart, SessionViews};
use app::state::rehearsal::{Action, FormKey, FormSource, Rehearsal};
use app::state::use_page;
use app::state::value_form::ValueForm;

/// The id of the button that exports.
pub const EXPORT: &str = "export";

/// The two choices that an active session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// Call a tool.
    Call,
    /// Send the final response.
    Respond,
}

/// What is shown of one rehearsal.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// The rehearsal.
    pub rehearsal: Rehearsal,
    /// The tools that can be called, in the model's order.
    pub tools: Memo<Vec<ToolView>>,
    /// The chosen tool.
    pub tool: Memo<Option<ToolView>>,
    /// The side that is shown.
    pub tab: Memo<Tab>,
    /// The schema of the user message; `None` for text.
    pub input_schema: Memo<Option<JsonText>>,
    /// The schema of the final response; `None` for text.
    pub output_schema: Memo<Option<JsonText>>,
    /// The call whose agent the person acts as, if any.
    pub acted_as: Memo<Option<ToolCall>>,
    /// The text that filters the tools.
    pub filter: RwSignal<String>,
    /// Whether the log is shown.
    pub shows_log: RwSignal<bool>,
    /// Whether the history is shown as JSON.
    pub shows_raw: RwSignal<bool>,
    /// Whether the page asks before it starts over.
    pub asks_to_start_over: RwSignal<bool>,
    /// The views of a session under way.
    pub code: LazyPart<SessionViews>,
    tool_name: InAddress,
    side: InAddress,
}

/// The workspace of `rehearsal`, restored from the address.
#[must_use]
pub fn use_workspace(rehearsal: Rehearsal) -> Workspace {
    let tool_name = use_in_address("tool");
    let side = use_in_address("side");
    let tools = Memo::new(move |_| {
        rehearsal.view.with(|view| view.as_ref().map(|view| view.tools.clone()).unwrap_or_default())
    });
    let tool = Memo::new(move |_| {
        let name = tool_name.get();
        tools.with(|tools| match (&name, tools.as_slice()) {
            (_, [only]) => Some(only.clone()),
            (Some(name), _) => tools.iter().find(|tool| tool.name.as_str() == name).cloned(),
            (None, _) => None,
        })
    });
    let tab = Memo::new(move |_| {
        let has_no_tools = rehearsal.view.read().is_some() && tools.read().is_empty();
        let responds = side.get().as_deref() == Some("response");
        if responds || has_no_tools { Tab::Respond } else { Tab::Call }
    });
    let filter = RwSignal::new(String::new());
    // A filter for one agent's tools would hide those of another one after a transfer. The person types
    // into the same signal.
    let active_agent = Memo::new(move |_| {
        rehearsal.view.with(|view| view.as_ref().map(|view| view.agent.name.clone()))
    });
    Effect::watch(
        move || active_agent.get(),
        move |now, before, _| {
            if before.is_some_and(|before| before.is_some() && before != now) {
                filter.set(String::new());
            }
        },
        false,
    );
    Workspace {
        rehearsal,
        tools,
        tool,
        tab,
        input_schema: Memo::new(move |_| {
            rehearsal.view.with(|view| view.as_ref().and_then(|view| view.input_schema.clone()))
        }),
        output_schema: Memo::new(move |_| {
            rehearsal.view.with(|view| view.as_ref().and_then(|view| view.output_schema.clone()))
        }),
        acted_as: Memo::new(move |_| rehearsal.session.with(|session| session.acted_as().cloned())),
        filter,
        shows_log: RwSignal::new(false),
        shows_raw: RwSignal::new(false),
        asks_to_start_over: RwSignal::new(false),
        code: use_page().lazy.session,
        tool_name,
        side,
    }
}

impl Workspace {
    /// Chooses a tool and shows its form. A filter that hides the tool is cleared.
    pub fn choose_tool(self, name: &str) {
        let hidden = self.tools.with_untracked(|tools| {
            let filter = self.filter.read_untracked();
            tools.iter().any(|tool| tool.name.as_str() == name && !fits(tool, &filter))
        });
        if hidden {
            self.filter.set(String::new());
        }
        self.tool_name.set(Some(name.to_owned()));
        self.side.set(None);
        if !self.code.is_loaded() {
            self.code.and_then(|_| {
                browser::after_drawing(|| {
                    browser::after_drawing(|| browser::focus_form("tool-form"));
                });
            });
        }
    }

    /// Shows a side of the right panel.
    pub fn show(self, tab: Tab) {
        self.side.set((tab == Tab::Respond).then(|| "response".to_owned()));
    }

    /// What the form for a tool's arguments is made of.
    #[must_use]
    pub fn tool_source(self, tool: &ToolView) -> FormSource {
        let agent = untrack(|| self.rehearsal.handed_to());
        let key = FormKey::Tool { agent, name: tool.name.clone() };
        let integers = match tool.integers_of_64_bits {
            true => Integers::Of64Bits,
            false => Integers::Any,
        };
        FormSource { key, schema: tool.parameters.clone(), integers }
    }

    /// Whether the agent has started and its view is known. Tracked.
    #[must_use]
    pub fn is_ready(self) -> bool {
        self.rehearsal.view.read().is_some()
    }

    /// What the form for the user message is made of, for an agent with an input schema. Tracked.
    #[must_use]
    pub fn query_source(self) -> Option<FormSource> {
        let schema = Some(self.input_schema.get()?);
        Some(FormSource { key: FormKey::Query, schema, integers: Integers::Any })
    }

    /// What the form for the final response is made of, for an agent with an output schema. Tracked.
    #[must_use]
    pub fn response_source(self) -> Option<FormSource> {
        // An agent that the person acts as has its own form, also for the same schema.
        self.acted_as.track();
        let schema = Some(self.output_schema.get()?);
        Some(FormSource { key: FormKey::Response, schema, integers: Integers::Any })
    }

    /// The form for the final response, for views of a session. Tracked.
    #[must_use]
    pub fn response_form(self) -> Option<ValueForm> {
        Some(self.rehearsal.forms.of(&self.response_source()?))
    }

    /// Does the next step: starts the session, runs the chosen tool or responds. After the final response,
    /// it goes to the export and does not export: the key that sent the response may be pressed twice.
    pub fn act(self) {
        let state = self.rehearsal.session.read_untracked().state();
        match state {
            // Before the agent is loaded, it is not known whether text or a form is needed.
            SessionState::AwaitingQuery | SessionState::Active if !untrack(|| self.is_ready()) => {}
            SessionState::SelectingAgent => {}
            SessionState::AwaitingQuery => self.ask(),
            SessionState::Active if self.tab.get_untracked() == Tab::Respond => {
                self.perform(Action::Respond(untrack(|| self.response_source())));
            }
            SessionState::Active => {
                if let Some(tool) = self.tool.get_untracked() {
                    self.perform(Action::Run(tool.name.clone(), self.tool_source(&tool)));
                }
            }
            SessionState::Completed => {
                browser::focus(EXPORT);
            }
        }
    }

    /// Does what the person wants, once the code of a session is loaded.
    pub fn perform(self, action: Action) {
        let rehearsal = self.rehearsal;
        self.code.and_then(move |fetched| match fetched {
            Ok(views) => (views.act)(rehearsal, action),
            Err(error) => rehearsal.notice.set(Some(error.to_string())),
        });
    }

    /// Starts the session with the user message, once the code of its views is loaded.
    fn ask(self) {
        let rehearsal = self.rehearsal;
        if rehearsal.checking.get_untracked() {
            return;
        }
        rehearsal.checking.set(true);
        self.code.and_then(move |fetched| {
            rehearsal.checking.set(false);
            // The person may be on another page.
            if self.filter.try_get_untracked().is_none() {
                return;
            }
            match fetched {
                Ok(views) => {
                    (views.act)(rehearsal, Action::Ask(untrack(|| self.query_source())));
                }
                Err(error) => rehearsal.notice.set(Some(error.to_string())),
            }
        });
    }

    /// Continues the completed session with another user message. For event handlers.
    pub fn continue_session(self) {
        self.perform(Action::Continue);
        self.show(Tab::Call);
    }

    /// Starts over, asking first when something would be lost. For event handlers.
    pub fn start_over(self) {
        if untrack(|| self.rehearsal.is_under_way()) {
            self.asks_to_start_over.set(true);
        } else {
            self.begin_again();
        }
    }

    /// Starts over without asking. For event handlers.
    pub fn begin_again(self) {
        self.rehearsal.start_over();
        self.show(Tab::Call);
        self.filter.set(String::new());
        self.shows_raw.set(false);
    }
}

/// The workspace around the component.
#[must_use]
pub fn use_this_workspace() -> Workspace {
    expect_context()
}
