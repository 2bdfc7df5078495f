//! The command palette: its commands, and the search among their names.

use leptos::prelude::*;

/// One command.
#[derive(Clone)]
pub struct Command {
    /// Its group, such as `Agent`, `Tool` or `Actions`.
    pub group: &'static str,
    /// Its name.
    pub name: String,
    /// The note beside the name.
    pub note: String,
    /// Its keyboard shortcut, if it has one.
    pub keys: Option<&'static str>,
    /// Runs it.
    pub run: Callback<()>,
}

/// The palette as the page shares it.
#[derive(Clone, Copy)]
pub struct Palette {
    /// Whether it is open.
    pub open: RwSignal<bool>,
    /// Whether the list of shortcuts is open.
    pub shows_shortcuts: RwSignal<bool>,
    /// The commands of the shown page.
    offered: RwSignal<Option<Callback<(), Vec<Command>>>>,
}

/// A closed palette.
#[must_use]
pub fn use_palette() -> Palette {
    Palette {
        open: RwSignal::new(false),
        shows_shortcuts: RwSignal::new(false),
        offered: RwSignal::new(None),
    }
}

impl Palette {
    /// The commands of the shown page. Tracked.
    #[must_use]
    pub fn offered(self) -> Vec<Command> {
        self.offered.get().and_then(|commands| commands.try_run(())).unwrap_or_default()
    }

    /// Offers `commands` in place of those before. A callback is gone once its owner is cleaned up,
    /// and its commands with it.
    pub fn offer(self, commands: Callback<(), Vec<Command>>) {
        self.offered.set(Some(commands));
    }
}

/// How well `typed` matches `name`: higher is better, `None` when its letters do not occur in
/// order.
///
/// A letter counts more at the start of a word and after the letter before it. A shorter name
/// scores higher than a longer one.
#[must_use]
pub fn score(typed: &str, name: &str) -> Option<i32> {
    let typed: Vec<char> =
        typed.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    // Jumping to the starts of words can pass over letters that are still needed.
    let total = walk(&typed, &name, true).or_else(|| walk(&typed, &name, false))?;
    Some(total * 100 - i32::try_from(name.len()).unwrap_or(i32::MAX).min(99))
}

fn walk(typed: &[char], name: &[char], by_words: bool) -> Option<i32> {
    let is_start = |at: usize| at == 0 || !name[at - 1].is_alphanumeric();
    let mut total = 0;
    let mut from = 0;
    for letter in typed {
        let find = |starts: bool| {
            (from..name.len()).find(|at| name[*at] == *letter && (!starts || is_start(*at)))
        };
        let follows = from > 0 && name.get(from) == Some(letter);
        let at = if follows {
            from
        } else {
            by_words.then(|| find(true)).flatten().or_else(|| find(false))?
        };
        total += match (follows, is_start(at)) {
            (true, _) => 6,
            (false, true) => 8,
            (false, false) => 1,
        };
        from = at + 1;
    }
    Some(total)
}

/// The indices of the `names` that `typed` matches, best first; all in order when nothing is typed.
/// `preferred` comes before names whose letters match as well.
#[must_use]
pub fn ranked(typed: &str, names: &[String], preferred: Option<usize>) -> Vec<usize> {
    let longer = |place: usize, score: i32| match preferred == Some(place) {
        // A shorter name is not better than the preferred one.
        true => score.div_euclid(100).saturating_add(1).saturating_mul(100),
        false => score,
    };
    let mut scored: Vec<(i32, usize)> = names
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((longer(place, score(typed, name)?), place)))
        .collect();
    if !typed.trim().is_empty() {
        scored.sort_by_key(|(score, place)| (std::cmp::Reverse(*score), *place));
    }
    scored.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, expected: &[&str]) {
        let names: Vec<String> =
            ["set_temperature", "Start over", "Export", "read_sensors", "Expand all rows"]
                .map(str::to_owned)
                .into();
        let found: Vec<_> =
            ranked(typed, &names, None).into_iter().map(|at| names[at].as_str()).collect();
        assert_eq!(found, expected, "{typed}");
    }

    #[test]
    fn commands_are_offered_until_their_page_is_gone() {
        let owner = Owner::new();
        owner.set();
        let palette = use_palette();
        let page_with = |name: &'static str| {
            let page = owner.child();
            let command = move || Command {
                group: "Actions",
                name: name.to_owned(),
                note: String::new(),
                keys: None,
                run: Callback::new(|()| ()),
            };
            page.with(|| palette.offer(Callback::new(move |()| vec![command()])));
            page
        };
        let names =
            || untrack(|| palette.offered()).into_iter().map(|it| it.name).collect::<Vec<_>>();
        let first = page_with("Export");
        assert_eq!(names(), ["Export"]);
        let second = page_with("Send");
        assert_eq!(names(), ["Send"]);
        first.cleanup();
        assert_eq!(names(), ["Send"]);
        second.cleanup();
        assert_eq!(names(), [""; 0]);
    }

    #[test]
    fn the_preferred_name_comes_before_those_that_match_as_well() {
        let names = ["Reload Poet", "Reload Travel desk", "Read"].map(str::to_owned);
        assert_eq!(ranked("reload", &names, None), [0, 1]);
        assert_eq!(ranked("reload", &names, Some(1)), [1, 0]);
        assert_eq!(ranked("rel", &names, Some(1)), [1, 0]);
        assert_eq!(ranked("reload p", &names, Some(1)), [0]);
        assert_eq!(ranked("re", &names, None)[0], 2);
        assert_eq!(ranked("", &names, Some(1)), [0, 1, 2]);
    }

    #[test]
    fn letters_in_order_match_names() {
        check("exp", &["Export", "Expand all rows"]);
        check("st", &["set_temperature", "Start over"]);
        check("start", &["Start over"]);
        check("rs", &["read_sensors", "Expand all rows"]);
        check("zz", &[]);
        check("", &["set_temperature", "Start over", "Export", "read_sensors", "Expand all rows"]);
    }
}
