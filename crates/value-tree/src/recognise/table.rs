//! Lists of like objects: the columns that their items share.

use std::collections::BTreeMap;

use json_text::Kind;

use crate::document::Id;
use crate::preview;
use crate::tree::Tree;

/// How many items decide.
const LOOKED_AT: usize = 50;
/// How many different names may occur before the objects are not like each other.
const NAMES: usize = 40;
/// How many columns are shown; the rest is in the item, which opens.
const COLUMNS: usize = 12;
/// How wide a column is, in characters.
const WIDTH: std::ops::RangeInclusive<usize> = 4..=32;

/// The columns of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// Their names as written, quotes included, and how wide they are in characters.
    pub(crate) columns: Vec<(String, usize)>,
    /// How many more names the items have.
    pub(crate) more: usize,
}

impl Table {
    /// The columns of the list `id`, if its items are like each other.
    pub(crate) fn of(tree: &Tree, id: Id) -> Option<Self> {
        let mut columns: Vec<(&str, usize)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut items, mut cells) = (0_usize, 0_usize);
        for item in tree.members(id).take(LOOKED_AT) {
            if tree.kind(item) != Kind::Object {
                return None;
            }
            items += 1;
            for member in tree.members(item).take(NAMES + 1) {
                let name = tree.key(member)?;
                let place = *places.entry(name).or_insert_with(|| {
                    columns.push((name, preview::name(name).chars().count()));
                    columns.len() - 1
                });
                if columns.len() > NAMES {
                    return None;
                }
                cells += 1;
                let shown = preview::of_text(tree.text(member), *WIDTH.end(), 0);
                let width = preview::plain(&shown).chars().count();
                columns[place].1 = columns[place].1.max(width);
            }
        }
        // Like each other: five of eight cells are filled.
        let is_table = items >= 2 && columns.len() >= 2 && cells * 8 >= items * columns.len() * 5;
        is_table.then(|| Self {
            more: columns.len().saturating_sub(COLUMNS),
            columns: columns
                .into_iter()
                .take(COLUMNS)
                .map(|(name, width)| (name.to_owned(), width.clamp(*WIDTH.start(), *WIDTH.end())))
                .collect(),
        })
    }

    /// The column in which a member with this name stands.
    pub(crate) fn column(&self, key: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| name == key)
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn columns(text: &str) -> Option<Vec<(String, usize)>> {
        let tree = Tree::new(JsonText::parse(text).expect("valid"));
        Table::of(&tree, 0).map(|table| table.columns)
    }

    #[test]
    fn like_objects_are_a_table() {
        assert_eq!(
            columns(
                r#"[{"code": "LIS", "euros": 120.0}, {"code": "OSL"}, {"euros": 9, "code": ""}]"#
            ),
            Some(vec![("\"code\"".to_owned(), 5), ("\"euros\"".to_owned(), 5)])
        );
    }

    #[test]
    fn what_is_unlike_is_not() {
        assert_eq!(columns("[]"), None);
        assert_eq!(columns(r#"[{"a": 1, "b": 2}]"#), None, "one item");
        assert_eq!(columns(r#"[{"a": 1}, {"a": 2}]"#), None, "one column");
        assert_eq!(columns(r#"[{"a": 1, "b": 2}, 3]"#), None);
        assert_eq!(columns(r#"[{"a":1,"b":2},{"c":1,"d":2},{"e":1,"f":2}]"#), None);
    }
}
