//! The catalog of tools: a filter and one line for each tool. For the form of a chosen tool it folds to
//! the filter, where both share too little height (`style/acting.css`).

use api::ToolView;
use leptos::html;
use leptos::prelude::*;
use session::ToolName;

use crate::shared::keys::focus_chosen_tool;
use crate::shared::state::catalog::{Takes, first_line, fits, returns, signature, takes};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::times::counted;

/// The id of the filter in the document.
pub const FILTER: &str = "tool-filter";

/// The filter and the tools that match it.
#[component]
pub fn ToolCatalog(
    /// The tools, in the model's order.
    #[prop(into)]
    tools: Signal<Vec<ToolView>>,
    /// The chosen tool.
    #[prop(into)]
    chosen: Signal<Option<ToolView>>,
    /// The text that filters them.
    filter: RwSignal<String>,
    /// Called with the name of the chosen tool.
    on_choose: Callback<String>,
) -> impl IntoView {
    let list = NodeRef::<html::Ul>::new();
    let fitting = Memo::new(move |_| {
        let filter = filter.read();
        tools.with(|tools| {
            tools.iter().filter(|tool| fits(tool, &filter)).cloned().collect::<Vec<_>>()
        })
    });
    // A tool may be chosen elsewhere, too. Never folds as the focus goes: what moves under a press is not
    // pressed.
    let folded = RwSignal::new(false);
    let fold = move || folded.set(chosen.with(Option::is_some));
    Effect::new(move |_| {
        fold();
        // Once more: the palette, in which the tool may have been chosen, may give the focus back to the filter.
        browser::after_drawing(move || {
            folded.try_set(chosen.try_with_untracked(Option::is_some) == Some(true))
        });
    });
    let choose = move |name: &str| {
        on_choose.run(name.to_owned());
        folded.set(true);
        // The filter would hide the tools that are searched for next.
        if !filter.read_untracked().is_empty() {
            filter.set(String::new());
        }
        focus_chosen_tool();
    };
    let on_filter_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        // The filter is for another tool than the chosen one, so that the chosen one does not run.
        "Enter"
            if (event.ctrl_key() || event.meta_key()) && fitting.read_untracked().is_empty() =>
        {
            event.prevent_default();
            event.stop_propagation();
        }
        "Enter" if !event.ctrl_key() => {
            event.prevent_default();
            if let Some(tool) = fitting.read_untracked().first() {
                choose(tool.name.as_str());
            }
        }
        "ArrowDown" => {
            event.prevent_default();
            browser::focus_first_in("tools");
        }
        // The key that focuses the filter, pressed again.
        "/" if filter.read_untracked().is_empty() => event.prevent_default(),
        "Escape" if !filter.read_untracked().is_empty() => {
            event.stop_propagation();
            filter.set(String::new());
        }
        "Escape" => untrack(fold),
        _ => {}
    };
    let on_list_key = move |event: leptos::ev::KeyboardEvent| {
        let Some(list) = list.get_untracked() else { return };
        let moved = match event.key().as_str() {
            "ArrowDown" | "j" => browser::focus_beside(&list, "button", 1),
            "ArrowUp" | "k" => browser::focus_beside(&list, "button", -1) || browser::focus(FILTER),
            _ => return,
        };
        if moved {
            event.prevent_default();
        }
    };
    let stop = tab_stop(chosen, fitting);
    let none_fits = move || fitting.read().is_empty() && !tools.read().is_empty();
    view! {
        <div class="catalog" class:folded=move || folded.get()>
            <div class="find">
                <Icon glyph=Glyph::Search/>
                <input
                    id=FILTER
                    type="search"
                    autocomplete="off"
                    spellcheck="false"
                    aria-label="Filter tools"
                    aria-controls="tools"
                    placeholder=move || format!("Filter {}", counted(tools.read().len(), "tool", "tools"))
                    prop:value=move || filter.get()
                    on:input=move |event| filter.set(event_target_value(&event))
                    on:keydown=on_filter_key
                    on:focus=move |_| folded.set(false)
                />
                <kbd>"/"</kbd>
                <button
                    type="button"
                    class="unfold"
                    aria-label="Tools"
                    aria-controls="tools"
                    aria-expanded=move || (!folded.get()).to_string()
                    on:click=move |_| folded.update(|folded| *folded = !*folded)
                >
                    <Icon glyph=Glyph::Down/>
                </button>
            </div>
            <ul id="tools" class="tools" aria-label="Tools" node_ref=list on:keydown=on_list_key>
                <For each=move || fitting.get() key=|tool| (tool.name.clone(), tool.declaration.to_string()) let:tool>
                    <ToolLine tool chosen folded stop on_choose=Callback::new(move |name: String| choose(&name))/>
                </For>
            </ul>
            <Show when=none_fits>
                <p class="empty">
                    "No matching tools. "
                    <button type="button" class="link" on:click=move |_| filter.set(String::new())>
                        "Show all"
                    </button>
                </p>
            </Show>
        </div>
    }
}

/// The tool that the Tab key goes to: one stop, however many tools there are. The arrow keys go from tool
/// to tool.
fn tab_stop(
    chosen: Signal<Option<ToolView>>,
    fitting: Memo<Vec<ToolView>>,
) -> Memo<Option<ToolName>> {
    Memo::new(move |_| {
        let fitting = fitting.read();
        let fits = |name: &ToolName| fitting.iter().any(|tool| tool.name == *name);
        let chosen = chosen.with(|tool| tool.as_ref().map(|tool| tool.name.clone()));
        chosen.filter(fits).or_else(|| fitting.first().map(|tool| tool.name.clone()))
    })
}

#[component]
fn ToolLine(
    /// The tool.
    tool: ToolView,
    /// The chosen tool.
    chosen: Signal<Option<ToolView>>,
    /// Whether the list may be hidden.
    folded: RwSignal<bool>,
    /// The tool that the Tab key goes to.
    stop: Memo<Option<ToolName>>,
    /// Called with its name when it is chosen.
    on_choose: Callback<String>,
) -> impl IntoView {
    let name = tool.name.to_string();
    let own_name = tool.name.clone();
    let tabindex = move || match stop.read().as_ref() == Some(&own_name) {
        true => "0",
        false => "-1",
    };
    let is_chosen = {
        let name = tool.name.clone();
        Memo::new(move |_| chosen.with(|tool| tool.as_ref().is_some_and(|it| it.name == name)))
    };
    let (count, counted) = match takes(tool.parameters.as_ref()) {
        Takes::Named(arguments) if arguments.len() == 1 => ("1".to_owned(), " argument"),
        Takes::Named(arguments) => (arguments.len().to_string(), " arguments"),
        Takes::Anything => ("…".to_owned(), " any arguments"),
    };
    let summary = first_line(&tool.description);
    let title = format!("{}\n{summary}", signature(&tool));
    let shown = visible_name(&name);
    let returned = returns(tool.response_schema.as_ref());
    let flag = match &tool {
        ToolView { agent_model: Some(_), .. } => Some((Glyph::User, "an agent")),
        ToolView { needs_confirmation: true, .. } => {
            Some((Glyph::Question, "requires confirmation"))
        }
        ToolView { long_running: true, .. } => Some((Glyph::Clock, "long-running")),
        _ => None,
    };
    let line = NodeRef::<html::Button>::new();
    // Scrolls to the tool, which may have been chosen elsewhere: by a link, in the palette, by a replay.
    Effect::new(move |_| {
        if let (true, Some(line)) = (is_chosen.get() && !folded.get(), line.get()) {
            browser::after_drawing(move || browser::reveal_element(&line));
        }
    });
    view! {
        <li>
            <button
                node_ref=line
                type="button"
                class="tool"
                tabindex=tabindex
                title=title
                aria-current=move || is_chosen.get().then_some("true")
                on:click=move |_| on_choose.run(name.clone())
            >
                <b>{shown}</b>
                <span class="tool-summary">{summary}</span>
                <span class="tool-flag">
                    {flag.map(|(glyph, label)| view! { <Icon glyph/><span class="unseen">{label}</span> })}
                </span>
                <span class="tool-count">
                    {count}<span class="unseen">{counted}</span>
                    {(!returned.is_empty()).then(|| view! { <span class="unseen">", returns " {visible_name(&returned)}</span> })}
                </span>
            </button>
        </li>
    }
}
