//! The dialogs that ask before a turn is canceled or handed over, and before a session is completed or deleted.

use leptos::prelude::*;

use super::name::NameForm;
use crate::live::state::workspace::{LiveWorkspace, NAME_FIELD, Question, use_this_live_workspace};
use app::components::dialog::Dialog;
use app::state::browser;
use app::state::times::counted;

/// The id of the button that completes a session.
const COMPLETE: &str = "complete-session";
/// The id of the button that deletes a session.
const DELETE: &str = "delete-session";

/// The dialogs of a session.
#[component]
pub(super) fn Dialogs() -> impl IntoView {
    let workspace = use_this_live_workspace();
    view! {
        {dialog(workspace, Question::Cancel, "Cancel request", move || view! { <Cancel workspace/> }.into_any())}
        {dialog(workspace, Question::HandOver, "Hand over", move || view! { <HandOver workspace/> }.into_any())}
        {dialog(workspace, Question::Complete, "Complete session", move || view! { <Complete workspace/> }.into_any())}
        {dialog(workspace, Question::Delete, "Delete session", move || view! { <Delete workspace/> }.into_any())}
    }
}

/// A dialog that is open while the person is asked `question`.
fn dialog(
    workspace: LiveWorkspace,
    question: Question,
    label: &'static str,
    body: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let open = Memo::new(move |_| workspace.question.get() == Some(question));
    let close = move |()| {
        if open.get_untracked() {
            workspace.question.set(None);
        }
    };
    let body = StoredValue::new(body);
    view! { <Dialog open on_close=close label class="ask">{body.with_value(|body| body())}</Dialog> }.into_any()
}

#[component]
fn Cancel(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    let reason = RwSignal::new(String::new());
    let cancel = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        workspace.question.set(None);
        workspace.cancel(reason.get_untracked());
    };
    view! {
        <form on:submit=cancel>
            <h2>"Cancel this request?"</h2>
            {move || workspace.other_lease_holder().map(|holder| view! { <p class="holder">{holder.sentence()}</p> })}
            <p>"The agent gets no response, and its run ends with an error."</p>
            <label class="ask-field">"Reason"
                <input class="input" maxlength="500" prop:value=move || reason.get() on:input=move |event| reason.set(event_target_value(&event))/>
            </label>
            <div class="choices">
                <button type="button" class="button" on:click=move |_| workspace.question.set(None)>"Keep request"</button>
                <button type="submit" class="button primary">"Cancel request"</button>
            </div>
        </form>
    }
}

#[component]
fn HandOver(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    let to = RwSignal::new(String::new());
    let hand_over = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let name = to.get_untracked().trim().to_owned();
        if !name.is_empty() {
            workspace.question.set(None);
            workspace.hand_over(name);
        }
    };
    let release = move |_| {
        workspace.question.set(None);
        workspace.release();
    };
    view! {
        <form on:submit=hand_over>
            <h2>"Hand over the lease?"</h2>
            <p>"Your draft stays in this browser."</p>
            <label class="ask-field">"Recipient's name"
                <input class="input" maxlength="100" prop:value=move || to.get() on:input=move |event| to.set(event_target_value(&event))/>
            </label>
            <div class="choices">
                <button type="button" class="button quiet" on:click=release>"Release lease"</button>
                <button type="button" class="button" on:click=move |_| workspace.question.set(None)>"Keep lease"</button>
                <button type="submit" class="button primary">"Hand over"</button>
            </div>
        </form>
    }
}

#[component]
fn Complete(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    let depth = workspace.summary.with_untracked(|it| it.as_ref().map_or(0, |it| it.depth));
    let depth = usize::try_from(depth).unwrap_or(usize::MAX);
    let what = match depth {
        0 => "A completed session accepts no further requests and can be exported.".to_owned(),
        1 => "1 request is pending. Completing the session cancels it and ends its agent's run \
              with an error."
            .to_owned(),
        _ => format!(
            "{}. Completing the session cancels them and ends their agents' runs with errors.",
            counted(depth, "request is pending", "requests are pending")
        ),
    };
    focus_once_named(workspace, COMPLETE);
    let complete = move |_| {
        if workspace.live.is_nameless_untracked() {
            browser::focus(NAME_FIELD);
            return;
        }
        workspace.question.set(None);
        workspace.complete();
    };
    view! {
        <h2>"Complete this session?"</h2>
        {move || workspace.holder_of_head().map(|holder| view! { <p class="holder">{holder.sentence()}</p> })}
        <p>{what}</p>
        <NameForm/>
        <div class="choices">
            <button type="button" class="button" autofocus on:click=move |_| workspace.question.set(None)>"Keep open"</button>
            <button type="button" class="button primary" id=COMPLETE on:click=complete>
                {if depth == 0 { "Complete" } else { "Cancel requests and complete" }}
            </button>
        </div>
    }
}

#[component]
fn Delete(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    focus_once_named(workspace, DELETE);
    let delete = move |_| {
        if workspace.live.is_nameless_untracked() {
            browser::focus(NAME_FIELD);
            return;
        }
        workspace.question.set(None);
        workspace.delete();
    };
    view! {
        <h2>"Delete this session?"</h2>
        <p>"Its requests, responses and tool results are removed from the host for everybody. Exported eval cases stay."</p>
        <NameForm/>
        <div class="choices">
            <button type="button" class="button" autofocus on:click=move |_| workspace.question.set(None)>"Keep session"</button>
            <button type="button" class="button primary" id=DELETE on:click=delete>"Delete session"</button>
        </div>
    }
}

/// Moves the focus to a button once the person's name is known: the name field disappears then.
fn focus_once_named(workspace: LiveWorkspace, button: &'static str) {
    Effect::new(move |was: Option<bool>| {
        let is_nameless = workspace.live.is_nameless();
        if was == Some(true) && !is_nameless {
            browser::after_drawing(move || browser::focus(button));
        }
        is_nameless
    });
}
