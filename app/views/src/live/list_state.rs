//! [`Listed`]: the sessions as they were fetched, and the rows of the list. A row keeps its place until
//! the person chooses another filter or asks for the new ones, so that no row moves under the pointer.

use std::collections::HashSet;

use api::{ApiError, LiveId, LiveSummary};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::live::state::list::{Person, Show};
use crate::live::state::window::{OpenRows, Window};
use api::host::list_live_sessions;
use app::state::Link;
use app::state::browser;
use app::state::in_address::{InAddress, use_in_address};
use app::state::live::Live;
use app::state::times::counted;
use app::state::use_page;

/// How many rows the page keys move by.
const PAGE: usize = 15;
/// The assumed height of the list until it is measured, in pixels.
const VIEW: f64 = 600.0;
/// The height of the table's head, in pixels, as the stylesheet has it.
const HEAD: f64 = 30.0;

/// The list and its state, as small as its handles.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    live: Live,
    /// The text of the search.
    pub(super) searched: RwSignal<String>,
    in_address: InAddress,
    /// Which sessions are shown.
    pub(super) show: Memo<Show>,
    /// Every session that matches the search; `None` until they are fetched.
    pub(super) all: RwSignal<Option<Vec<LiveId>>>,
    /// The sessions of the rows.
    pub(super) rows: RwSignal<Vec<LiveId>>,
    /// The sessions to show that have no row yet.
    pub(super) unseen: RwSignal<Vec<LiveId>>,
    /// Why they cannot be fetched.
    pub(super) fault: RwSignal<Option<ApiError>>,
    /// The row that the arrow keys are at.
    pub(super) current: RwSignal<usize>,
    /// What is new, for screen readers.
    pub(super) announcement: RwSignal<String>,
    /// The element that scrolls.
    pub(super) frame: RwSignal<Option<web_sys::HtmlDivElement>, LocalStorage>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    /// The rows to draw.
    pub(super) window: Memo<Window>,
}

/// The list, which is fetched now, at each search, and after the page has missed changes.
pub(super) fn use_listed() -> Listed {
    let page = use_page();
    let in_address = use_in_address("show");
    let (rows, scrolled, height) =
        (RwSignal::new(Vec::<LiveId>::new()), RwSignal::new(0.0), RwSignal::new(VIEW));
    let listed = Listed {
        live: page.live,
        searched: RwSignal::new(String::new()),
        in_address,
        show: Memo::new(move |_| Show::of_name(in_address.get().as_deref())),
        all: RwSignal::new(None),
        rows,
        unseen: RwSignal::new(Vec::new()),
        fault: RwSignal::new(None),
        current: RwSignal::new(0),
        announcement: RwSignal::new(String::new()),
        frame: RwSignal::new_local(None),
        scrolled,
        height,
        window: Memo::new(move |_| {
            let count = rows.read().len() as u64;
            OpenRows::default().window(count, scrolled.get(), height.get())
        }),
    };
    let is_there = Memo::new(move |_| page.connection.link.get() == Link::Connected);
    // Requests the list from the host.
    Effect::new(move |before: Option<String>| {
        let search = listed.searched.get();
        listed.live.behind.track();
        is_there.get();
        listed.fetch(before.as_ref() != Some(&search));
        search
    });
    // Another filter begins with its own order.
    Effect::new(move |_| {
        listed.show.track();
        if listed.all.read_untracked().is_some() {
            listed.sort();
        }
    });
    // Adds to the fetched list, which a changed session alone does not determine.
    Effect::new(move |_| {
        let changed = listed.live.changed.get();
        if !changed.is_empty() {
            listed.live.changed.update_untracked(Vec::clear);
            listed.add(&changed);
        }
    });
    listed
}

/// The id of a row's link in the document.
pub(super) fn row_id(row: usize) -> String {
    format!("live-row-{row}")
}

impl Listed {
    /// Fetches every session that matches the search. With `sort_all` they are sorted, else the new
    /// ones are added, and the deleted ones removed.
    fn fetch(self, sort_all: bool) {
        let search = self.searched.get_untracked();
        let was_listed: Vec<LiveId> =
            self.all.with_untracked(|all| all.iter().flatten().cloned().collect());
        spawn_local(async move {
            let (mut ids, mut before) = (Vec::new(), None);
            loop {
                let page = list_live_sessions(search.clone(), before).await;
                // The person may have searched for something else, or be on another page.
                if self.searched.try_get_untracked().as_ref() != Some(&search) {
                    return;
                }
                match page {
                    Ok(page) => {
                        ids.extend(page.sessions.iter().map(|it| it.id.clone()));
                        before = page.next;
                        self.live.learn_all(page.sessions);
                    }
                    Err(error) => return drop(self.fault.try_set(Some(error))),
                }
                if before.is_none() {
                    break;
                }
            }
            self.fault.set(None);
            let is_first = self.all.read_untracked().is_none();
            self.all.set(Some(ids.clone()));
            if sort_all || is_first {
                self.sort();
            } else {
                self.remove_missing(was_listed, &ids);
                self.add(&ids);
            }
        });
    }

    /// Removes the rows of sessions that were listed before and are not in `ids`: they are deleted.
    fn remove_missing(self, was_listed: Vec<LiveId>, ids: &[LiveId]) {
        let listed: HashSet<&LiveId> = ids.iter().collect();
        let gone: HashSet<LiveId> =
            was_listed.into_iter().filter(|id| !listed.contains(id)).collect();
        if !gone.is_empty() {
            self.rows.update(|rows| rows.retain(|id| !gone.contains(id)));
            self.unseen.update(|unseen| unseen.retain(|id| !gone.contains(id)));
            let last = self.rows.read_untracked().len().saturating_sub(1);
            self.current.update(|current| *current = (*current).min(last));
        }
    }

    /// The fetched sessions. Tracked.
    fn summaries(self) -> Vec<LiveSummary> {
        self.all.with(|all| {
            let all = all.iter().flatten();
            self.live.with(|known| all.filter_map(|id| known.get(id).cloned()).collect())
        })
    }

    fn person(self) -> Person {
        let name = self.live.name.get_untracked();
        let drafts = self.live.drafts.kept().into_iter();
        let own = drafts.filter(|draft| draft.may_be_of(name.as_deref()));
        Person { drafted: own.map(|draft| draft.session).collect(), name }
    }

    /// How many sessions a filter shows. Tracked.
    pub(super) fn count(self, show: Show) -> usize {
        let me = self.person();
        self.all.with(|all| {
            let all = all.iter().flatten();
            self.live.with(|known| {
                all.filter_map(|id| known.get(id)).filter(|it| show.fits(it, &me)).count()
            })
        })
    }

    /// Shows other sessions.
    pub(super) fn choose(self, show: Show) {
        self.in_address.set((show != Show::Waiting).then(|| show.name().to_owned()));
    }

    /// Sorts the rows, the new ones among them.
    pub(super) fn sort(self) {
        let (show, me) = (self.show.get_untracked(), self.person());
        let mut shown = untrack(|| self.summaries());
        shown.retain(|session| show.fits(session, &me));
        show.sort(&mut shown);
        self.unseen.set(Vec::new());
        self.rows.set(shown.into_iter().map(|session| session.id).collect());
        self.current.set(0);
        if let Some(frame) = self.frame.get_untracked() {
            frame.set_scroll_top(0);
        }
        browser::after_drawing(move || self.measure());
    }

    /// Adds changed sessions: to the end of those that wait, else to the new ones.
    fn add(self, changed: &[LiveId]) {
        if self.all.read_untracked().is_none() {
            return;
        }
        let is_searched = !self.searched.read_untracked().trim().is_empty();
        let known: HashSet<LiveId> =
            self.all.with_untracked(|all| all.iter().flatten().cloned().collect());
        let fresh = |id: &&LiveId| !known.contains(*id);
        let fresh: Vec<LiveId> =
            changed.iter().filter(|_| !is_searched).filter(fresh).cloned().collect();
        if !fresh.is_empty() {
            self.all.update(|all| {
                all.get_or_insert_default().splice(0..0, fresh.clone()).for_each(drop);
            });
        }
        let (show, me) = (self.show.get_untracked(), self.person());
        let has_row: HashSet<LiveId> = {
            let (rows, unseen) = (self.rows.read_untracked(), self.unseen.read_untracked());
            rows.iter().chain(unseen.iter()).cloned().collect()
        };
        let mut new: Vec<LiveSummary> = changed
            .iter()
            .filter(|id| !has_row.contains(*id) && (known.contains(*id) || fresh.contains(*id)))
            .filter_map(|id| untrack(|| self.live.of(id)))
            .filter(|session| show.fits(session, &me))
            .collect();
        if new.is_empty() {
            return;
        }
        show.sort(&mut new);
        let what = counted(new.len(), "new session", "new sessions");
        let new = new.into_iter().map(|session| session.id);
        if show == Show::Waiting || self.rows.read_untracked().is_empty() {
            self.rows.update(|rows| rows.extend(new));
        } else {
            self.unseen.update(|unseen| unseen.extend(new));
        }
        self.announcement.set(what);
    }

    /// Takes over how far the list is scrolled and how high it is.
    pub(super) fn measure(self) {
        if let Some(frame) = self.frame.try_get_untracked().flatten() {
            let (top, seen) = (f64::from(frame.scroll_top()), f64::from(frame.client_height()));
            self.scrolled.set(top);
            self.height.set(if seen > 0.0 { seen } else { VIEW });
        }
    }

    /// Moves from row to row by the keyboard; false for other keys.
    pub(super) fn press(self, event: &ev::KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if browser::is_typing() {
            return event.key() == "Escape" && browser::leave_field();
        }
        let last = self.rows.read_untracked().len().saturating_sub(1);
        let here = self.current.get_untracked();
        // The first press goes to the row, the next ones from it.
        let is_here = browser::focused_id() == row_id(here);
        let to = match event.key().as_str() {
            "ArrowDown" | "j" | "ArrowUp" | "k" if !is_here => here,
            "ArrowDown" | "j" => here + 1,
            "ArrowUp" | "k" => here.saturating_sub(1),
            "PageDown" => here + PAGE,
            "PageUp" => here.saturating_sub(PAGE),
            "Home" => 0,
            "End" => last,
            _ => return false,
        };
        self.go_to(to.min(last));
        true
    }

    /// Moves the focus from the search to the row that the arrow keys are at.
    pub(super) fn enter(self) {
        let last = self.rows.read_untracked().len().saturating_sub(1);
        self.go_to(self.current.get_untracked().min(last));
    }

    fn go_to(self, row: usize) {
        self.current.set(row);
        if let Some(frame) = self.frame.get_untracked() {
            let rows = OpenRows::default();
            let (top, bottom) = (rows.top(row as u64 + 1), rows.top(row as u64 + 2));
            let (from, seen) = (f64::from(frame.scroll_top()), f64::from(frame.client_height()));
            if top < from {
                frame.set_scroll_top(pixels(top));
            } else if bottom + HEAD > from + seen {
                frame.set_scroll_top(pixels(bottom + HEAD - seen));
            }
            self.measure();
        }
        // Immediately where the row is drawn, so that the next key press reaches it.
        if !browser::focus(&row_id(row)) {
            browser::after_drawing(move || browser::focus(&row_id(row)));
        }
    }
}

/// Places on a screen are far from the ends of an `i32`.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
fn pixels(place: f64) -> i32 {
    place as i32
}
