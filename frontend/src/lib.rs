//! The WebAssembly entry point: hydrates the page that the host rendered, or mounts it under Trunk.

mod parts;

use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;

use pages::App;
use parts::LOADERS;

/// Called by the page's start script.
#[cfg(feature = "hydrate")]
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    app::state::base_path::adopt_base_path();
    if host_has_this_markup() {
        leptos::mount::hydrate_body(page);
    } else {
        draw_in_place();
    }
    // Effects are tasks too, and run in the order in which they were spawned.
    leptos::task::spawn_local(async { mark_hydrated() });
}

/// Whether the host writes markup as this client reads it. The host may be a program of somebody's own, which was
/// compiled without the flags of the client.
#[cfg(feature = "hydrate")]
fn host_has_this_markup() -> bool {
    let root = document().document_element();
    root.and_then(|root| root.get_attribute("data-markup")).as_deref() == Some(pages::MARKUP)
}

/// Draws the page in place of what the host drew.
#[cfg(feature = "hydrate")]
fn draw_in_place() {
    if let Some(body) = document().body() {
        body.set_inner_html("");
    }
    leptos::mount::mount_to_body(page);
}

/// Sets `data-hydrated` on `<html>`: the page's event handlers and first effects are in place. The
/// browser stories wait for it.
#[cfg(feature = "hydrate")]
fn mark_hydrated() {
    if let Some(root) = document().document_element() {
        // Only an invalid attribute name fails.
        let _ = root.set_attribute("data-hydrated", "");
    }
}

/// Called by Trunk's start script.
#[cfg(all(feature = "csr", not(feature = "hydrate")))]
#[wasm_bindgen(start)]
pub fn mount() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(page);
}

fn page() -> impl IntoView {
    provide_context(LOADERS);
    view! { <App/> }
}
