//! The WebAssembly entry point: hydrates what the host painted, or mounts the page under Trunk.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page's start script.
#[cfg(feature = "hydrate")]
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}

/// Called by Trunk's start script.
#[cfg(all(feature = "csr", not(feature = "hydrate")))]
#[wasm_bindgen(start)]
pub fn mount() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
}
