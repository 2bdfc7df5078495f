//! Calls of the browser: clock, random ids, clipboard, storage, focus, scrolling and notifications.
//!
//! For effects and event handlers only, which never run on the host. If the browser refuses a call,
//! such as access to the clipboard or to a private window's storage, the return value shows it or
//! the call does nothing.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::Future;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use jiff::Timestamp;
use leptos::prelude::{
    StoredValue, WithValue as _, document, on_cleanup, window, window_event_listener_untyped,
};
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use session::{CallId, InvalidId, SessionId};
use value_tree::excerpt::beginning;
use web_sys::{
    Element, HtmlElement, HtmlTextAreaElement, MutationObserver, MutationObserverInit,
    Notification, NotificationOptions, NotificationPermission, ResizeObserver,
    ScrollIntoViewOptions, ScrollLogicalPosition,
};

use crate::state::base_path::address;

/// Now, to the millisecond.
#[must_use]
pub fn now() -> Timestamp {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds fit until the year 200000")]
    let milliseconds = js_sys::Date::now() as i64;
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Hours, minutes and seconds of `timestamp` on the reader's wall clock.
#[must_use]
pub fn wall_clock(timestamp: Timestamp) -> (u32, u32, u32) {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are exact in an f64")]
    let date = js_sys::Date::new(&(timestamp.as_millisecond() as f64).into());
    (date.get_hours(), date.get_minutes(), date.get_seconds())
}

/// A session id that no other page has.
#[must_use]
pub fn new_session_id() -> SessionId {
    new_id(SessionId::parse)
}

/// A call id that no other call has.
#[must_use]
pub fn new_call_id() -> CallId {
    new_id(CallId::parse)
}

/// A random UUID (version 4), in the usual spelling.
#[must_use]
pub fn new_uuid() -> String {
    let mut bytes = random_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = bytes.map(|byte| format!("{byte:02x}")).concat();
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    groups.join("-")
}

fn random_bytes() -> [u8; 16] {
    let mut bytes = [0_u8; 16];
    if let Ok(crypto) = window().crypto() {
        // Fails only above 64 KB.
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes
}

/// Hexadecimal digits are valid in every kind of id, so the loop runs once.
fn new_id<T>(parse: fn(&str) -> Result<T, InvalidId>) -> T {
    loop {
        let digits: String = random_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        if let Ok(id) = parse(&digits) {
            return id;
        }
    }
}

/// The length of text that is passed to the browser at once, in bytes.
const PART: usize = 2 * 1024 * 1024;

/// Copies `text`; false when the browser refuses. A long text is passed in parts, so that the page
/// does not freeze.
pub async fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    // Missing in a page loaded over plain HTTP from another machine.
    let is_missing = |it: &JsValue| it.is_undefined() || it.is_null();
    if js_sys::Reflect::get(&navigator, &"clipboard".into()).as_ref().map_or(true, is_missing) {
        return copied_from_area(text);
    }
    let clipboard = navigator.clipboard();
    if text.len() <= PART {
        return wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text)).await.is_ok();
    }
    let parts = js_sys::Array::new();
    let mut rest = text;
    while !rest.is_empty() {
        let part = beginning(rest, PART);
        parts.push(&part.into());
        rest = &rest[part.len()..];
        TimeoutFuture::new(0).await;
    }
    // Passes the JavaScript string itself: a Rust string would be converted again.
    let whole = parts.join("");
    let write = js_sys::Reflect::get(&clipboard, &"writeText".into());
    let write = write.ok().and_then(|write| write.dyn_into::<js_sys::Function>().ok());
    let writing = write.and_then(|write| write.call1(&clipboard, &whole).ok());
    match writing.and_then(|it| it.dyn_into::<js_sys::Promise>().ok()) {
        Some(writing) => wasm_bindgen_futures::JsFuture::from(writing).await.is_ok(),
        None => false,
    }
}

/// Copies from a temporary text area, by the browser's copy command.
fn copied_from_area(text: &str) -> bool {
    let document = document();
    let focused = document.active_element();
    let area = document.create_element("textarea").ok();
    let Some(area) = area.and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok()) else {
        return false;
    };
    area.set_value(text);
    let _ = area.set_attribute("class", "unseen");
    // Beside the focused element: an open dialog allows no focus outside of it.
    let beside = focused.as_ref().and_then(|it| it.parent_element());
    let beside = beside.or_else(|| document.body().map(Element::from));
    if beside.is_none_or(|beside| beside.append_child(&area).is_err()) {
        return false;
    }
    area.select();
    let command = js_sys::Reflect::get(&document, &"execCommand".into());
    let command = command.ok().and_then(|it| it.dyn_into::<js_sys::Function>().ok());
    let copied = command.and_then(|command| command.call1(&document, &"copy".into()).ok());
    area.remove();
    if let Some(focused) = focused {
        focus_element(&focused);
    }
    copied.is_some_and(|copied| copied.is_truthy())
}

/// `text` as a part of a URL.
#[must_use]
pub fn percent_encoded(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

/// The key in the storage, which hosts below other paths of this origin use, too.
fn own(key: &str) -> String {
    address(key)
}

/// The value stored under `key`.
#[must_use]
pub fn stored(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(&own(key)).ok().flatten()
}

/// The value that this tab stores under `key`. It survives a reload, and is deleted with the tab.
#[must_use]
pub fn tab_stored(key: &str) -> Option<String> {
    window().session_storage().ok().flatten()?.get_item(&own(key)).ok().flatten()
}

/// Stores `value` under `key` for this tab, or deletes the stored value. Returns whether the browser did: its storage
/// has a limit, about 5 MB.
pub fn tab_store(key: &str, value: Option<&str>) -> bool {
    let Ok(Some(storage)) = window().session_storage() else { return false };
    let done = match value {
        Some(value) => storage.set_item(&own(key), value),
        None => storage.remove_item(&own(key)),
    };
    done.is_ok()
}

/// The id of this tab, the same after a reload. Call it as soon as the page runs: a duplicate of
/// the tab made before the first call has the same id.
#[must_use]
pub fn tab_id() -> String {
    thread_local! {
        static ID: OnceCell<String> = const { OnceCell::new() };
    }
    ID.with(|id| id.get_or_init(begin_tab).clone())
}

/// A duplicate of a tab starts with a copy of its storage. So that it takes an id of its own, a tab
/// uses the stored id only if a page recorded that it was left or the browser loads the page again.
/// A page that crashed recorded nothing.
fn begin_tab() -> String {
    const ID: &str = "rehearsal.tab";
    const LEFT: &str = "rehearsal.tab.left";
    let own = tab_stored(ID).filter(|_| tab_stored(LEFT).is_some() || is_reloaded());
    tab_store(LEFT, None);
    let _ = window_event_listener_untyped("pagehide", |_| {
        tab_store(LEFT, Some("yes"));
    });
    // The browser may keep the page and restore it on Back.
    let _ = window_event_listener_untyped("pageshow", |_| {
        tab_store(LEFT, None);
    });
    own.unwrap_or_else(|| {
        let id = new_uuid();
        tab_store(ID, Some(&id));
        id
    })
}

/// Whether the person or the page loaded this page again. A duplicate of a tab is not such a load.
fn is_reloaded() -> bool {
    let entries = window().performance().map(|it| it.get_entries_by_type("navigation"));
    let kind = entries.and_then(|it| js_sys::Reflect::get(&it.get(0), &"type".into()).ok());
    kind.and_then(|it| it.as_string()).as_deref() == Some("reload")
}

/// The storage keys that begin with `prefix`.
#[must_use]
pub fn stored_keys(prefix: &str) -> Vec<String> {
    keys_in(window().local_storage().ok().flatten(), prefix)
}

/// The storage keys of this tab that begin with `prefix`.
#[must_use]
pub fn tab_stored_keys(prefix: &str) -> Vec<String> {
    keys_in(window().session_storage().ok().flatten(), prefix)
}

fn keys_in(storage: Option<web_sys::Storage>, prefix: &str) -> Vec<String> {
    let Some(storage) = storage else { return Vec::new() };
    let keys = (0..storage.length().unwrap_or_default()).filter_map(|at| storage.key(at).ok()?);
    let own = own("");
    let keys = keys.filter_map(|key| Some(key.strip_prefix(&own)?.to_owned()));
    keys.filter(|key| key.starts_with(prefix)).collect()
}

/// Stores `value` under `key`, or deletes the stored value.
pub fn store(key: &str, value: Option<&str>) {
    let Ok(Some(storage)) = window().local_storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(&own(key), value),
        None => storage.remove_item(&own(key)),
    };
}

/// Whether there is an element with this id.
#[must_use]
pub fn exists(id: &str) -> bool {
    document().get_element_by_id(id).is_some()
}

/// Moves the focus to the element with this id; false when there is none.
pub fn focus(id: &str) -> bool {
    let Some(element) = document().get_element_by_id(id) else { return false };
    focus_element(&element)
}

/// Moves the focus to the element with this id and scrolls to its top; false when there is none.
pub fn focus_from_its_top(id: &str) -> bool {
    let Some(element) = document().get_element_by_id(id) else { return false };
    let focused = focus_element(&element);
    element.scroll_into_view_with_bool(true);
    focused
}

/// Whether there is a field with this id and it is empty.
#[must_use]
pub fn is_empty_field(id: &str) -> bool {
    let Some(element) = document().get_element_by_id(id) else { return false };
    let input = element.dyn_ref::<web_sys::HtmlInputElement>().map(|input| input.value());
    let area = element.dyn_ref::<web_sys::HtmlTextAreaElement>().map(|area| area.value());
    input.or(area).is_some_and(|value| value.is_empty())
}

/// Restores the focus of the focused element after the next drawing if it loses it, as a moved
/// element does.
pub fn keep_focus() {
    let Some(focused) = document().active_element() else { return };
    after_drawing(move || {
        if nothing_is_focused() && focused.is_connected() {
            focus_element(&focused);
        }
    });
}

/// Moves the focus to the first element that matches `selector` in the element with this id, else to that element,
/// without scrolling.
pub fn focus_first_in_place(id: &str, selector: &str) {
    let Some(around) = document().get_element_by_id(id) else { return };
    let first = around.query_selector(selector).ok().flatten();
    focus_in_place(&first.unwrap_or(around));
}

/// Moves the focus to `element`, and leaves the page scrolled as it is.
fn focus_in_place(element: &Element) {
    let page = element.closest("main").ok().flatten();
    let scrolled = page.as_ref().map(Element::scroll_top);
    focus_element(element);
    if let (Some(page), Some(scrolled)) = (page, scrolled) {
        page.set_scroll_top(scrolled);
    }
}

/// Moves the focus to `element`.
pub fn focus_element(element: &Element) -> bool {
    element.dyn_ref::<HtmlElement>().is_some_and(|element| element.focus().is_ok())
}

/// A listener of the window in the capture phase, removed when it is dropped.
struct CaptureListener {
    event: &'static str,
    handler: Closure<dyn FnMut(web_sys::Event)>,
}

/// Calls `handler` for each `event` of the window, before the listeners of other code, until the
/// current owner is cleaned up.
pub fn listen_in_capture(event: &'static str, handler: impl FnMut(web_sys::Event) + 'static) {
    let handler = Closure::<dyn FnMut(web_sys::Event)>::new(handler);
    // Never fails: every event name is valid.
    let _ = window().add_event_listener_with_callback_and_bool(
        event,
        handler.as_ref().unchecked_ref(),
        true,
    );
    // The owner drops it.
    StoredValue::new_local(CaptureListener { event, handler });
}

impl Drop for CaptureListener {
    fn drop(&mut self) {
        let _ = window().remove_event_listener_with_callback_and_bool(
            self.event,
            self.handler.as_ref().unchecked_ref(),
            true,
        );
    }
}

/// The page's address.
#[must_use]
pub fn page_address() -> String {
    window().location().href().unwrap_or_default()
}

/// The origin of the page, such as `http://127.0.0.1:4180`.
#[must_use]
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// Shows `address` in the browser, as a new entry of its history.
pub fn set_address(address: &str) {
    if let Ok(history) = window().history() {
        // If the browser refuses, the address does not change.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// The id of the focused element, empty when it has none.
#[must_use]
pub fn focused_id() -> String {
    document().active_element().map(|element| element.id()).unwrap_or_default()
}

/// Whether the focus is in an element that matches `selector`.
#[must_use]
pub fn is_focus_within(selector: &str) -> bool {
    let focused = document().active_element();
    focused.is_some_and(|element| element.closest(selector).is_ok_and(|around| around.is_some()))
}

/// Selects the text of the focused text area; false when none has the focus.
pub fn select_focused() -> bool {
    let focused = document().active_element();
    let field = focused.and_then(|it| it.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
    field.inspect(web_sys::HtmlTextAreaElement::select).is_some()
}

thread_local! {
    /// The field that the person is typing in.
    static TYPED_IN: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Records which field the person types in, until the current owner is cleaned up.
pub fn follow_typing() {
    let stopped = |_: web_sys::Event| TYPED_IN.set(None);
    let typed = |event: web_sys::Event| {
        TYPED_IN.set(event.target().and_then(|target| target.dyn_into().ok()));
    };
    let pressed = |event: web_sys::Event| {
        let key = event.dyn_ref::<web_sys::KeyboardEvent>().map(web_sys::KeyboardEvent::key);
        // Ctrl+Enter sends, and what is typed next is text again.
        let sends = |event: &web_sys::KeyboardEvent| event.ctrl_key() || event.meta_key();
        let sends = event.dyn_ref().is_some_and(sends);
        if key.is_some_and(|key| match key.as_str() {
            "Tab" | "Escape" => true,
            "Enter" => !sends,
            _ => false,
        }) {
            TYPED_IN.set(None);
        }
    };
    listen_in_capture("input", typed);
    listen_in_capture("keydown", pressed);
    listen_in_capture("pointerdown", stopped);
    listen_in_capture("focusin", move |event| {
        // A landing has the focus because the field was removed.
        if !nothing_is_focused() {
            stopped(event);
        }
    });
}

/// Whether the person's last action was typing.
#[must_use]
pub fn is_amid_text() -> bool {
    TYPED_IN.with_borrow(Option::is_some)
}

/// Whether keys are text rather than shortcuts: a field has the focus, or the field that the person
/// was typing in was removed from the page.
#[must_use]
pub fn is_typing() -> bool {
    let active = document().active_element();
    let is_field = |element: &Element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || element.has_attribute("contenteditable")
    };
    let has_lost = |field: &Option<Element>| field.as_ref().is_some_and(|it| !it.is_connected());
    active.as_ref().is_some_and(is_field) || nothing_is_focused() && TYPED_IN.with_borrow(has_lost)
}

/// Whether the focused field holds text, so that the browser undoes typing in it.
#[must_use]
pub fn is_in_text() -> bool {
    document().active_element().is_some_and(|element| {
        let input = element.dyn_ref::<web_sys::HtmlInputElement>();
        let is_pressed = |input: &web_sys::HtmlInputElement| {
            matches!(input.type_().as_str(), "radio" | "checkbox" | "range" | "file" | "button")
        };
        element.tag_name() == "TEXTAREA" || input.is_some_and(|input| !is_pressed(input))
    })
}

/// Types `text` at the end of the focused text field.
pub fn type_into_focused(text: &str) {
    let Some(field) = document().active_element() else { return };
    if let Some(area) = field.dyn_ref::<web_sys::HtmlTextAreaElement>() {
        area.set_value(&format!("{}{text}", area.value()));
    } else if let Some(input) =
        field.dyn_ref::<web_sys::HtmlInputElement>().filter(|_| is_in_text())
    {
        input.set_value(&format!("{}{text}", input.value()));
    }
    let options = web_sys::EventInit::new();
    options.set_bubbles(true);
    if let Ok(typed) = web_sys::Event::new_with_event_init_dict("input", &options) {
        // Returns whether a listener prevented it.
        let _ = field.dispatch_event(&typed);
    }
}

/// The parts of the page that have the focus while no field and no button has it, so that the focus
/// never falls to the body: the columns, and the page's main part.
const LANDINGS: &str = ".columns > section, main";

/// Moves the focus from the focused field to the column around it.
pub fn leave_field() -> bool {
    document().active_element().is_some_and(|field| land(&field) || blur(&field))
}

fn blur(element: &Element) -> bool {
    element.dyn_ref::<HtmlElement>().is_some_and(|element| element.blur().is_ok())
}

/// Moves the focus to the landing around `element`, else to the page's main part.
fn land(element: &Element) -> bool {
    let around = element.closest(LANDINGS).ok().flatten();
    let landing = around.or_else(|| document().query_selector("main").ok().flatten());
    landing.is_some_and(|landing| focus_element(&landing))
}

/// Moves the focus to the landing around the focused element when that is removed, until the current
/// owner is cleaned up.
pub fn catch_focus() {
    let around: Rc<RefCell<Vec<Element>>> = Rc::default();
    let kept = around.clone();
    listen_in_capture("focusin", move |event| {
        let focused = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        *kept.borrow_mut() =
            std::iter::successors(focused, |element| element.parent_element()).collect();
    });
    let removed = Closure::<dyn FnMut()>::new(move || {
        let is_lost = document().active_element().is_none_or(|it| it.tag_name() == "BODY");
        // A press beside every field moves the focus to the body too, and the field stays.
        let kept = {
            let around = around.borrow();
            let is_removed = around.first().is_some_and(|focused| !focused.is_connected());
            let kept = around.iter().find(|element| element.is_connected());
            kept.filter(|_| is_lost && is_removed).cloned()
        };
        if let Some(kept) = kept {
            land(&kept);
        }
    });
    let Ok(observer) = MutationObserver::new(removed.as_ref().unchecked_ref()) else { return };
    let options = MutationObserverInit::new();
    options.set_child_list(true);
    options.set_subtree(true);
    // Fails only without a body.
    let _ = document().body().map(|body| observer.observe_with_options(&body, &options));
    let held = StoredValue::new_local((observer, removed));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| observer.disconnect());
    });
}

/// Presses the button with this id; false when there is none.
pub fn press(id: &str) -> bool {
    let button = document().get_element_by_id(id).and_then(|it| it.dyn_into::<HtmlElement>().ok());
    if let Some(button) = &button {
        button.click();
    }
    button.is_some()
}

/// Scrolls the content of the element with this id to its top.
pub fn scroll_to_top(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.set_scroll_top(0);
    }
}

/// Scrolls the element with this id into sight, as little as it takes.
pub fn reveal(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        reveal_element(&element);
    }
}

/// Scrolls `element` into sight, as little as it takes.
pub fn reveal_element(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Scrolls the first `<mark>` in the element with this id, or in the block row after it, into
/// sight.
pub fn reveal_mark(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    let mark = |element: &Element| element.query_selector("mark").ok().flatten();
    let found = mark(&element).or_else(|| {
        element
            .next_element_sibling()
            .filter(|it| it.class_list().contains("block-row"))
            .and_then(|it| mark(&it))
    });
    if let Some(found) = found {
        reveal_element(&found);
    }
}

/// Follows the link in the element with this id; false when there is none.
pub fn follow_link(id: &str) -> bool {
    let link = document()
        .get_element_by_id(id)
        .and_then(|element| element.query_selector("a[href]").ok().flatten())
        .and_then(|link| link.dyn_into::<HtmlElement>().ok());
    if let Some(link) = &link {
        link.click();
    }
    link.is_some()
}

/// Waits until pending effects have run, before the browser handles another event.
pub async fn next_microtask() {
    let due = js_sys::Promise::resolve(&JsValue::UNDEFINED);
    // Never rejected.
    let _ = wasm_bindgen_futures::JsFuture::from(due).await;
}

thread_local! {
    /// Settles with the stylesheet of the views.
    static VIEWS_STYLED: RefCell<Option<js_sys::Promise>> = const { RefCell::new(None) };
}

/// Begins to load the stylesheet of what is drawn on demand, unless the page has it, and returns
/// whether it arrived.
pub fn style_views() -> impl Future<Output = bool> {
    let styled = VIEWS_STYLED.with_borrow_mut(|it| it.get_or_insert_with(stylesheet).clone());
    async move {
        let arrived = wasm_bindgen_futures::JsFuture::from(styled).await.is_ok();
        if !arrived {
            VIEWS_STYLED.take();
        }
        arrived
    }
}

/// Adds the stylesheet of the views to the document.
fn stylesheet() -> js_sys::Promise {
    js_sys::Promise::new(&mut |loaded, failed| {
        let head = document().query_selector("head").ok().flatten();
        let link = document().create_element("link");
        let link = link.ok().and_then(|link| link.dyn_into::<HtmlElement>().ok());
        let (Some(head), Some(link)) = (head, link) else {
            // Calling a function of the browser's own does not fail.
            let _ = failed.call0(&JsValue::UNDEFINED);
            return;
        };
        link.set_onload(Some(&loaded));
        link.set_onerror(Some(&failed));
        // Only an invalid attribute name fails.
        let _ = link.set_attribute("rel", "stylesheet");
        let _ = link.set_attribute("href", &address("/pkg/views.css"));
        let _ = head.append_child(&link);
    })
}

/// Runs `then` in the next animation frame, after pending changes have been drawn.
pub fn after_drawing<T>(then: impl FnOnce() -> T + 'static) {
    leptos::prelude::request_animation_frame(move || {
        then();
    });
}

/// `text` encoded as one segment of a path.
#[must_use]
pub fn in_address(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

thread_local! {
    /// Whether the page is being loaded again.
    static RELOADS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the page is being loaded again by its own button or by a key. A browser does not say whether its own
/// button loads a page again or closes it.
#[must_use]
pub fn is_reloading() -> bool {
    RELOADS.get()
}

/// Notices the keys that load the page again, until the current owner is cleaned up.
pub fn watch_reload_keys() {
    listen_in_capture("keydown", |event| {
        let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
        let is_r = event.key().eq_ignore_ascii_case("r");
        // Another key means that the page stayed.
        RELOADS.set(event.key() == "F5" || is_r && (event.ctrl_key() || event.meta_key()));
    });
    listen_in_capture("pointerdown", |_| RELOADS.set(false));
}

/// Loads the page again.
pub fn reload() {
    RELOADS.set(true);
    // Where it is refused, the person can still do it.
    let _ = window().location().reload();
}

/// The WebSocket address of `path` on the host.
#[must_use]
pub fn socket_address(path: &str) -> String {
    let location = window().location();
    let scheme =
        if location.protocol().is_ok_and(|protocol| protocol == "https:") { "wss" } else { "ws" };
    format!("{scheme}://{}{}", location.host().unwrap_or_default(), address(path))
}

/// The HTTP status of a request for `path` of the host; `None` without a response.
pub async fn status_of(path: &str) -> Option<u16> {
    let answered =
        wasm_bindgen_futures::JsFuture::from(window().fetch_with_str(&address(path))).await;
    Some(answered.ok()?.dyn_into::<web_sys::Response>().ok()?.status())
}

/// The host did not respond: the browser's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoResponse(pub String);

/// The HTTP status and the body of a request for `path` of the host.
///
/// # Errors
/// [`NoResponse`]
pub async fn fetched(path: &str) -> Result<(u16, Vec<u8>), NoResponse> {
    let message_of = |error: JsValue| {
        let message = js_sys::Reflect::get(&error, &"message".into()).ok();
        NoResponse(message.and_then(|it| it.as_string()).unwrap_or_else(|| "no reason".to_owned()))
    };
    let answered =
        wasm_bindgen_futures::JsFuture::from(window().fetch_with_str(&address(path))).await;
    let response: web_sys::Response = answered.and_then(|it| it.dyn_into()).map_err(message_of)?;
    let body = response.array_buffer().map_err(message_of)?;
    let body = wasm_bindgen_futures::JsFuture::from(body).await.map_err(message_of)?;
    Ok((response.status(), js_sys::Uint8Array::new(&body).to_vec()))
}

/// Moves the focus to the first field or button inside the element with this id.
pub fn focus_first_in(id: &str) -> bool {
    const FOCUSABLE: &str = "input:not([disabled]), textarea:not([disabled]), \
                             select:not([disabled]), button:not([disabled])";
    focus_first(id, FOCUSABLE)
}

/// Moves the focus to the first element that matches `selector` inside the element with this id.
pub fn focus_first(id: &str, selector: &str) -> bool {
    document()
        .get_element_by_id(id)
        .and_then(|element| element.query_selector(selector).ok().flatten())
        .is_some_and(|element| focus_element(&element))
}

/// The choice of a value's kind, where the value follows: what is typed is for the value, and would choose another
/// kind here.
const CHOSEN_KIND: &str = "select.has-value";

/// Moves the focus into the form with this id: to its first field or the button that adds an item
/// to its first list; else to the element itself if it is a field; else to the submit button; else
/// to the first button. The chosen kind of a value, and the names in it, come after the value.
pub fn focus_form(id: &str) -> bool {
    const FIELDS: &str = "input, textarea, select, button.add:not([disabled], .aside)";
    const TYPED: &str = "input:not([type=radio], .entry-name), textarea";
    let first = document().get_element_by_id(id).and_then(|it| it.query_selector(FIELDS).ok()?);
    (first.is_some_and(|it| it.matches(CHOSEN_KIND).unwrap_or_default()) && focus_first(id, TYPED))
        || focus_first(id, FIELDS)
        || (focus(id) && focused_id() == id)
        || focus_submit(id)
        || focus_first_in(id)
}

/// Moves the focus on from the chosen kind of a value, whose fields may be drawn later.
pub fn focus_past_kind(id: &str) -> bool {
    let focused = document().active_element();
    focused.is_some_and(|it| it.matches(CHOSEN_KIND).unwrap_or_default()) && focus_form(id)
}

/// Moves the focus to the submit button of the form around the element with this id.
fn focus_submit(id: &str) -> bool {
    document()
        .get_element_by_id(id)
        .and_then(|element| element.closest("form").ok().flatten())
        .and_then(|form| form.query_selector("button[type=submit]").ok().flatten())
        .is_some_and(|button| focus_element(&button))
}

/// Moves the focus by `by` elements among those inside `within` that match `selector`; false at the
/// ends, or when none of them has the focus.
pub fn focus_beside(within: &Element, selector: &str, by: i32) -> bool {
    let Ok(nodes) = within.query_selector_all(selector) else { return false };
    let focused = document().active_element();
    let elements: Vec<Element> =
        (0..nodes.length()).filter_map(|at| nodes.item(at)?.dyn_into().ok()).collect();
    let Some(at) = elements.iter().position(|element| Some(element) == focused.as_ref()) else {
        return false;
    };
    let beside = i32::try_from(at).ok().and_then(|at| usize::try_from(at + by).ok());
    beside.and_then(|beside| elements.get(beside)).is_some_and(focus_element)
}

/// Whether text is selected on the page.
#[must_use]
pub fn has_selection() -> bool {
    window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}

/// Calls `changed` with the height of `element` in pixels, now and after each change, until the
/// current owner is cleaned up.
pub fn watch_height(element: &Element, changed: impl Fn(f64) + 'static) {
    let watched = element.clone();
    let changed = Closure::<dyn FnMut()>::new(move || {
        changed(watched.get_bounding_client_rect().height());
    });
    let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let held = StoredValue::new_local((observer, changed));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| observer.disconnect());
    });
}

/// The heights of the first `count` elements inside `element`, in pixels.
#[must_use]
pub fn heights_within(element: &Element, count: usize) -> Vec<f64> {
    let Ok(inside) = element.query_selector_all(":scope > *") else { return Vec::new() };
    let elements = (0..inside.length()).take(count);
    let elements = elements.filter_map(|at| inside.item(at)?.dyn_into::<Element>().ok());
    elements.map(|element| element.get_bounding_client_rect().height()).collect()
}

/// Whether a dialog is open.
#[must_use]
pub fn has_dialog() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// Returns a function that returns whether the focus is still on the same element, or on none
/// because that element was removed.
pub fn focus_watch() -> impl Fn() -> bool {
    let was = document().active_element();
    move || nothing_is_focused() || document().active_element() == was
}

/// Whether no element has the focus except the body or a landing.
#[must_use]
pub fn nothing_is_focused() -> bool {
    document().active_element().is_none_or(|element| {
        element.tag_name() == "BODY" || element.matches(LANDINGS).unwrap_or_default()
    })
}

/// Whether the browser allows this page to show notifications.
#[must_use]
pub fn may_notify() -> bool {
    has_notifications() && Notification::permission() == NotificationPermission::Granted
}

/// Asks the person to allow notifications. For a button's event handler.
pub async fn ask_to_notify() -> bool {
    if !has_notifications() {
        return false;
    }
    match Notification::request_permission() {
        Ok(asked) => {
            let _ = wasm_bindgen_futures::JsFuture::from(asked).await;
            may_notify()
        }
        Err(_) => false,
    }
}

/// Browsers without notifications have no `Notification` object.
fn has_notifications() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or_default()
}

/// Shows a notification that opens `address` when it is pressed. It replaces an earlier one for the
/// same address.
pub fn notify(title: &str, body: &str, address: &str) {
    let options = NotificationOptions::new();
    options.set_body(body);
    options.set_tag(address);
    let Ok(notification) = Notification::new_with_options(title, &options) else { return };
    let address = address.to_owned();
    let pressed = Closure::<dyn FnMut()>::new(move || {
        // The browser may refuse either.
        let _ = window().focus();
        let _ = window().location().set_href(&address);
    });
    notification.set_onclick(Some(pressed.as_ref().unchecked_ref()));
    // It must live as long as the notification, and no event reports when that is gone.
    pressed.forget();
}

/// Whether the page is hidden or another window has the focus.
#[must_use]
pub fn is_out_of_sight() -> bool {
    document().hidden() || !document().has_focus().unwrap_or(true)
}
