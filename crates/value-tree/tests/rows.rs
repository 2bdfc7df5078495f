//! The rows against a naive flattening, for any value and any sequence of toggles.

use json_text::JsonText;
use proptest::prelude::*;
use serde_json::Value;
use value_tree::{NodeId, RowContent, RowKind, Tree};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("{\"held\": [1, {\"x\": 2}]}")),
        Just(Value::from("# Title\n\nSome *words*.")),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner.clone()), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            prop::collection::vec((inner.clone(), inner), 2..5).prop_map(|pairs| {
                pairs.into_iter().map(|(a, b)| serde_json::json!({"a": a, "b": b})).collect()
            }),
        ]
    })
}

/// The paths of every value, in the order of the text.
fn paths(value: &Value, path: &str, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                out.push((path.clone(), item.clone()));
                paths(item, &path, out);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let path = format!("{path}.{}", Value::from(key.as_str()));
                out.push((path.clone(), member.clone()));
                paths(member, &path, out);
            }
        }
        _ => {}
    }
}

fn lines(tree: &Tree) -> Vec<NodeId> {
    let is_line = |kind| matches!(kind, RowKind::Line | RowKind::Cells);
    tree.rows().iter().filter(|row| is_line(row.kind)).map(|row| row.node).collect()
}

proptest! {
    #[test]
    fn expanded_it_holds_every_value_as_it_was_written(value in any_value()) {
        let text = JsonText::from_value(&value);
        let mut tree = Tree::new(text);
        tree.expand(usize::MAX);
        let shown: Vec<String> = lines(&tree)
            .into_iter()
            .filter(|node| {
                let path = tree.path(*node);
                path != "$" && !path.starts_with("json(")
            })
            .map(|node| tree.copied(node))
            .collect();
        let mut expected = Vec::new();
        paths(&value, "$", &mut expected);
        let expected: Vec<String> = expected
            .into_iter()
            .map(|(_, value)| match value {
                Value::String(content) => content,
                other => JsonText::from_value(&other).pretty(),
            })
            .collect();
        prop_assert_eq!(shown, expected);
    }

    #[test]
    fn toggling_matches_a_full_redraw(
        value in any_value(),
        toggles in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..20),
    ) {
        let mut tree = Tree::new(JsonText::from_value(&value));
        for (at, raw) in toggles {
            if tree.row_count() == 0 {
                break;
            }
            let row = at.index(tree.row_count());
            let node = tree.rows()[row].node;
            if raw {
                let view = tree.view(row);
                if view.shape.name().is_some() {
                    tree.set_raw(node, !view.is_raw);
                }
            } else {
                tree.toggle(node);
            }
            // Carried over onto itself, the rows are built from nothing.
            let mut rebuilt = Tree::new(tree.value().clone());
            rebuilt.carry_over(&tree);
            let spliced: Vec<_> = tree.rows().iter().map(|row| (tree.path(row.node), row.kind, row.depth)).collect();
            let built: Vec<_> = rebuilt.rows().iter().map(|row| (rebuilt.path(row.node), row.kind, row.depth)).collect();
            prop_assert_eq!(spliced, built);
        }
    }
}

#[test]
fn digits_are_kept() {
    let text = r#"{"n": 9007199254740993, "d": 1.10, "e": 1e2}"#;
    let tree = Tree::new(JsonText::parse(text).expect("valid"));
    let copied: Vec<String> = lines(&tree).into_iter().map(|node| tree.copied(node)).collect();
    assert_eq!(copied, ["9007199254740993", "1.10", "1e2"]);
}

#[test]
fn deep_and_wide_values_are_handled() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let mut tree = Tree::new(JsonText::parse(&deep).expect("valid"));
    tree.expand(usize::MAX);
    assert_eq!(tree.row_count(), 99_999);
    let last = tree.rows()[99_998];
    tree.collapse();
    assert_eq!(tree.row_count(), 1);
    tree.reveal(last.node);
    assert_eq!(tree.row_count(), 99_999);

    let wide = format!("[{}]", vec!["0"; 1_000_000].join(","));
    let tree = Tree::new(JsonText::parse(&wide).expect("valid"));
    assert_eq!(tree.row_count(), 1_000_000);
}

fn tree(text: &str) -> Tree {
    Tree::new(JsonText::parse(text).expect("valid"))
}

#[test]
fn an_envelope_shows_what_is_in_it() {
    let rows: Vec<String> = (0..500).map(|n| format!(r#"{{"n":{n},"s":"x"}}"#)).collect();
    let mut enveloped = tree(&format!(r#"{{"orders":[{}]}}"#, rows.join(",")));
    assert_eq!(enveloped.row_count(), 502);
    assert!(enveloped.view(0).is_open);
    // A value with siblings is not an envelope, and neither is its content.
    let rows = rows.join(",");
    let deep = tree(&format!(r#"{{"a":[{{"orders":[{rows}]}}],"b":1}}"#));
    assert_eq!(deep.row_count(), 4);
    let rows = [rows];
    let beside = tree(&format!(r#"{{"total":500,"orders":[{}]}}"#, rows.join(",")));
    assert_eq!(beside.row_count(), 2);
}

#[test]
fn opening_levels_leaves_texts_open() {
    let mut tree = tree(r##"{"a": {"text": "# One\n\ntwo *three*"}, "b": [[1]]}"##);
    tree.collapse();
    tree.expand(1);
    let a = tree.rows()[0].node;
    tree.set_open(a, true);
    let text = tree.rows()[1].node;
    tree.set_open(text, true);
    let blocks = |tree: &Tree| tree.rows().iter().filter(|row| row.kind == RowKind::Block).count();
    assert_eq!(blocks(&tree), 1);
    assert!(tree.expand(usize::MAX));
    assert_eq!(blocks(&tree), 1);
    tree.collapse();
    tree.expand(usize::MAX);
    assert_eq!(blocks(&tree), 0, "all was closed");
}

#[test]
fn expanding_all_stops_at_the_row_limit() {
    let inner = format!("[{}]", vec!["0"; 1_000].join(","));
    let mut tree = tree(&format!(r#"{{"x":[{}]}}"#, vec![inner.as_str(); 400].join(",")));
    assert!(!tree.expand(usize::MAX));
    let open = (0..tree.row_count()).filter(|row| tree.rows()[*row].depth == 1).count();
    assert_eq!(open, 400);
    assert!(tree.row_count() > 200_000 && tree.row_count() <= 300_400, "{}", tree.row_count());
    assert!(tree.expand(2));
}

#[test]
fn row_path_includes_its_ancestors() {
    let mut tree = tree(r#"{"t": [{"a": 1, "b": {"x": [1]}}, {"a": 2, "b": {"x": [2]}}], "u": 3}"#);
    tree.expand(usize::MAX);
    let header = tree.rows().iter().position(|row| row.kind == RowKind::Header).expect("a table");
    let of: Vec<Option<usize>> =
        (0..tree.row_count()).map(|row| tree.header_of(row).map(|(at, _)| at)).collect();
    let last = tree.row_count() - 1;
    assert_eq!((of[0], of[header], of[last]), (None, None, None));
    assert!(of[header + 1..last].iter().all(|it| *it == Some(header)), "{of:?}");
}

#[test]
fn truncated_cell_can_be_expanded() {
    let long = "long ".repeat(20);
    let rows = format!(r#"[{{"id": 1, "name": "short"}}, {{"id": 2, "name": "{long}"}}]"#);
    let mut tree = tree(&rows);
    tree.expand(1);
    let cells: Vec<_> = (0..tree.row_count())
        .filter_map(|at| match tree.view(at).content {
            RowContent::Cells(cells) => Some(cells),
            _ => None,
        })
        .collect();
    assert_eq!(cells.len(), 2);
    assert_eq!(cells[0][1].more, None);
    assert_eq!(cells[1][0].more, None);
    assert_eq!(cells[1][1].width, 32);
    assert_eq!(cells[1][1].more.as_deref(), Some(format!("\"{long}\"").as_str()));
}
