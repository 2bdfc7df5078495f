//! The split points of the client: the browser loads each part on demand. A part contains the code
//! that only its views use. Code that several parts use becomes a chunk that each of them loads.
//!
//! With the feature `split`, the build of the site splits the client here; without it, the client
//! is one file. docs/design/client-size.md explains more.

use app::state::lazy_pages::{ListViews, Loaders, NotLoaded, RehearseViews, SessionViews};

/// Defines the function `$part`, which loads the part of that name and returns `$views` from it.
macro_rules! part {
    ($part:ident, $type:ty, $views:expr) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($part, wasm_split_path = ::leptos::wasm_split, fallible)]
        fn $part() -> Result<$type, NotLoaded> {
            Ok($views)
        }

        #[cfg(not(feature = "split"))]
        async fn $part() -> Result<$type, NotLoaded> {
            Ok($views)
        }
    };
}

part!(rehearse, RehearseViews, views::REHEARSE);
part!(session, SessionViews, views::SESSION);
part!(live, ListViews, views::LIVE);
part!(evalsets, ListViews, views::EVALSETS);
part!(runs, ListViews, views::RUNS);
part!(run, ListViews, views::RUN);
part!(reports, ListViews, views::REPORTS);

/// The loader of each part.
pub(crate) const LOADERS: Loaders = Loaders {
    rehearse: || Box::pin(rehearse()),
    session: || Box::pin(session()),
    live: || Box::pin(live()),
    evalsets: || Box::pin(evalsets()),
    runs: || Box::pin(runs()),
    run: || Box::pin(run()),
    reports: || Box::pin(reports()),
};
