//! `/evalsets`: the eval-set file of every registered agent.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::api::{EvalSetContents, EvalSetSummary, list_eval_sets};
use crate::components::bars::FootBar;
use crate::state::times::size;

/// The list of eval sets.
#[component]
pub fn EvalSetsPage() -> impl IntoView {
    let sets = Resource::new(|| (), |()| list_eval_sets());
    let listed = move || {
        sets.get().map(|sets| match sets {
            Ok(sets) if sets.is_empty() => view! {
                <div class="empty centred">
                    <h1>"No eval sets yet"</h1>
                    <p>"An eval set belongs to an agent: its exports go there. Register one first."</p>
                    <p><a class="link" href="/">"See the agents"</a></p>
                </div>
            }
            .into_any(),
            Ok(sets) => view! { <Sets sets/> }.into_any(),
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
    /// The sets, in the order of the agents.
    sets: Vec<EvalSetSummary>,
) -> impl IntoView {
    view! {
        <header class="sheet-head">
            <h1>"Recorded cases"</h1>
            <p class="quiet">"What was rehearsed and exported, one file for each agent."</p>
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
    }
}

#[component]
fn Set(
    /// The set.
    set: EvalSetSummary,
) -> impl IntoView {
    let name = set.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let agent = set.agent.clone();
    let (name, bytes) = match set.contents {
        EvalSetContents::File { bytes } => {
            let address = format!("/evalsets/{agent}");
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
            <td><a class="link" href=format!("/rehearse/{agent}")>{set.agent_name}</a></td>
            <td class="figure">{bytes}</td>
            <td class="path"><code>{set.path}</code></td>
        </tr>
    }
}
