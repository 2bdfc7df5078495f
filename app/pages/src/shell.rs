//! The document around the page, and the routes.

use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::{MetaTags, Stylesheet, Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::path;

use crate::bars::{LoggedOut, OtherVersion, TopBar};
use crate::command_palette::CommandPalette;
use crate::{
    AgentsPage, EvalSetPage, EvalSetsPage, LivePage, LiveSessionPage, NotFoundPage, RehearsePage,
    ReportPage, ReportsPage, RunsPage,
};
use app::state::base_path::{address, base_path};
use app::state::document_login::login_name;
use app::state::page::provide_page;

/// How the markup of views was compiled: with `--cfg erase_components`, elements end with a marker more. The host
/// writes it to `data-markup` of the document. A client that was compiled otherwise cannot take up its markup.
pub const MARKUP: &str = if cfg!(erase_components) { "erased" } else { "typed" };

/// The whole document, as the host sends it.
pub fn shell(options: LeptosOptions) -> AnyView {
    let base = base_path();
    view! {
        <!DOCTYPE html>
        <html
            lang="en"
            data-base=(!base.is_empty()).then_some(base)
            data-markup=MARKUP
            data-person=login_name()
        >
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" href=address("/favicon.svg") type="image/svg+xml"/>
                // Before the first paint, so that the chosen theme does not flash.
                <script src=address("/theme.js") nonce=use_nonce()></script>
                // Before the page's code, which takes what is typed meanwhile.
                <script src=address("/typed-ahead.js") nonce=use_nonce()></script>
                <AutoReload options=options.clone()/>
                <HydrationScripts options root=base_path()/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
    .into_any()
}

/// The page. In the browser, [`Loaders`](app::state::lazy_pages::Loaders) are in the context.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let live = provide_page().live;
    view! {
        <Stylesheet id="leptos" href=address("/pkg/rehearsal.css")/>
        <Title formatter=move |title: String| {
            let badge = live.badge().map_or_else(String::new, |count| format!("({count}) "));
            let title = if title.is_empty() { String::new() } else { format!("{title} · ") };
            format!("{badge}{title}Rehearsal")
        }/>
        <Router base=base_path()>
            <TopBar/>
            <div class="page">
                <Routes fallback=|| view! { <NotFoundPage/> }>
                    <Route path=path!("/") view=AgentsPage ssr=SsrMode::Async/>
                    <Route path=path!("/rehearse/:agent") view=RehearsePage ssr=SsrMode::Async/>
                    <Route path=path!("/live") view=LivePage ssr=SsrMode::Async/>
                    <Route path=path!("/live/:session/:turn?") view=LiveSessionPage ssr=SsrMode::Async/>
                    <Route path=path!("/evalsets") view=EvalSetsPage ssr=SsrMode::Async/>
                    <Route path=path!("/evalsets/:set/:case?") view=EvalSetPage ssr=SsrMode::Async/>
                    <Route path=path!("/runs") view=RunsPage ssr=SsrMode::Async/>
                    <Route path=path!("/runs/:run/:case?") view=RunsPage ssr=SsrMode::Async/>
                    <Route path=path!("/reports") view=ReportsPage ssr=SsrMode::Async/>
                    <Route path=path!("/reports/:report/:case?") view=ReportPage ssr=SsrMode::Async/>
                </Routes>
            </div>
            <CommandPalette/>
            <LoggedOut/>
            <OtherVersion/>
        </Router>
    }
    .into_any()
}
