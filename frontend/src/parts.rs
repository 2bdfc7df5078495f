//! Where the client is split: each part holds what only its views reach, and the browser fetches it
//! when they are wanted. What several parts need becomes a chunk that each of them loads.
//!
//! With the feature `split`, the build of the site takes the client apart here; without it, the
//! client is one piece with the same source. docs/design/client-size.md tells more.

use app::lazy_pages::{
    EvalSetViews, LiveViews, Loaders, NotLoaded, RehearseViews, ReportViews, SessionViews,
};

/// A function that answers with `$views` from the part `$part`.
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
part!(live, LiveViews, views::LIVE);
part!(evalsets, EvalSetViews, views::EVALSETS);
part!(reports, ReportViews, views::REPORTS);

/// Each part by the function that leads into it.
pub(crate) const LOADERS: Loaders = Loaders {
    rehearse: || Box::pin(rehearse()),
    session: || Box::pin(session()),
    live: || Box::pin(live()),
    evalsets: || Box::pin(evalsets()),
    reports: || Box::pin(reports()),
};
