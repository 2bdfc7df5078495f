//! Lists of like objects: the columns that their items share.

use std::collections::BTreeMap;

use json_text::Kind;

use crate::nodes::Nodes;
use crate::preview;
use json_text::index::Id;

/// How many items decide whether this is a table, and by which columns.
const LOOKED_AT: usize = 50;
/// How many members are looked at for the widths: the items of a long list are looked at here and
/// there, as many in its end as in its beginning.
const MEASURED: usize = 200_000;
/// How many different names may occur before the objects are not like each other.
const NAMES: usize = 40;
/// How many columns are shown; the rest is in the item, which opens.
const COLUMNS: usize = 12;
/// How wide a column is, in characters.
const WIDTH: std::ops::RangeInclusive<usize> = 4..=32;
/// How wide a column of random ids is at most.
const ID_WIDTH: usize = 10;

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
    pub(crate) fn of(nodes: &Nodes, id: Id) -> Option<Self> {
        let mut columns: Vec<(&str, usize)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut items, mut cells) = (0_usize, 0_usize);
        for item in nodes.members(id).take(LOOKED_AT) {
            if nodes.kind(item) != Kind::Object {
                return None;
            }
            items += 1;
            for member in nodes.members(item).take(NAMES + 1) {
                let name = nodes.key(member)?;
                places.entry(name).or_insert_with(|| {
                    columns.push((name, preview::name(name).chars().count()));
                    columns.len() - 1
                });
                if columns.len() > NAMES {
                    return None;
                }
                cells += 1;
            }
        }
        // Like each other: five of eight cells are filled.
        let is_table = items >= 2 && columns.len() >= 2 && cells * 8 >= items * columns.len() * 5;
        if !is_table {
            return None;
        }
        let more = columns.len().saturating_sub(COLUMNS);
        columns.truncate(COLUMNS);
        places.retain(|_, place| *place < COLUMNS);
        let every = (nodes.record(id).count as usize * columns.len()).div_ceil(MEASURED).max(1);
        // What is seen first is measured whole.
        let first = nodes.members(id).take(LOOKED_AT);
        for item in first.chain(nodes.members(id).skip(LOOKED_AT).step_by(every)) {
            if columns.iter().all(|(_, width)| width >= WIDTH.end()) {
                break;
            }
            for member in nodes.members(item).take(NAMES) {
                let place = nodes.key(member).and_then(|name| places.get(name));
                if let Some((_, width)) = place.and_then(|place| columns.get_mut(*place)) {
                    *width = widened(*width, nodes.text(member));
                }
            }
        }
        // Ids that only programs read leave the width to the other columns, and come after them.
        let holds_ids = |name: &str| {
            let mut values = nodes.members(id).take(LOOKED_AT).filter_map(|item| {
                let mut members = nodes.members(item).take(NAMES);
                members.find(|member| nodes.key(*member) == Some(name)).map(|it| nodes.text(it))
            });
            values.all(is_random_id)
        };
        let (ids, others): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|(name, _)| holds_ids(name));
        let least = *WIDTH.start();
        let others =
            others.into_iter().map(|(name, width)| (name, width.clamp(least, *WIDTH.end())));
        let ids = ids.into_iter().map(|(name, width)| (name, width.clamp(least, ID_WIDTH)));
        let owned = |(name, width): (&str, usize)| (name.to_owned(), width);
        Some(Self { more, columns: others.chain(ids).map(owned).collect() })
    }

    /// The column of a member with this name.
    pub(crate) fn column(&self, key: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| name == key)
    }
}

/// Whether the JSON text is a string that ends in at least 16 hexadecimal digits, such as a UUID or `adk-` and one.
fn is_random_id(text: &str) -> bool {
    let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return false;
    };
    let is_of_id = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    let end = text.bytes().rev().take_while(is_of_id).filter(|byte| *byte != b'-');
    end.count() >= 16
}

/// The width of a column of `width` characters after adding the value `text`.
fn widened(width: usize, text: &str) -> usize {
    // Printable letters are drawn as they are written, or fewer of them: most need no second look.
    let is_plain = !text.starts_with(['[', '{'])
        && text.len() <= width
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if width >= *WIDTH.end() || is_plain {
        return width;
    }
    let shown = preview::of_text(text, *WIDTH.end(), 0);
    width.max(preview::plain(&shown).chars().count())
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn columns(text: &str) -> Option<Vec<(String, usize)>> {
        let nodes = Nodes::of(JsonText::parse(text).expect("valid"), usize::MAX);
        Table::of(&nodes, 0).map(|table| table.columns)
    }

    #[test]
    fn similar_objects_form_a_table() {
        assert_eq!(
            columns(
                r#"[{"code": "LIS", "euros": 120.0}, {"code": "OSL"}, {"euros": 9, "code": ""}]"#
            ),
            Some(vec![("\"code\"".to_owned(), 5), ("\"euros\"".to_owned(), 5)])
        );
    }

    #[test]
    fn a_column_is_as_wide_as_its_widest_cell() {
        let rows = |count: usize, wide_at: usize, wide: &str| {
            let row = |at: usize| match at == wide_at {
                true => format!(r#"{{"id":{at},"name":"{wide}"}}"#),
                false => format!(r#"{{"id":{at},"name":"a"}}"#),
            };
            format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join(","))
        };
        for (count, wide_at, wide, width) in [
            (60, 59, "Lisboa", 8),
            (3_000, 2_999, "Tromsø", 8),
            (3_000, 0, "a name that is longer than any column is", 32),
            // Of very many, the first ones whole and the others here and there.
            (300_001, 1, "Lisboa", 8),
            (300_001, 49, "Lisboa", 8),
            (300_001, 50 + 4 * 60_000, "Lisboa", 8),
        ] {
            let found = columns(&rows(count, wide_at, wide)).expect("a table");
            assert_eq!(found[1], ("\"name\"".to_owned(), width), "{count} {wide_at}");
        }
    }

    #[test]
    fn random_ids_come_last_and_are_narrow() {
        let call =
            |id: &str, name: &str| format!(r#"{{"id": "{id}", "name": "{name}", "args": {{}}}}"#);
        let list =
            |calls: [String; 2]| columns(&format!("[{}]", calls.join(","))).expect("a table");
        let named = |columns: &[(String, usize)]| {
            columns.iter().map(|(name, _)| name.trim_matches('"').to_owned()).collect::<Vec<_>>()
        };
        let ids = ["adk-936da01f-9abd-4d9d-80c7-02af85c822a8", "b9111339c190bac548913dfe59a988e0"];
        let random = list([call(ids[0], "list_rooms"), call(ids[1], "set_temperature")]);
        assert_eq!(named(&random), ["name", "args", "id"]);
        assert_eq!(random[2].1, ID_WIDTH);
        let chosen =
            list([call("LIS-20261129-1234567", "list_rooms"), call("2", "set_temperature")]);
        assert_eq!(named(&chosen), ["id", "name", "args"]);
    }

    #[test]
    fn dissimilar_objects_form_no_table() {
        assert_eq!(columns("[]"), None);
        assert_eq!(columns(r#"[{"a": 1, "b": 2}]"#), None, "one item");
        assert_eq!(columns(r#"[{"a": 1}, {"a": 2}]"#), None, "one column");
        assert_eq!(columns(r#"[{"a": 1, "b": 2}, 3]"#), None);
        assert_eq!(columns(r#"[{"a":1,"b":2},{"c":1,"d":2},{"e":1,"f":2}]"#), None);
    }
}
