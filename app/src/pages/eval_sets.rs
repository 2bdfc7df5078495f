//! `/evalsets`: the eval-set file of every registered agent, and those in the configured folders.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::api::{EvalSetContents, EvalSetList, EvalSetSummary, FolderSummary, list_eval_sets};
use crate::components::bars::FootBar;
use crate::state::times::size;

/// The list of eval sets.
#[component]
pub fn EvalSetsPage() -> impl IntoView {
    let sets = Resource::new(|| (), |()| list_eval_sets());
    let listed = move || {
        sets.get().map(|sets| match sets {
            Ok(list) if list.sets.is_empty() && list.folders.is_empty() => view! {
                <div class="empty centred">
                    <h1>"No eval sets yet"</h1>
                    <p>"An agent's exports make one. Register an agent, or name folders of eval sets in rehearsal.toml."</p>
                    <p><a class="link" href="/">"See the agents"</a></p>
                </div>
            }
            .into_any(),
            Ok(list) => view! { <Sets list/> }.into_any(),
            Err(error) => {
                view! { <div class="empty centred" role="alert"><p>{error.to_string()}</p></div> }
                    .into_any()
            }
        })
    };
    view! {
        <Title text="Eval sets"/>
        <main class="sheet">
            <Transition fallback=|| view! { <p class="quiet">"Looking for the eval sets…"</p> }>{listed}</Transition>
        </main>
        <FootBar/>
    }
    .into_any()
}

#[component]
fn Sets(
    /// The sets, in the order of the agents, and the folders.
    list: EvalSetList,
) -> impl IntoView {
    let EvalSetList { sets, folders } = list;
    let said = match folders.is_empty() {
        true => "What was rehearsed and exported, one file for each agent.",
        false => {
            "What was rehearsed and exported, one file for each agent, and the files in the configured folders."
        }
    };
    view! {
        <header class="sheet-head">
            <h1>"Recorded cases"</h1>
            <p class="quiet">{said}</p>
        </header>
        <table class="sets">
            <thead>
                <tr>
                    <th scope="col">"Eval set"</th>
                    <th scope="col">"Agent"</th>
                    <th scope="col" class="figure">"Size"</th>
                    <th scope="col">"File"</th>
                </tr>
            </thead>
            <tbody>{sets.into_iter().map(|set| view! { <Set set/> }).collect_view()}</tbody>
        </table>
        {(!folders.is_empty()).then(|| view! {
            <ul class="folders" aria-label="Folders">{folders.into_iter().map(folder).collect_view()}</ul>
        })}
    }
}

fn folder(folder: FolderSummary) -> impl IntoView {
    let is_empty = folder.found == 0 && folder.faults.is_empty();
    view! {
        <li>
            <code>{folder.path}</code>
            {is_empty.then(|| view! { " " <span class="quiet">"No eval set in it: they end in .evalset.json or .test.json."</span> })}
            {folder.faults.into_iter().map(|fault| view! { <p class="field-fault">{fault}</p> }).collect_view()}
        </li>
    }
}

#[component]
fn Set(
    /// The set.
    set: EvalSetSummary,
) -> impl IntoView {
    let name = set.name.clone();
    let (name, bytes) = match set.contents {
        EvalSetContents::File { bytes } => {
            let address = format!("/evalsets/{}", set.set);
            (view! { <a href=address>{name}</a> }.into_any(), size(bytes).into_any())
        }
        EvalSetContents::Nothing => (
            view! { <span class="quiet">{name}</span> }.into_any(),
            view! { <span class="quiet">"nothing yet"</span> }.into_any(),
        ),
        EvalSetContents::Unreadable(reason) => (
            view! { {name} <p class="field-fault">{reason}</p> }.into_any(),
            view! { <span class="quiet">"—"</span> }.into_any(),
        ),
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td>{set.agent.map(|agent| view! { <a class="link" href=format!("/rehearse/{agent}")>{set.agent_name}</a> })}</td>
            <td class="figure">{bytes}</td>
            <td class="path"><code>{set.path}</code></td>
        </tr>
    }
}
