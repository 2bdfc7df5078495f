//! The id of a case in an address: the last segment of the path, or in the query if a path cannot
//! hold it.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::state::base_path::address;
use crate::state::browser::in_address;

/// The last segment of the path when the id is in the query.
const ELSEWHERE: &str = "~";
/// The parameter's name in the path and in the query.
const NAME: &str = "case";

/// Whether a path holds an id unchanged: browsers and servers interpret dots as folders, and decode
/// percent signs and control characters.
fn is_in_path(eval_id: &str) -> bool {
    let is_odd = |it: char| it.is_control() || matches!(it, '\\' | '%');
    !matches!(eval_id, "" | "." | ".." | ELSEWHERE)
        && eval_id.trim() == eval_id
        && !eval_id.contains(is_odd)
}

/// The path of a case below that of its set or report.
#[must_use]
pub fn below(base: &str, eval_id: &str) -> String {
    match is_in_path(eval_id) {
        true => format!("{base}/{}", in_address(eval_id)),
        false => format!("{base}/{ELSEWHERE}?{NAME}={}", in_address(&escaped(eval_id))),
    }
}

/// An id for the query, without percent signs, which the router would decode a second time.
#[must_use]
pub fn escaped(eval_id: &str) -> String {
    eval_id.replace('~', "~0").replace('%', "~1")
}

/// The id of an [`escaped`] text.
#[must_use]
pub fn unescaped(escaped: &str) -> String {
    escaped.replace("~1", "%").replace("~0", "~")
}

/// The address of a case of a set; `at` is its index in the file, if several cases have its id.
#[must_use]
pub fn case_address(set: &str, eval_id: &str, at: Option<u64>) -> String {
    let address = address(&below(&format!("/evalsets/{set}"), eval_id));
    let sign = if address.contains('?') { '&' } else { '?' };
    at.map_or(address.clone(), |at| format!("{address}{sign}at={at}"))
}

/// `address` with the `sort` parameter of the query `search`.
#[must_use]
pub fn in_order_of(search: &str, address: &str) -> String {
    let search = search.split('#').next().unwrap_or_default();
    let search = search.split_once('?').map_or(search, |(_, search)| search);
    match search.split('&').find(|pair| pair.starts_with("sort=")) {
        Some(sort) => format!("{address}{}{sort}", if address.contains('?') { '&' } else { '?' }),
        None => address.to_owned(),
    }
}

/// Whether a pair of a query is the parameter of the case.
#[must_use]
pub fn is_case(pair: &str) -> bool {
    pair.split('=').next() == Some(NAME)
}

/// The id of the case in the address; `None` if there is none. Tracked.
#[must_use]
pub fn use_case_in_address() -> Memo<Option<String>> {
    let (params, query) = (use_params_map(), use_query_map());
    Memo::new(move |_| {
        let in_path = params.with(|params| params.get(NAME))?;
        match in_path == ELSEWHERE {
            true => Some(unescaped(&query.with(|query| query.get(NAME)).unwrap_or_default())),
            false => Some(in_path),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{escaped, is_in_path, unescaped};

    #[test]
    fn an_id_in_the_query_is_read_back() {
        for id in ["", "%", "~1", "~", "a%2Fb~0%25", "~01"] {
            assert_eq!(unescaped(&escaped(id)), id);
            assert!(!escaped(id).contains('%'));
        }
    }

    #[test]
    fn an_id_that_a_path_would_change_is_in_the_query() {
        for odd in ["", ".", "..", "~", "a%2Fb", "C:\\x", "a\nb", "a\tb", " a", "a "] {
            assert!(!is_in_path(odd), "{odd:?}");
        }
        for plain in ["hall", "hall two/ü?#", "...", "tests/a.test.json", "a~"] {
            assert!(is_in_path(plain), "{plain:?}");
        }
    }
}
