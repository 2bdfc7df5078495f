//! What a person does to a form, and what is sent. The names in brackets are the requests and
//! reports of other tools' users that a test answers.

use json_text::JsonText;
use schema_check::Check;
use schema_form::{
    Content, Draft, Edit, EditError, FieldKind, Form, Integers, ItemId, MessageKind, Path,
    PathStep, State,
};

struct Filling {
    form: Form,
    draft: Draft,
}

impl Filling {
    fn of(schema: &str) -> Self {
        let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
        let draft = Draft::blank(&form);
        Self { form, draft }
    }

    /// The path of a member by its names, through the chosen branches of unions.
    fn path(&self, names: &[&str]) -> Path {
        let mut path = Path::root();
        for name in names {
            while let Some(Content::Union { branch, .. }) =
                self.draft.at(&path).and_then(|entered| entered.content())
            {
                path = path.then(PathStep::Branch(*branch));
            }
            let slot = self.draft.shape(&self.form, &path).expect("a place");
            let field = slot.field();
            let step =
                match (&field.kind, self.draft.at(&path).and_then(|entered| entered.content())) {
                    (FieldKind::Object(object), _) => PathStep::Member(
                        object
                            .members
                            .iter()
                            .position(|member| member.key() == *name)
                            .expect("named"),
                    ),
                    (_, Some(Content::List(items))) => {
                        PathStep::Item(items[name.parse::<usize>().expect("an index")].id)
                    }
                    _ => panic!("nothing named {name}"),
                };
            path = path.then(step);
        }
        path
    }

    fn edit(&mut self, names: &[&str], edit: Edit) -> Option<ItemId> {
        let path = self.path(names);
        self.draft.edit(&self.form, &path, edit).expect("the edit fits")
    }

    fn refused(&mut self, names: &[&str], edit: Edit) -> EditError {
        let path = self.path(names);
        let before = self.draft.clone();
        let error = self.draft.edit(&self.form, &path, edit).expect_err("refused");
        assert_eq!(self.draft, before, "a refused edit changes nothing");
        error
    }

    fn type_text(&mut self, names: &[&str], text: &str) {
        self.edit(names, Edit::SetText(text.into()));
    }

    fn text(&self) -> String {
        self.draft.read(&self.form).text().to_owned()
    }

    fn sent(&self) -> Option<String> {
        self.draft.read(&self.form).json().map(|json| json.as_str().to_owned())
    }

    /// Every message as `place: text`.
    fn messages(&self) -> Vec<String> {
        let reading = self.draft.read(&self.form);
        let name = |path| self.draft.name(&self.form, path);
        reading
            .messages()
            .iter()
            .map(|message| format!("{}: {}", name(&message.path), message.text))
            .collect()
    }
}

const SCHEDULE: &str = r#"{"type": "object", "required": ["room", "degrees"], "properties": {
    "room": {"enum": ["kitchen", "office"]},
    "degrees": {"type": "number", "maximum": 26},
    "unit": {"type": "string", "default": "celsius"},
    "schedule": {"anyOf": [{"type": "object", "required": ["start"], "properties": {
        "start": {"type": "string"}, "days": {"type": "array", "items": {"enum": ["mon", "fri"]}}}},
        {"type": "null"}], "default": null},
    "tags": {"type": "array", "items": {"type": "string"}, "default": []}}}"#;

#[test]
fn an_empty_form_sends_only_required_objects() {
    let filling = Filling::of(SCHEDULE);
    assert_eq!(filling.text(), "{}");
    assert_eq!(filling.messages(), ["room: Required.", "degrees: Required."]);
    assert_eq!(filling.sent(), None);
}

/// [adk-agent-sim: optional arguments always sent, `limit=10` goes out as 0]
#[test]
fn defaults_of_optional_fields_are_shown_and_not_sent() {
    let mut filling = Filling::of(
        r#"{"properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
            "required": ["query"], "type": "object"}"#,
    );
    filling.type_text(&["query"], "tea");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"query":"tea"}"#));
    let limit = filling.draft.slot(&filling.form, &filling.path(&["limit"])).expect("there");
    assert_eq!(limit.field().default.as_ref().map(JsonText::as_str), Some("10"));
}

#[test]
fn defaults_of_required_fields_are_sent() {
    let mut filling = Filling::of(
        r#"{"type": "object", "required": ["unit", "days", "at", "odd", "mode"], "properties": {
            "unit": {"type": "string", "default": "celsius"},
            "days": {"type": "array", "items": {"enum": ["mon", "fri"]}, "default": ["fri"]},
            "at": {"type": "object", "required": ["hour"], "properties": {
                "hour": {"type": "integer", "default": 7}, "zone": {"type": "string", "default": "Z"}}},
            "odd": {"type": "integer", "default": "seven"},
            "mode": {"anyOf": [{"type": "null"}, {"type": "boolean"}], "default": null}}}"#,
    );
    let sent = r#"{"unit":"celsius","days":["fri"],"at":{"hour":7},"mode":null}"#;
    assert_eq!(filling.text(), sent);
    assert_eq!(filling.messages(), ["odd: Required."]);
    // A default is a start, not a rule.
    filling.type_text(&["at", "hour"], "");
    assert_eq!(filling.messages(), ["at.hour: Required.", "odd: Required."]);
}

#[test]
fn an_elicitation_has_all_defaults() {
    let schema = r#"{"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "color": {"type": "string", "enum": ["red", "blue"], "default": "blue"},
        "size": {"type": "number", "default": 1.10}, "ok": {"type": "boolean", "default": true},
        "note": {"type": "string"}, "odd": {"type": "integer", "default": "seven"}}}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let draft = Draft::with_defaults(&form);
    let mut filling = Filling { form, draft };
    filling.type_text(&["name"], "Ada");
    let sent = r#"{"name":"Ada","color":"blue","size":1.10,"ok":true}"#;
    assert_eq!(filling.sent().as_deref(), Some(sent));
    filling.edit(&["color"], Edit::Unset);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"name":"Ada","size":1.10,"ok":true}"#));
}

/// [inspector 771: empty `[]` and `{}` sent for unset optionals]
#[test]
fn untouched_optional_lists_and_objects_are_not_sent() {
    let mut filling = Filling::of(SCHEDULE);
    filling.edit(&["room"], Edit::Choose(1));
    filling.type_text(&["degrees"], "21");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"room":"office","degrees":21}"#));
    let id = filling.edit(&["tags"], Edit::AddItem).expect("an item");
    assert_eq!(filling.text(), r#"{"room":"office","degrees":21,"tags":[?]}"#);
    assert_eq!(filling.messages(), ["tags[0]: Required."]);
    filling.edit(&["tags"], Edit::RemoveItem(id));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"room":"office","degrees":21}"#));
    filling.edit(&["tags"], Edit::SetValue);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"room":"office","degrees":21,"tags":[]}"#));
}

/// [inspector 850: sending `null`]
#[test]
fn not_sent_null_and_value_are_distinct_states() {
    let mut filling = Filling::of(SCHEDULE);
    filling.edit(&["room"], Edit::Choose(0));
    filling.type_text(&["degrees"], "21");
    let place = filling.path(&["schedule"]);
    let state = |filling: &Filling| filling.draft.at(&place).expect("there").state();
    assert_eq!(state(&filling), State::NotSent);
    filling.edit(&["schedule"], Edit::SetNull);
    assert_eq!(state(&filling), State::Null);
    assert!(filling.text().ends_with(r#""schedule":null}"#));
    filling.edit(&["schedule"], Edit::SetValue);
    assert_eq!(filling.messages(), ["schedule.start: Required."]);
    filling.type_text(&["schedule", "start"], "21:30");
    assert!(filling.text().ends_with(r#""schedule":{"start":"21:30"}}"#));
    // Switching the state back restores what was entered.
    filling.edit(&["schedule"], Edit::Unset);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"room":"kitchen","degrees":21}"#));
    filling.edit(&["schedule"], Edit::SetValue);
    assert!(filling.text().ends_with(r#""schedule":{"start":"21:30"}}"#));
    assert_eq!(
        filling.refused(&["degrees"], Edit::SetNull),
        EditError::NotNullable { name: "degrees".into() }
    );
}

/// [inspector 1928: nullable enums]
#[test]
fn a_nullable_enum_takes_null_and_its_values() {
    let mut filling = Filling::of(
        r#"{"type": "object", "required": ["u"], "properties": {"u": {"anyOf": [{"enum": ["c", 1]}, {"type": "null"}]}}}"#,
    );
    filling.edit(&["u"], Edit::SetNull);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"u":null}"#));
    filling.edit(&["u"], Edit::Choose(1));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"u":1}"#));
    assert_eq!(
        filling.refused(&["u"], Edit::Choose(2)),
        EditError::NoSuchPosition { position: 2, count: 2 }
    );
}

/// [inspector 1888: typing decimals; 1853: escapes piling up a keystroke]
#[test]
fn text_is_kept_as_typed() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"n": {"type": "number"}, "s": {"type": "string"}}}"#,
    );
    for unfinished in ["-", "1.", "1e", "1e-", "."] {
        filling.type_text(&["n"], unfinished);
        let place = filling.path(&["n"]);
        assert_eq!(filling.draft.at(&place).and_then(|entered| entered.text()), Some(unfinished));
        assert_eq!(filling.text(), format!(r#"{{"n":{unfinished}}}"#));
        assert_eq!(filling.messages(), ["n: A number, such as 12 or 1.5."]);
        assert_eq!(filling.sent(), None, "an invalid draft is never sent");
    }
    filling.type_text(&["n"], "1.50");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"n":1.50}"#));
    filling.type_text(&["n"], "");
    let backslashes = r#"a\"b\\"#;
    for _ in 0..3 {
        filling.type_text(&["s"], backslashes);
    }
    let sent: serde_json::Value =
        serde_json::from_str(&filling.sent().expect("sent")).expect("JSON");
    assert_eq!(sent["s"], backslashes);
}

/// [adk-agent-sim: integers go out as floats; inspector: integers past 2^53 refused]
#[test]
fn integers_keep_their_typed_digits() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 5}}}"#,
    );
    for digits in ["5", "9007199254740993", "123456789012345678901234567890"] {
        filling.type_text(&["n"], digits);
        assert_eq!(filling.sent(), Some(format!(r#"{{"n":{digits}}}"#)));
    }
    for wrong in ["5.5", "1e", "1e-3", "007", "five", "-"] {
        filling.type_text(&["n"], wrong);
        assert_eq!(filling.messages(), ["n: A whole number, such as 12."], "{wrong}");
    }
    filling.type_text(&["n"], "4");
    assert_eq!(filling.messages(), ["n: At least 5 (minimum)."]);
}

/// `1e3` means 1000, and a tool's `int` parameter should not get a float.
#[test]
fn a_whole_number_is_sent_as_digits_however_it_is_typed() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 2000}}}"#,
    );
    for (typed, sent) in [("1e3", "1000"), ("1.0", "1"), ("-1.5E1", "-15"), (" 7.00 ", "7")] {
        filling.type_text(&["n"], typed);
        assert_eq!(filling.sent(), Some(format!(r#"{{"n":{sent}}}"#)), "{typed}");
        let place = filling.path(&["n"]);
        let entered = filling.draft.at(&place).and_then(|entered| entered.text());
        assert_eq!(entered, Some(typed), "what was typed stays");
    }
    filling.type_text(&["n"], "1e4");
    assert_eq!(filling.messages(), ["n: At most 2000 (maximum)."]);
    for beyond in ["1e999999", "1e99999999999999999999", "-1E+5000"] {
        filling.type_text(&["n"], beyond);
        assert_eq!(
            filling.messages(),
            ["n: A whole number of more than 4300 digits: choose a smaller exponent."],
            "{beyond}"
        );
        assert_eq!(filling.sent(), None);
    }
    // Filled values and a round trip through JSON text keep their spelling.
    for given in [r#"{"n":1e3}"#, r#"{"n":5.0}"#] {
        filling.edit(&[], Edit::Fill(JsonText::parse(given).expect("JSON")));
        assert_eq!(filling.sent().as_deref(), Some(given));
    }
    filling.edit(&[], Edit::Reset);
    filling.type_text(&["n"], "1e3");
    filling.edit(&["n"], Edit::AsJson);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"n":1000}"#));
    filling.edit(&["n"], Edit::AsWidgets);
    let place = filling.path(&["n"]);
    assert_eq!(filling.draft.at(&place).and_then(|entered| entered.text()), Some("1e3"));
}

/// Rust tools read 64-bit integers; the check also covers exponents.
#[test]
fn an_exponent_beyond_64_bits_is_reported() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let form = form.with_integers(Integers::Of64Bits);
    let draft = Draft::blank(&form);
    let mut filling = Filling { form, draft };
    filling.type_text(&["n"], "1e18");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"n":1000000000000000000}"#));
    filling.type_text(&["n"], "1e30");
    assert!(filling.messages()[0].contains("does not fit in 64 bits"), "{:?}", filling.messages());
}

/// [adk-agent-sim: required checked at top level only]
#[test]
fn required_is_checked_at_every_depth() {
    let filling = Filling::of(
        r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["b"],
            "properties": {"b": {"type": "object", "required": ["c"], "properties": {
                "c": {"type": "boolean"}, "d": {"type": "boolean"}}}}}}}"#,
    );
    assert_eq!(filling.text(), r#"{"a":{"b":{}}}"#);
    assert_eq!(filling.messages(), ["a.b.c: Required."]);
}

/// [fastmcp 1015: optional strings read as JSON]
#[test]
fn optional_text_is_never_read_as_json() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"s": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}"#,
    );
    for text in ["null", "12", "{}", "true", " "] {
        filling.type_text(&["s"], text);
        assert_eq!(filling.sent(), Some(format!(r#"{{"s":"{text}"}}"#)));
    }
}

#[test]
fn emptied_text_is_sent_only_if_required() {
    let mut filling = Filling::of(
        r#"{"type": "object", "required": ["r"], "properties": {"r": {"type": "string"}, "o": {"type": "string"}}}"#,
    );
    assert_eq!(filling.messages(), ["r: Required."]);
    for name in ["r", "o"] {
        filling.type_text(&[name], "x");
        filling.type_text(&[name], "");
    }
    assert_eq!(filling.sent().as_deref(), Some(r#"{"r":""}"#));
    filling.edit(&["o"], Edit::Unset);
    filling.edit(&["o"], Edit::SetValue);
    assert_eq!(filling.sent().as_deref(), Some(r#"{"r":"","o":""}"#), "an empty text on purpose");
}

/// [adk-agent-sim: deleting an array row removes the data, not the row]
#[test]
fn items_keep_their_identity_when_equal() {
    let mut filling = Filling::of(r#"{"type": "array", "items": {"type": "string"}}"#);
    let ids: Vec<_> = ["a", "a", "b"]
        .iter()
        .map(|text| {
            let id = filling.edit(&[], Edit::AddItem).expect("an item");
            let place = Path::root().then(PathStep::Item(id));
            filling.draft.edit(&filling.form, &place, Edit::SetText((*text).into())).expect("fits");
            id
        })
        .collect();
    filling.edit(&[], Edit::MoveItem(ids[2], 0));
    assert_eq!(filling.text(), r#"["b","a","a"]"#);
    filling.edit(&[], Edit::RemoveItem(ids[0]));
    let left = Path::root().then(PathStep::Item(ids[1]));
    filling.draft.edit(&filling.form, &left, Edit::SetText("c".into())).expect("still there");
    assert_eq!(filling.text(), r#"["b","c"]"#);
    assert_eq!(
        filling.refused(&[], Edit::RemoveItem(ids[0])),
        EditError::NoSuchItem { id: ids[0] }
    );
    assert_eq!(
        filling.refused(&[], Edit::MoveItem(ids[1], 2)),
        EditError::NoSuchPosition { position: 2, count: 2 }
    );
}

#[test]
fn lists_check_their_counts_and_repetitions() {
    let mut filling = Filling::of(
        r#"{"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3, "uniqueItems": true}"#,
    );
    assert_eq!(filling.messages(), [": Required."]);
    for digits in ["1", "1.0"] {
        filling.edit(&[], Edit::AddFilled(JsonText::parse(digits).expect("JSON")));
    }
    filling.edit(&["0"], Edit::Fill(JsonText::parse("1").expect("JSON")));
    filling.edit(&["1"], Edit::Fill(JsonText::parse("1.0").expect("JSON")));
    assert!(
        filling
            .messages()
            .contains(&": Items must be unique. Items 1 and 2 are equal (uniqueItems).".into())
    );
}

/// [inspector 2020: invalid drafts silently dropped]
#[test]
fn json_text_and_widgets_switch_back_and_forth() {
    let mut filling = Filling::of(SCHEDULE);
    filling.edit(&["room"], Edit::Choose(0));
    filling.type_text(&["degrees"], "1e");
    let widgets = filling.draft.clone();
    filling.edit(&[], Edit::AsJson);
    assert_eq!(filling.text(), "{\n  \"room\": \"kitchen\",\n  \"degrees\": 1e\n}");
    assert_eq!(
        filling.messages(),
        [": Not JSON: expected a digit in the exponent at line 3, column 16."]
    );
    // Unchanged text restores everything, including the unfinished number.
    filling.edit(&[], Edit::AsWidgets);
    assert_eq!(filling.draft.read(&filling.form), widgets.read(&filling.form));
    filling.edit(&[], Edit::AsJson);
    filling.type_text(&[], "{\n  \"room\": nope}");
    let reading = filling.draft.read(&filling.form);
    assert!(matches!(&reading.messages()[0].kind, MessageKind::NotJson(error) if error.line == 2));
    assert!(matches!(filling.refused(&[], Edit::AsWidgets), EditError::NotJson(_)));
    filling.type_text(&[], r#"{"degrees": 27, "room": "cellar", "more": [1, 2]}"#);
    assert_eq!(
        filling.messages(),
        [
            ": room at line 1, column 25: One of \"kitchen\", \"office\".",
            ": degrees at line 1, column 13: At most 26 (maximum)."
        ]
    );
    filling.edit(&[], Edit::AsWidgets);
    // A value that fits no widget stays JSON text.
    assert_eq!(filling.text(), r#"{"room":"cellar","degrees":27,"more":[1,2]}"#);
    filling.edit(&["room"], Edit::Choose(0));
    filling.type_text(&["degrees"], "26");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"room":"kitchen","degrees":26,"more":[1,2]}"#));
}

/// A tool would get only one of the two.
#[test]
fn a_repeated_member_is_reported_at_its_position_and_never_sent() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"n": {"type": "integer"}, "any": {},
            "within": {"type": "object", "properties": {"m": {"type": "integer"}}}}}"#,
    );
    let messages = |name: &str, place: &str| {
        format!(
            "The property `{name}` is repeated at {place}: a tool gets only one of the two. \
             Remove one."
        )
    };
    for (field, text, wanted) in [
        (None, "{\"n\": 1,\n \"n\": 2}", messages("n", "line 2, column 2")),
        (None, r#"{"within": {"m": 1, "m": 1}}"#, messages("m", "line 1, column 21")),
        (Some("within"), r#"{"m":1,"m":2}"#, messages("m", "line 1, column 8")),
        (Some("any"), r#"[{"x":1,"x":2}]"#, messages("x", "line 1, column 9")),
    ] {
        let field: Vec<&str> = field.into_iter().collect();
        filling.edit(&[], Edit::Reset);
        filling.edit(&field, Edit::AsJson);
        filling.type_text(&field, text);
        assert_eq!(filling.messages(), [format!("{}: {wanted}", field.join(""))], "{text}");
        assert_eq!(filling.sent(), None, "{text}");
        filling.edit(&field, Edit::AsWidgets);
        assert_eq!(filling.sent(), None, "{text}");
        assert!(filling.messages()[0].contains("is repeated"), "{text}");
    }
    filling.edit(&[], Edit::Reset);
    filling.edit(&[], Edit::AsJson);
    filling.type_text(&[], r#"{"n":1,"within":{"m":1},"any":[{"n":1},{"n":1}]}"#);
    assert!(filling.sent().is_some(), "{:?}", filling.messages());
}

#[test]
fn a_union_remembers_its_branches() {
    let mut filling = Filling::of(
        r#"{"oneOf": [
            {"type": "object", "required": ["kind", "name"], "properties": {
                "kind": {"const": "card"}, "name": {"type": "string"}, "number": {"type": "string"}}},
            {"type": "object", "required": ["kind", "name"], "properties": {
                "kind": {"const": "cash"}, "name": {"type": "string"}}}]}"#,
    );
    filling.type_text(&["name"], "Ada");
    filling.type_text(&["number"], "4417");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"kind":"card","name":"Ada","number":"4417"}"#));
    filling.edit(&[], Edit::ChooseBranch(1));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"kind":"cash","name":"Ada"}"#));
    filling.edit(&[], Edit::ChooseBranch(0));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"kind":"card","name":"Ada","number":"4417"}"#));
    let cash = JsonText::parse(r#"{"kind": "cash", "name": "Bo"}"#).expect("JSON");
    let draft = filling.form.fill(&cash);
    assert!(matches!(
        draft.at(&Path::root()).and_then(|entered| entered.content()),
        Some(Content::Union { branch: 1, .. })
    ));
}

#[test]
fn a_chosen_list_is_open() {
    let mut filling = Filling::of(r#"{"type": "object", "properties": {"any": {}}}"#);
    filling.edit(&["any"], Edit::ChooseBranch(4));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"any":[]}"#));
    filling.edit(&["any"], Edit::ChooseBranch(0));
    assert_eq!(filling.messages(), ["any: Required."]);
}

/// [inspector 2007: lists of unions; 2123: `anyOf` at the root]
#[test]
fn unions_of_scalars_take_each_kind() {
    let mut filling = Filling::of(
        r#"{"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}}"#,
    );
    let value = JsonText::parse(r#"[1,"1",null]"#).expect("JSON");
    filling.edit(&[], Edit::Fill(value));
    assert_eq!(filling.sent().as_deref(), Some(r#"[1,"1",null]"#));
}

#[test]
fn entries_are_added_named_and_removed() {
    let mut filling =
        Filling::of(r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#);
    let id = filling.edit(&[], Edit::AddEntry).expect("an entry");
    let nothing = ["?: Give the property a name.", "?: Give the property a value, or remove it."];
    assert_eq!(filling.messages(), nothing);
    filling.edit(&[], Edit::RenameEntry(id, "k".into()));
    // A named entry without a value is shown with a message.
    assert_eq!(filling.messages(), ["k: Give `k` a value, or remove the property."]);
    assert_eq!(filling.draft.read(&filling.form).text(), r#"{"k":?}"#);
    let place = Path::root().then(PathStep::Entry(id));
    filling.draft.edit(&filling.form, &place, Edit::SetText("3".into())).expect("fits");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"k":3}"#));
    let twin = filling.edit(&[], Edit::AddEntry).expect("an entry");
    filling.edit(&[], Edit::RenameEntry(twin, "k".into()));
    assert!(filling.messages().contains(&"k: Duplicate name `k`: rename one.".into()));
    filling.edit(&[], Edit::RemoveEntry(twin));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"k":3}"#));
}

#[test]
fn arguments_of_an_empty_schema_are_an_object() {
    let schema =
        |text: &str| Form::of_schema(&JsonText::parse(text).expect("JSON")).with_objects_only();
    let form = schema("{}");
    assert!(matches!(form.root().field().kind, FieldKind::Object(_)));
    assert!(!form.root().field().nullable);
    assert_eq!(Draft::blank(&form).read(&form).text(), "{}");
    // Union branches without objects accept nothing.
    let form = schema(r#"{"anyOf": [{"type": "object"}, {"type": "string"}]}"#);
    let text = JsonText::parse("\"x\"").expect("JSON");
    assert!(form.fill(&text).read(&form).json().is_none());
    // A schema without objects gives a message when it is read.
    let form = schema(r#"{"type": "string"}"#);
    let reading = form.fill(&text).read(&form);
    assert_eq!(reading.messages()[0].text, "The arguments must be an object. Found text.");
}

#[test]
fn branches_with_only_required_are_labeled_by_it() {
    let labels = |schema: &str| {
        let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
        let FieldKind::Union(branches) = &form.root().field().kind else { panic!("a union") };
        branches.iter().map(|branch| branch.label.clone()).collect::<Vec<_>>()
    };
    let members = r#""type": "object", "properties": {"a": {}, "b": {}, "c": {}}"#;
    assert_eq!(
        labels(&format!(
            r#"{{{members}, "anyOf": [{{"required": ["a"]}}, {{"required": ["b", "c"]}}]}}"#
        )),
        ["a", "b, c"]
    );
    assert_eq!(
        labels(&format!(
            r#"{{{members}, "oneOf": [{{"title": "By a", "required": ["a"]}},
                {{"required": ["a", "b", "c", "d"]}}, {{"minProperties": 1}}]}}"#
        )),
        ["By a", "a, b, c, …", "value"]
    );
}

#[test]
fn prefix_items_keep_their_fields() {
    let mut filling = Filling::of(
        r#"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}"#,
    );
    let first = filling.edit(&[], Edit::AddItem).expect("the list comes with its items");
    filling.type_text(&["0"], "x");
    filling.type_text(&["1"], "7");
    assert_eq!(filling.sent().as_deref(), Some(r#"["x",7]"#));
    assert!(matches!(filling.refused(&[], Edit::MoveItem(first, 1)), EditError::WrongKind { .. }));
    assert!(matches!(filling.refused(&[], Edit::AddItem), EditError::NoSuchPosition { .. }));
}

#[test]
fn host_messages_are_located() {
    let mut filling = Filling::of(SCHEDULE);
    let value =
        r#"{"room": "office", "degrees": 1, "schedule": {"start": "x", "days": ["mon", "fri"]}}"#;
    filling.edit(&[], Edit::Fill(JsonText::parse(value).expect("JSON")));
    for (pointer, name) in [
        ("", ""),
        ("/room", "room"),
        ("/schedule/days/1", "schedule.days[1]"),
        ("/schedule/days/7", "schedule.days"),
        ("/elsewhere", ""),
    ] {
        let path = filling.draft.locate(&filling.form, pointer);
        assert_eq!(filling.draft.name(&filling.form, &path), name, "{pointer}");
    }
}

#[test]
fn a_required_recursive_schema_is_opened_once() {
    let mut filling = Filling::of(
        r##"{"$defs": {"N": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/N"}}}},
            "$ref": "#/$defs/N"}"##,
    );
    assert_eq!(filling.text(), r#"{"next":{}}"#);
    assert_eq!(filling.messages(), ["next.next: Required."]);
    filling.edit(&["next", "next"], Edit::SetValue);
    assert_eq!(filling.messages(), ["next.next.next: Required."]);
}

#[test]
fn a_field_without_a_widget_takes_json() {
    let mut filling = Filling::of(
        r#"{"type": "object", "required": ["q"], "properties": {"q": {"type": "quaternion"}}}"#,
    );
    filling.type_text(&["q"], "[1, 0, 0,");
    assert!(filling.messages()[0].starts_with("q: Not JSON: "), "{:?}", filling.messages());
    filling.type_text(&["q"], "[1, 0, 0, 1.0]");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"q":[1,0,0,1.0]}"#));
    filling.type_text(&["q"], "");
    assert_eq!(filling.messages(), ["q: Required."]);
}

#[test]
fn a_branch_without_a_type_accepts_other_types() {
    let schema = r#"{"oneOf": [
        {"type": "object", "additionalProperties": {"const": "a"}},
        {"prefixItems": [{"type": "string"}]}
    ]}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let value = JsonText::parse(r#"{"a":null}"#).expect("JSON");
    let reading = form.fill(&value).read(&form);
    assert_eq!(reading.messages(), &[]);
    assert_eq!(reading.json(), Some(&value));
}

const BOOKING: &str = r#"{"type": "object", "required": ["method"], "properties": {
        "method": {"enum": ["card", "invoice"]},
        "note": {"type": "string"}},
    "if": {"properties": {"method": {"const": "card"}}, "required": ["method"]},
    "then": {"required": ["number"], "properties": {
        "number": {"type": "string", "pattern": "^[0-9]{4}$"}, "note": {"maxLength": 3}}},
    "else": {"properties": {"vat": {"type": "string"}}}}"#;

#[test]
fn the_active_conditional_branch_follows_the_draft() {
    let mut filling = Filling::of(BOOKING);
    let shown = |filling: &Filling| {
        let shape = filling.draft.shape(&filling.form, &Path::root()).expect("the root");
        let FieldKind::Object(object) = &shape.field().kind else { panic!("an object") };
        object.members.iter().map(|member| member.key().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&filling), ["method", "note", "vat"]);
    filling.type_text(&["note"], "long");
    filling.edit(&["method"], Edit::Choose(0));
    assert_eq!(shown(&filling), ["method", "note", "number"]);
    assert_eq!(
        filling.messages(),
        ["note: At most 3 characters (maxLength), found 4.", "number: Required."]
    );
    filling.type_text(&["note"], "x");
    filling.type_text(&["number"], "12");
    assert_eq!(filling.messages(), ["number: Does not match ^[0-9]{4}$ (pattern)."]);
    filling.type_text(&["number"], "1234");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"method":"card","note":"x","number":"1234"}"#));
    // An inactive member is not sent, and is restored later.
    filling.edit(&["method"], Edit::Choose(1));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"method":"invoice","note":"x"}"#));
    filling.edit(&["method"], Edit::Choose(0));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"method":"card","note":"x","number":"1234"}"#));
}

#[test]
fn members_of_another_branch_are_kept_when_filled_in() {
    let mut filling = Filling::of(BOOKING);
    let value = r#"{"method":"invoice","number":12}"#;
    filling.edit(&[], Edit::Fill(JsonText::parse(value).expect("JSON")));
    assert_eq!(filling.sent().as_deref(), Some(value), "the schema admits it");
    // In the other branch the member is named by the schema and takes the entry's value.
    filling.edit(&["method"], Edit::Choose(0));
    assert_eq!(filling.text(), r#"{"method":"card","number":12}"#);
    assert_eq!(filling.messages(), ["number: Expected text, found a number (type)."]);
}

#[test]
fn a_self_activating_branch_terminates() {
    let mut filling = Filling::of(
        r##"{"type": "object", "if": true, "then": {"required": ["x"], "properties": {"x": {"$ref": "#"}}}}"##,
    );
    assert_eq!(filling.text(), r#"{"x":{}}"#);
    filling.edit(&["x", "x"], Edit::SetValue);
    assert_eq!(filling.messages(), ["x.x.x: Required."]);
}

#[test]
fn an_entrys_name_selects_its_schema() {
    let mut filling = Filling::of(
        r#"{"type": "object", "patternProperties": {"^n_": {"type": "integer"}, "^t_": {"type": "string"}},
            "additionalProperties": false, "propertyNames": {"maxLength": 5}}"#,
    );
    let id = filling.edit(&[], Edit::AddEntry).expect("an entry");
    let place = Path::root().then(PathStep::Entry(id));
    let set = |filling: &mut Filling, text: &str| {
        let edit = Edit::SetText(text.into());
        filling.draft.edit(&filling.form, &place, edit).expect("fits");
    };
    filling.edit(&[], Edit::RenameEntry(id, "n_a".into()));
    set(&mut filling, "1e");
    assert_eq!(filling.messages(), ["n_a: A whole number, such as 12."]);
    set(&mut filling, "12");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"n_a":12}"#));
    filling.edit(&[], Edit::RenameEntry(id, "x".into()));
    assert_eq!(
        filling.messages(),
        [
            "x: The schema does not define the property `x`, and the name does not match ^n_ or ^t_ (additionalProperties)."
        ]
    );
    filling.edit(&[], Edit::RenameEntry(id, "t_a".into()));
    assert_eq!(filling.messages(), ["t_a: Expected text, found a number (type)."]);
    filling.edit(&[], Edit::RenameEntry(id, "n_long".into()));
    assert_eq!(
        filling.messages(),
        ["n_long: The name `n_long`: At most 5 characters (maxLength), found 6."]
    );
    filling.edit(&[], Edit::RenameEntry(id, "n_b".into()));
    assert_eq!(filling.sent().as_deref(), Some(r#"{"n_b":12}"#), "nothing was lost on the way");
}

#[test]
fn a_missing_dependent_member_is_reported_at_its_place() {
    let mut filling = Filling::of(
        r#"{"type": "object", "properties": {"card": {"type": "string"}, "expiry": {"type": "string"}},
            "dependentRequired": {"card": ["expiry", "holder"]}}"#,
    );
    assert_eq!(filling.sent().as_deref(), Some("{}"));
    filling.type_text(&["card"], "4417");
    assert_eq!(
        filling.messages(),
        [
            "expiry: Required with `card` (dependentRequired).",
            ": `card` requires `holder` (dependentRequired)."
        ]
    );
}

#[test]
fn an_excluded_value_gets_a_message() {
    for (schema, value, expected) in [
        (
            r#"{"type": "string", "not": {"const": "root"}}"#,
            r#""root""#,
            "Anything but \"root\" (not).",
        ),
        (
            r#"{"type": "object", "not": {"required": ["a"]}}"#,
            r#"{"a":1}"#,
            "`a` must not be sent here (not).",
        ),
        (
            r#"{"type": "object", "not": {"required": ["a"], "properties": {"a": {"const": 1}}}}"#,
            r#"{"a":1}"#,
            "Must not match the excluded schema {\"required\":[\"a\"],\"properties\":{\"a\":{\"const\":1}}} (not).",
        ),
        (
            r#"{"oneOf": [{"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 3}]}"#,
            "2",
            "Matches 2 of the alternatives, but exactly one must match (oneOf).",
        ),
        (
            r#"{"type": "array", "contains": {"const": 1}}"#,
            "[2]",
            "At least one item must match {\"const\":1} (contains).",
        ),
    ] {
        let mut filling = Filling::of(schema);
        filling.edit(&[], Edit::Fill(JsonText::parse(value).expect("JSON")));
        assert_eq!(filling.messages(), [format!(": {expected}")], "{schema}");
        assert_eq!(filling.text(), value);
    }
}

/// [inspector 445: `$defs` and `$ref`]
#[test]
fn a_reference_is_filled_like_its_target() {
    let mut filling = Filling::of(
        r##"{"$defs": {"Unit": {"enum": ["celsius", "fahrenheit"]},
              "Reading": {"type": "object", "required": ["degrees"], "properties": {
                "degrees": {"type": "number"}, "unit": {"$ref": "#/$defs/Unit"}}}},
            "type": "object", "required": ["now"], "properties": {
              "now": {"$ref": "#/$defs/Reading"},
              "before": {"type": "array", "items": {"$ref": "#/$defs/Reading"}}}}"##,
    );
    filling.type_text(&["now", "degrees"], "21.50");
    filling.edit(&["now", "unit"], Edit::Choose(1));
    filling.edit(&["before"], Edit::AddItem);
    filling.type_text(&["before", "0", "degrees"], "-1");
    assert_eq!(
        filling.sent().as_deref(),
        Some(r#"{"now":{"degrees":21.50,"unit":"fahrenheit"},"before":[{"degrees":-1}]}"#)
    );
}

/// [inspector 2123: `anyOf` at the root]
#[test]
fn a_union_at_the_root_is_filled() {
    let mut filling = Filling::of(
        r#"{"anyOf": [
            {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
            {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}]}"#,
    );
    filling.type_text(&["id"], "7");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"id":7}"#));
    filling.edit(&[], Edit::ChooseBranch(1));
    filling.type_text(&["name"], "Ada");
    assert_eq!(filling.sent().as_deref(), Some(r#"{"name":"Ada"}"#));
}

/// [react-jsonschema-form 2661: unions within unions take minutes] Sixteen levels
/// of three branches: trying all combinations would not finish.
#[test]
fn nested_unions_take_linear_time() {
    let level = |level: u32| {
        let next = level + 1;
        format!(
            r##""l{level}": {{"anyOf": [
                {{"type": "object", "required": ["b", "inner"], "properties": {{
                    "b": {{"type": "boolean"}}, "inner": {{"$ref": "#/$defs/l{next}"}}}}}},
                {{"type": "object", "properties": {{
                    "b": {{"type": "boolean"}}, "inner": {{"$ref": "#/$defs/l{next}"}}}}}},
                {{"type": "integer"}}]}}"##
        )
    };
    let levels: Vec<_> = (0..16).map(level).collect();
    let schema = format!(
        r##"{{"$defs": {{{}, "l16": {{"type": "object", "properties": {{"end": {{"type": "integer"}}}}}}}},
            "$ref": "#/$defs/l0"}}"##,
        levels.join(",")
    );
    let mut value = r#"{"end":"not an integer"}"#.to_owned();
    for _ in 0..16 {
        value = format!(r#"{{"b":true,"inner":{value}}}"#);
    }
    let mut filling = Filling::of(&schema);
    filling.edit(&[], Edit::Fill(JsonText::parse(&value).expect("JSON")));
    assert_eq!(filling.text(), value);
    assert_eq!(filling.messages().len(), 1, "{:?}", filling.messages());
}

#[test]
fn common_values_are_copied_between_branches() {
    let mut filling = Filling::of(
        r#"{"oneOf": [
            {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}},
                "count": {"type": "number"}, "mode": {"const": "a"}}, "required": ["mode"]},
            {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 9},
                "count": {"type": "integer"}, "mode": {"const": "b"}}, "required": ["mode"]}]}"#,
    );
    filling.edit(
        &[],
        Edit::Fill(
            JsonText::parse(r#"{"tags":["x","y"],"count":12,"mode":"a","more":1}"#).expect("JSON"),
        ),
    );
    filling.edit(&[], Edit::ChooseBranch(1));
    assert_eq!(
        filling.sent().as_deref(),
        Some(r#"{"tags":["x","y"],"count":12,"mode":"b","more":1}"#)
    );
}

#[test]
fn a_tool_without_arguments_has_no_entries() {
    let empty = |schema: &str| Form::of_schema(&JsonText::parse(schema).expect("JSON")).is_empty();
    assert!(empty(r#"{"type": "object", "properties": {}}"#));
    assert!(!empty(r#"{"type": "object"}"#));
    assert!(!empty(r#"{"type": "object", "properties": {}, "additionalProperties": true}"#));
}

#[test]
fn a_unit_is_read_from_the_end_of_a_title() {
    for (title, unit) in [
        ("Temperature (°C)", Some("°C")),
        ("Timeout [ms]", Some("ms")),
        ("Speed (km/h) ", Some("km/h")),
        ("Notes (optional)", None),
        ("(alone)", None),
        ("Range (from low to high)", None),
        ("Plain", None),
    ] {
        let schema = serde_json::json!({"type": "number", "title": title});
        let form = Form::of_schema(&JsonText::from_value(&schema));
        assert_eq!(form.root().field().unit().as_deref(), unit, "{title}");
    }
}

/// The label must show what is sent.
#[test]
fn options_of_different_types_have_different_labels() {
    let labels = |schema: &str| -> Vec<String> {
        let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
        let FieldKind::Choice(options) = &form.root().field().kind else { panic!("a choice") };
        options.iter().map(|option| option.label.clone()).collect()
    };
    assert_eq!(
        labels(r#"{"enum": ["1", 1, "null", null, "true", true, "a", "[1]", [1]]}"#),
        ["\"1\"", "1", "\"null\"", "\"true\"", "true", "a", "\"[1]\"", "[1]"]
    );
    // Null is one of the options here; only ambiguous labels are quoted.
    assert_eq!(
        labels(r#"{"enum": ["null", "x", ""], "nullable": true}"#),
        ["\"null\"", "x", "\"\""]
    );
    assert_eq!(labels(r#"{"enum": ["1", "2", "a "]}"#), ["1", "2", "\"a \""]);
    assert_eq!(
        labels(r#"{"oneOf": [{"const": 1, "title": "One"}, {"const": "1", "title": "One"}]}"#),
        ["One — 1", "One — \"1\""]
    );
}

#[test]
fn options_never_look_alike() {
    let labels = |schema: &str| {
        let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
        let FieldKind::Choice(options) = &form.root().field().kind else { panic!("{schema}") };
        options.iter().map(|option| option.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        labels(r#"{"enum": ["a b", "a  b", "a\u00a0b", "a\nb", "ab", "a\u200bb", "c"]}"#),
        ["a b", r#""a \u0020b""#, r#""a\u00a0b""#, r#""a\nb""#, "ab", r#""a\u200bb""#, "c"]
    );
    // An accent may be a letter's or a character of its own.
    assert_eq!(labels(r#"{"enum": ["é", "e\u0301"]}"#), ["é", r#""e\u0301""#]);
    // An emoji that nothing looks like stays.
    assert_eq!(labels(r#"{"enum": ["❤\ufe0f", "no"]}"#), ["❤\u{fe0f}", "no"]);
    assert_eq!(
        labels(
            r#"{"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "One "}, {"const": "One — 1"}]}"#
        ),
        ["One — 1 (1)", "One  — 2", "One — 1 (3)"]
    );
}

#[test]
fn integers_that_would_be_rounded_are_reported_at_their_fields() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}, "f": {"type": "number"},
        "any": {"type": "object"}}}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let form = form.with_integers(Integers::Of64Bits);
    let mut filling = Filling { draft: Draft::blank(&form), form };
    filling.edit(&["n"], Edit::SetText("18446744073709551615".to_owned()));
    filling.edit(&["f"], Edit::SetText("1e400".to_owned()));
    assert!(filling.draft.read(&filling.form).json().is_some());
    filling.edit(&["n"], Edit::SetText("18446744073709551616".to_owned()));
    filling.edit(&["any"], Edit::AsJson);
    filling.edit(&["any"], Edit::SetText(r#"{"deep": [123456789012345678901]}"#.to_owned()));
    let reading = filling.draft.read(&filling.form);
    let messages: Vec<_> = reading.messages().iter().map(|message| message.text.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages[0].starts_with("18446744073709551616 does not fit in 64 bits"),
        "{messages:?}"
    );
    assert!(
        messages[1].starts_with("123456789012345678901 does not fit in 64 bits"),
        "{messages:?}"
    );
    assert_eq!(reading.messages()[0].path, filling.path(&["n"]));
}

/// Comparing all pairs would take billions of comparisons.
#[test]
fn an_enum_with_very_many_values_is_fast() {
    const VALUES: usize = 100_000;
    let values: Vec<String> = (0..VALUES).map(|number| format!("\"value {number}\"")).collect();
    let values = values.join(",");
    // In two layers, so that their intersection is computed as well.
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{"enum":[{values},"value 0"],"allOf":[{{"enum":[{values}]}}]}}}}}}"#
    );
    let filling = Filling::of(&schema);
    let path = filling.path(&["a"]);
    let slot = filling.draft.shape(&filling.form, &path).expect("a place");
    let FieldKind::Choice(options) = &slot.field().kind else { panic!("a choice") };
    assert_eq!(options.len(), VALUES, "the repeated value is listed once");
    assert_eq!(options[VALUES - 1].label, format!("value {}", VALUES - 1));
}

#[test]
fn arguments_that_need_no_input_differ_from_those_with_entries() {
    let of = |schema: &str| Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    for nothing in [
        r#"{"type":"object"}"#,
        r#"{"type":"object","properties":{}}"#,
        r#"{"type":"object","additionalProperties":true}"#,
        r#"{"type":"object","additionalProperties":{}}"#,
        r#"{"type":"object","additionalProperties":false}"#,
        "{}",
    ] {
        assert!(of(nothing).with_objects_only().needs_no_input(), "{nothing}");
        assert!(!of(nothing).needs_no_input(), "a member needs input: {nothing}");
    }
    for something in [
        r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
        r#"{"type":"object","required":["a"]}"#,
        r#"{"type":"object","minProperties":1}"#,
        r#"{"type":"object","not":{"maxProperties":0}}"#,
        r#"{"type":"object","additionalProperties":{"type":"number"}}"#,
        r#"{"type":"object","patternProperties":{"^x-":{}}}"#,
        r#"{"type":"object","propertyNames":{"maxLength":3}}"#,
        r#"{"type":"object","if":{"required":["a"]},"then":{"properties":{"b":{}}}}"#,
        r#"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
    ] {
        assert!(!of(something).with_objects_only().needs_no_input(), "{something}");
    }
}

#[test]
fn a_branch_has_only_its_own_annotations() {
    let schema = JsonText::parse(
        r##"{"description": "Where to.", "default": "home", "discriminator": {"propertyName": "kind",
            "mapping": {"address": "#/$defs/A1"}},
            "oneOf": [{"type": "string", "description": "A name.", "examples": ["home"]},
                {"type": "integer"}, {"$ref": "#/$defs/A1"}],
            "$defs": {"A1": {"type": "object", "properties": {"street": {"type": "string"}}}}}"##,
    )
    .expect("JSON");
    let form = Form::of_schema(&schema);
    let field = form.root().field();
    assert_eq!(field.description.as_deref(), Some("Where to."));
    let FieldKind::Union(branches) = &field.kind else { panic!("a union") };
    let texts: Vec<_> = branches
        .iter()
        .map(|branch| {
            let field = branch.slot.field();
            (branch.label.as_str(), field.description.as_deref(), field.default.is_some())
        })
        .collect();
    assert_eq!(
        texts,
        [("text", Some("A name."), false), ("integer", None, false), ("address", None, false)]
    );
}

/// Branches that only `discriminator.mapping` distinguishes.
#[test]
fn the_mapped_tag_selects_the_branch() {
    for (tag, mapping, texts) in [
        (r#"{"type":"string"}"#, ["cat", "dog"], [r#""cat""#, r#""dog""#, r#""cow""#]),
        // Each branch has all names.
        (r#"{"enum":["cat","dog","cow"]}"#, ["cat", "dog"], [r#""cat""#, r#""dog""#, r#""cow""#]),
        (r#"{"type":"integer"}"#, ["1", "2"], ["1", "2", "3"]),
    ] {
        let pet = format!(
            r#"{{"type":"object","properties":{{"name":{{"type":"string"}},"kind":{tag}}}}}"#
        );
        let schema = format!(
            r##"{{"oneOf":[{{"$ref":"#/$defs/Cat"}},{{"$ref":"#/$defs/Dog"}}],"$defs":{{"Cat":{pet},"Dog":{pet}}},
                "discriminator":{{"propertyName":"kind","mapping":{{"{}":"#/$defs/Cat","{}":"Dog"}}}}}}"##,
            mapping[0], mapping[1]
        );
        let mut filling = Filling::of(&schema);
        let check = Check::of(&JsonText::parse(&schema).expect("JSON")).expect("a schema");
        let [cat, dog, other] = texts;
        assert_eq!(filling.text(), format!(r#"{{"kind":{cat}}}"#), "texts by the branch alone");
        filling.type_text(&["name"], "Pim");
        filling.draft.edit(&filling.form, &Path::root(), Edit::ChooseBranch(1)).expect("a union");
        assert_eq!(filling.sent(), Some(format!(r#"{{"kind":{dog},"name":"Pim"}}"#)));

        for (value, branch) in [(cat, 0), (dog, 1)] {
            let value = format!(r#"{{"kind":{value},"name":"Pim"}}"#);
            let value = JsonText::parse(&value).expect("JSON");
            assert_eq!(check.violations(&value), []);
            let draft = filling.form.fill(&value);
            let Some(Content::Union { branch: chosen, .. }) =
                draft.at(&Path::root()).and_then(|entered| entered.content())
            else {
                panic!("a union")
            };
            assert_eq!(*chosen, branch, "{value}");
            assert_eq!(draft.read(&filling.form).json(), Some(&value));
        }
        for refused in [format!(r#"{{"kind":{other},"name":"Pim"}}"#), r#"{"name":"Pim"}"#.into()] {
            let value = JsonText::parse(&refused).expect("JSON");
            assert_ne!(filling.form.fill(&value).read(&filling.form).messages(), [], "{value}");
            assert_ne!(check.violations(&value), [], "{value}");
        }
    }
}

#[test]
fn draft_7_ignores_keywords_of_later_drafts() {
    let takes = |edition: &str, keyword: &str, value: &str| {
        let schema = format!(
            r##"{{"$schema":"{edition}","properties":{{"a":{{{keyword}}}}},"$defs":{{"s":{{"$dynamicAnchor":"s","type":"string"}}}}}}"##
        );
        let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
        let value = JsonText::parse(value).expect("JSON");
        form.fill(&value).read(&form).messages().is_empty()
    };
    for (keyword, value) in [
        (r#""type":"array","prefixItems":[{"type":"string"}]"#, r#"{"a":[null]}"#),
        (r##""$dynamicRef":"#s""##, r#"{"a":5}"#),
    ] {
        assert!(takes("http://json-schema.org/draft-07/schema#", keyword, value), "{keyword}");
        assert!(
            !takes("https://json-schema.org/draft/2020-12/schema", keyword, value),
            "{keyword}"
        );
    }
}

/// Draft 7, 8.3: keywords beside `$ref` are ignored, but still label the field.
#[test]
fn keywords_beside_a_draft_7_reference_are_ignored() {
    let of = |edition: &str, beside: &str| {
        let schema = format!(
            r##"{{"$schema":"{edition}","properties":{{"a":{{"$ref":"#/definitions/z",
                "title":"A","default":"d",{beside}}}}},"definitions":{{"z":{{"type":"string"}}}}}}"##
        );
        let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
        let value = JsonText::parse(r#"{"a":"abc"}"#).expect("JSON");
        let FieldKind::Object(object) = &form.root().field().kind else { panic!("an object") };
        let field = object.members[0].field();
        assert_eq!(field.title.as_deref(), Some("A"));
        assert_eq!(field.default.as_ref().map(JsonText::as_str), Some("\"d\""));
        form.fill(&value).read(&form).messages().is_empty()
    };
    for beside in [
        r#""minLength":100"#,
        r#""enum":["x"]"#,
        r#""not":{"type":"string"}"#,
        r#""pattern":"^z$""#,
    ] {
        assert!(of("http://json-schema.org/draft-07/schema#", beside), "{beside}");
        assert!(of("http://json-schema.org/draft-04/schema#", beside), "{beside}");
        assert!(!of("https://json-schema.org/draft/2020-12/schema", beside), "{beside}");
    }
}

#[test]
fn a_value_fills_the_branch_whose_widgets_hold_it() {
    let schema = r#"{"anyOf":[{"type":"string"},
        {"type":"object","properties":{"q":{"anyOf":[{"type":"boolean"},{"type":"integer"}]}},"required":["q"]},
        {"oneOf":[
            {"type":"object","title":"Dog","properties":{"kind":{"const":"dog"},"p":{"type":"integer"}},"required":["kind"]},
            {"type":"object","title":"Eel","properties":{"kind":{"const":"eel"},"q":{"anyOf":[
                {"type":"boolean"},{"type":"string","pattern":"^\\d{5}$"}]}},"required":["kind"]}]}]}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let branch = |value: &str| {
        let draft = form.fill(&JsonText::parse(value).expect("JSON"));
        match draft.at(&Path::root()).and_then(|it| it.sent()) {
            Some(Content::Union { branch, .. }) => *branch,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(branch(r#"{"kind":"eel","q":"12345"}"#), 2);
    assert_eq!(branch(r#"{"q":7}"#), 1);
}
