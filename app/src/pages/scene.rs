//! The scenes: the stage, with instructions on the left, history in the middle, acting on the right;
//! the eval sets, and one of them with its cases on the left and one of them beside it; reports, and
//! one of them with its cases; the list of live sessions; and a live session, which looks like the stage.
//!
//! Everything that only a scene needs is reached from `drawn` and from nowhere else. With the
//! feature `split` it is a module of its own, which the browser fetches at [`load`]. The host paints
//! no scene and is built without them; see docs/design/client-size.md.

#[cfg(any(not(feature = "ssr"), test))]
mod drawn;

use leptos::prelude::*;
use leptos::wasm_split::SplitLoaderError;

use crate::api::{AgentSummary, LiveId, LiveTurnId, SetId};
use crate::state::Rehearsal;

/// What draws the scenes. Pointers, so that who holds them need not hold the code.
#[derive(Debug, Clone, Copy)]
pub struct Scenes {
    /// The stage of an agent's rehearsal.
    pub play: fn(AgentSummary, Rehearsal) -> AnyView,
    /// The eval sets of the host.
    pub list_eval_sets: fn() -> AnyView,
    /// An eval set, and the case of it that the address names.
    pub read_eval_set: fn(SetId, Memo<Option<String>>) -> AnyView,
    /// The reports of the host, and what opens one from the reader's disk.
    pub list_reports: fn() -> AnyView,
    /// A report, and the case of it that the address names.
    pub show_report: fn(String, Memo<Option<String>>) -> AnyView,
    /// The live sessions.
    pub list_live: fn() -> AnyView,
    /// A live session, and the turn of it that the address names.
    pub show_live: fn(LiveId, Memo<Option<LiveTurnId>>) -> AnyView,
}

/// Why there is no scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "The rest of this page could not be fetched from the host. If the host runs, reload the page: \
     it may be another version by now"
)]
pub struct NotLoaded;

impl From<SplitLoaderError> for NotLoaded {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// Fetches the code of the scenes, once; afterwards the answer is there at once.
///
/// # Errors
///
/// [`NotLoaded`] when the host does not answer or serves another version. The next call tries anew.
pub async fn load() -> Result<Scenes, NotLoaded> {
    #[cfg(feature = "split")]
    let scenes = entrance().await;
    #[cfg(not(feature = "split"))]
    let scenes = entrance();
    scenes
}

/// Where the client is split: only what `main` reaches without this call stays in the first module.
#[cfg_attr(
    feature = "split",
    leptos::wasm_split::wasm_split(scene, wasm_split_path = ::leptos::wasm_split, fallible)
)]
fn entrance() -> Result<Scenes, NotLoaded> {
    #[cfg(any(not(feature = "ssr"), test))]
    let scenes = Ok(drawn::SCENES);
    // Effects load scenes, and the host runs none.
    #[cfg(all(feature = "ssr", not(test)))]
    let scenes = Err(NotLoaded);
    scenes
}
