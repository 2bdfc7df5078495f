//! What tools do from the step on at which a result forks.

use leptos::prelude::*;

use super::state::draft::{Draft, TOOL_MODES};
use app::state::excerpt::visible_name;

/// A choice for each tool, folded unless something is chosen.
#[component]
pub(super) fn ToolModes(
    /// What is entered.
    draft: RwSignal<Draft>,
    /// The tools of the agent.
    tools: Vec<String>,
) -> impl IntoView {
    if tools.is_empty() {
        return ().into_any();
    }
    let is_open = draft.with_untracked(|draft| !draft.tools.is_empty());
    let tool = |name: String| {
        let (shown, of_field) = (visible_name(&name), name.clone());
        let mode = Memo::new(move |_| draft.read().tool(&of_field));
        let options = TOOL_MODES.map(|(value, label)| {
            view! { <option value=value selected=move || mode.read().0 == value>{label}</option> }
        });
        let (choose, play) = (name.clone(), name);
        let model = move || {
            let name = play.clone();
            (mode.read().0 == "simulated").then(|| view! {
                <input
                    class="input"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="model, such as gemini-2.5-flash"
                    aria-label="Model that plays the tool"
                    prop:value=move || mode.get().1
                    on:change=move |event| draft.update(|it| it.set_tool(&name, "simulated", &event_target_value(&event)))
                />
            })
        };
        view! {
            <label class="fork-tool">
                <code>{shown}</code>
                <select
                    class="input"
                    on:change=move |event| draft.update(|it| it.set_tool(&choose, &event_target_value(&event), ""))
                >
                    {options.into_iter().collect_view()}
                </select>
                {model}
            </label>
        }
    };
    view! {
        <details class="fork-requests" open=is_open>
            <summary>"Choose what tools do after the step"</summary>
            <div class="fork-tools">{tools.into_iter().map(tool).collect_view()}</div>
        </details>
    }
    .into_any()
}
