//! Parses a query: the operators and their operands.

use std::borrow::Cow;
use std::cmp::Ordering;

use json_text::{JsonText, JsonValue, Kind};
use regex::{Regex, RegexBuilder};

use super::condition::{Test, TypeName};
use super::query::Clause;
use crate::config_fault::ConfigFault;
use crate::json::pointer_step;
use crate::nearest::nearest;

/// Conditions within conditions, at most.
const DEEPEST: usize = 100;

/// Operators on a list of conditions.
const LOGICAL: [&str; 3] = ["$and", "$or", "$nor"];

/// Operators on a value.
const OPERATORS: [&str; 17] = [
    "$eq",
    "$ne",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$in",
    "$nin",
    "$exists",
    "$type",
    "$regex",
    "$options",
    "$size",
    "$all",
    "$elemMatch",
    "$mod",
    "$not",
];

type Operands<'d> = Vec<(Cow<'d, str>, JsonValue<'d>)>;

/// The conditions of an object.
pub(super) fn clauses(
    value: JsonValue<'_>,
    place: &str,
    depth: usize,
) -> Result<Vec<Clause>, ConfigFault> {
    if value.kind() != Kind::Object {
        return Err(ConfigFault::new(place, "a query must be an object of paths and conditions"));
    }
    if depth > DEEPEST {
        return Err(ConfigFault::new(place, "the query is nested more than 100 deep; flatten it"));
    }
    let mut clauses = Vec::new();
    for (name, operand) in value.entries() {
        let place = format!("{place}{}", pointer_step(&name));
        clauses.push(match &*name {
            "$comment" => continue,
            "$and" => Clause::And(list(operand, &name, &place, depth)?),
            "$or" => Clause::Or(list(operand, &name, &place, depth)?),
            "$nor" => Clause::Nor(list(operand, &name, &place, depth)?),
            _ if name.starts_with('$') => return Err(unknown(&name, &place, &LOGICAL)),
            _ => Clause::Field {
                path: name.to_string(),
                tests: tests(operand, &place, depth)?,
                asked: operand.to_json(),
            },
        });
    }
    Ok(clauses)
}

fn list(
    value: JsonValue<'_>,
    name: &str,
    place: &str,
    depth: usize,
) -> Result<Vec<Clause>, ConfigFault> {
    if value.kind() != Kind::Array || value.is_empty() {
        return Err(ConfigFault::new(
            place,
            format!("{name} must be an array of at least one query"),
        ));
    }
    let queries = value.items().enumerate();
    queries
        .map(|(at, query)| Ok(Clause::And(clauses(query, &format!("{place}/{at}"), depth + 1)?)))
        .collect()
}

/// The tests of a value: operators, or a value that it must be equal to.
fn tests(value: JsonValue<'_>, place: &str, depth: usize) -> Result<Vec<Test>, ConfigFault> {
    let operands = value.entries();
    let is_operator = |entry: &(Cow<'_, str>, JsonValue<'_>)| entry.0.starts_with('$');
    if !operands.iter().any(is_operator) {
        return Ok(vec![Test::Equal(literal(value, place, Some(""), "$eq")?)]);
    }
    if let Some((name, _)) = operands.iter().find(|entry| !is_operator(entry)) {
        let place = format!("{place}{}", pointer_step(name));
        let message = "operators and members cannot be combined; write the path as name.member, or \
                       $eq for a whole object";
        return Err(ConfigFault::new(&place, message));
    }
    of_operators(&operands, place, depth)
}

fn of_operators(
    operands: &Operands<'_>,
    place: &str,
    depth: usize,
) -> Result<Vec<Test>, ConfigFault> {
    if depth > DEEPEST {
        return Err(ConfigFault::new(place, "the query is nested more than 100 deep; flatten it"));
    }
    let mut tests = Vec::new();
    for (name, operand) in operands {
        let place = format!("{place}{}", pointer_step(name));
        let order =
            |orders| Ok::<_, ConfigFault>(Test::Order(ordered(*operand, name, &place)?, orders));
        tests.push(match &**name {
            "$eq" => Test::Equal(operand.to_json()),
            "$ne" => Test::Not(vec![Test::Equal(differing(*operand, &place)?)]),
            "$gt" => order(&[Ordering::Greater])?,
            "$gte" => order(&[Ordering::Greater, Ordering::Equal])?,
            "$lt" => order(&[Ordering::Less])?,
            "$lte" => order(&[Ordering::Less, Ordering::Equal])?,
            "$in" => Test::In(choices(*operand, name, &place)?),
            "$nin" => Test::Not(vec![Test::In(choices(*operand, name, &place)?)]),
            "$exists" => Test::Exists(truth(*operand, &place)?),
            "$type" => Test::Type(types(*operand, &place)?),
            "$regex" => Test::Regex(pattern(*operand, operands, &place)?),
            "$options" if operands.iter().any(|(name, _)| name == "$regex") => continue,
            "$options" => return Err(ConfigFault::new(&place, "$options requires $regex")),
            "$size" => Test::Size(size(*operand, &place, depth)?),
            "$all" => Test::All(all(*operand, &place, depth)?),
            "$elemMatch" => Test::Element(Box::new(element(*operand, &place, depth)?)),
            "$mod" => modulo(*operand, &place)?,
            "$not" => Test::Not(negated(*operand, &place, depth)?),
            _ => return Err(unknown(name, &place, &OPERATORS)),
        });
    }
    Ok(tests)
}

fn unknown(name: &str, place: &str, known: &[&str]) -> ConfigFault {
    let meant = nearest(name, known.iter().copied());
    ConfigFault::new(place, format!("unknown operator {name}; {meant}"))
}

fn ordered(value: JsonValue<'_>, name: &str, place: &str) -> Result<JsonText, ConfigFault> {
    match value.kind() {
        Kind::Number | Kind::String | Kind::Bool => Ok(value.to_json()),
        _ => {
            Err(ConfigFault::new(place, format!("{name} must be a number, a string or a boolean")))
        }
    }
}

fn truth(value: JsonValue<'_>, place: &str) -> Result<bool, ConfigFault> {
    match value.text() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ConfigFault::new(place, "$exists must be true or false")),
    }
}

/// The value of `$ne`. Operators in it would leave it different from everything.
fn differing(value: JsonValue<'_>, place: &str) -> Result<JsonText, ConfigFault> {
    let entries = value.entries();
    match entries.iter().find(|(name, _)| operator(name).is_some()) {
        Some((name, _)) => Err(ConfigFault::new(
            &format!("{place}{}", pointer_step(name)),
            format!(
                "{name} stands in $ne, which compares a value as a whole; use $not for operators"
            ),
        )),
        None => literal(value, place, Some(""), "$not with $eq"),
    }
}

/// A value that must be equal as it is. An operator in it would never apply, and is refused.
///
/// `path` leads to the value from that of its condition. An item of a list has none. `as_it_is` are the operators for a
/// value that has such a name in it.
fn literal(
    value: JsonValue<'_>,
    place: &str,
    path: Option<&str>,
    as_it_is: &str,
) -> Result<JsonText, ConfigFault> {
    // Recorded states can be large, and rarely have such names.
    if !value.text().contains("\"$") {
        return Ok(value.to_json());
    }
    let mut open = vec![(value, place.to_owned(), path.map(str::to_owned))];
    while let Some((value, place, path)) = open.pop() {
        for (name, member) in value.entries() {
            let place = format!("{place}{}", pointer_step(&name));
            if let Some(operator) = operator(&name) {
                let message = misplaced(&name, operator, path.as_deref(), as_it_is);
                return Err(ConfigFault::new(&place, message));
            }
            let path = path.as_ref().map(|path| format!("{path}.{name}"));
            open.push((member, place, path));
        }
        // Of an object, items are its members.
        if value.kind() == Kind::Array {
            for (at, item) in value.items().enumerate() {
                open.push((item, format!("{place}/{at}"), None));
            }
        }
    }
    Ok(value.to_json())
}

fn misplaced(name: &str, operator: &str, path: Option<&str>, as_it_is: &str) -> String {
    let meant =
        if name == operator { String::new() } else { format!(" (did you mean {operator}?)") };
    match path {
        Some(path) => format!(
            "{name}{meant} stands in an object that is compared as a whole; write the path to its value, which ends in \
             {path}, or {as_it_is} for the object as it is"
        ),
        None => format!(
            "{name}{meant} stands in a list whose items are compared as a whole; use $elemMatch or $or, or {as_it_is} for \
             the list as it is"
        ),
    }
}

/// Names with `$` that data has: those of JSON Schema and of MongoDB's extended JSON.
const DATA: [&str; 18] = [
    "$ref",
    "$id",
    "$schema",
    "$defs",
    "$anchor",
    "$comment",
    "$vocabulary",
    "$dynamicRef",
    "$dynamicAnchor",
    "$oid",
    "$date",
    "$uuid",
    "$binary",
    "$timestamp",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
];

/// The operator that a name of a member is, or is mistyped for.
#[must_use]
pub fn operator(name: &str) -> Option<&'static str> {
    if !name.starts_with('$') || DATA.contains(&name) {
        return None;
    }
    let operators = OPERATORS.iter().chain(&LOGICAL).copied();
    let distance = |operator: &str| strsim::damerau_levenshtein(name, operator);
    let nearest = operators.min_by_key(|operator| distance(operator))?;
    (distance(nearest) <= 2).then_some(nearest)
}

fn choices(value: JsonValue<'_>, name: &str, place: &str) -> Result<Vec<JsonText>, ConfigFault> {
    if value.kind() == Kind::Array {
        let choice = |(at, item)| literal(item, &format!("{place}/{at}"), None, "$eq");
        value.items().enumerate().map(choice).collect()
    } else {
        Err(ConfigFault::new(place, format!("{name} must be an array")))
    }
}

fn types(value: JsonValue<'_>, place: &str) -> Result<Vec<TypeName>, ConfigFault> {
    let of = |value: JsonValue<'_>| {
        let found = match value.string() {
            Some(name) => TypeName::parse(&name),
            None => TypeName::from_number(value.text()),
        };
        found.ok_or_else(|| {
            let name = value.string().unwrap_or(Cow::Borrowed(value.text()));
            let meant = nearest(&name, TypeName::NAMES);
            ConfigFault::new(place, format!("unknown type {name}; {meant}"))
        })
    };
    if value.kind() == Kind::Array { value.items().map(of).collect() } else { Ok(vec![of(value)?]) }
}

fn pattern(
    value: JsonValue<'_>,
    operands: &Operands<'_>,
    place: &str,
) -> Result<Regex, ConfigFault> {
    let Some(text) = value.string() else {
        return Err(ConfigFault::new(place, "$regex must be a string"));
    };
    let options = operands.iter().find(|(name, _)| name == "$options");
    let options = options.and_then(|(_, options)| options.string()).unwrap_or_default();
    if let Some(other) = options.chars().find(|option| !"imsx".contains(*option)) {
        let message = format!("unknown option {other:?} of $regex; known are i, m, s, x");
        return Err(ConfigFault::new(place, message));
    }
    let has = |option: char| options.contains(option);
    let built = RegexBuilder::new(&text)
        .case_insensitive(has('i'))
        .multi_line(has('m'))
        .dot_matches_new_line(has('s'))
        .ignore_whitespace(has('x'))
        .build();
    built.map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        ConfigFault::new(place, format!("invalid pattern: {reason}"))
    })
}

/// `$size` is a number or, beyond MongoDB, operators such as `{"$size": {"$gte": 2}}`.
fn size(value: JsonValue<'_>, place: &str, depth: usize) -> Result<Box<[Test]>, ConfigFault> {
    match value.kind() {
        Kind::Number if value.text().parse().is_ok_and(|size: f64| size < 0.0) => {
            Err(ConfigFault::new(place, "$size must not be negative"))
        }
        Kind::Number => Ok(Box::new([Test::Equal(value.to_json())])),
        Kind::Object => Ok(of_operators(&value.entries(), place, depth + 1)?.into()),
        _ => Err(ConfigFault::new(place, "$size must be a number, or operators for one")),
    }
}

fn all(value: JsonValue<'_>, place: &str, depth: usize) -> Result<Vec<Test>, ConfigFault> {
    if value.kind() != Kind::Array {
        return Err(ConfigFault::new(place, "$all must be an array"));
    }
    let tests = value.items().enumerate().map(|(at, item)| {
        let place = format!("{place}/{at}");
        match item.member("$elemMatch") {
            Some(inner) if item.len() == 1 => {
                let place = format!("{place}/$elemMatch");
                Ok(Test::Element(Box::new(element(inner, &place, depth)?)))
            }
            _ => Ok(Test::Equal(literal(item, &place, None, "$eq")?)),
        }
    });
    tests.collect()
}

/// A query for items that are objects, or operators for the items themselves.
fn element(value: JsonValue<'_>, place: &str, depth: usize) -> Result<Clause, ConfigFault> {
    let entries = value.entries();
    let is_query = |name: &str| !name.starts_with('$') || LOGICAL.contains(&name);
    if entries.is_empty() || entries.iter().all(|(name, _)| is_query(name)) {
        Ok(Clause::And(clauses(value, place, depth + 1)?))
    } else {
        Ok(Clause::Itself(of_operators(&entries, place, depth + 1)?))
    }
}

fn negated(value: JsonValue<'_>, place: &str, depth: usize) -> Result<Vec<Test>, ConfigFault> {
    let entries = value.entries();
    if entries.is_empty() || !entries.iter().all(|(name, _)| name.starts_with('$')) {
        return Err(ConfigFault::new(
            place,
            "$not must be an object of operators; use $ne for a value",
        ));
    }
    of_operators(&entries, place, depth + 1)
}

fn modulo(value: JsonValue<'_>, place: &str) -> Result<Test, ConfigFault> {
    let numbers: Option<Vec<i128>> = value.items().map(|item| item.text().parse().ok()).collect();
    match numbers.as_deref() {
        Some([divisor, remainder]) if *divisor != 0 => Ok(Test::Mod(*divisor, *remainder)),
        _ => Err(ConfigFault::new(
            place,
            "$mod must be an array of a divisor, not 0, and a remainder",
        )),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::state::Query;
    use json_text::JsonText;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    const STATE: &str = r#"{
        "level": "emergency_999", "asked": 4, "big": 9007199254740993, "ratio": 0.5,
        "patient": {"age": 55, "known": ["asthma", "hypertension"], "name": null},
        "seats": [{"row": 3, "price": 20, "aisle": "A"}, {"row": 4, "price": 45}], "grid": [[1, 2], [3]],
        "done": true, "tags": []
    }"#;

    fn check(query: &str, holds: bool) {
        let parsed = Query::parse(&json(query)).unwrap_or_else(|fault| panic!("{query}: {fault}"));
        assert_eq!(parsed.holds(&json(STATE)), holds, "{query}");
    }

    #[test]
    fn operators() {
        for (query, holds) in [
            ("{}", true),
            (r#"{"level":"emergency_999"}"#, true),
            (r#"{"asked":4.0}"#, true),
            (r#"{"done":1}"#, false),
            (r#"{"big":9007199254740992}"#, false),
            (r#"{"big":{"$gt":9007199254740992}}"#, true),
            (r#"{"asked":{"$gte":4,"$lt":4}}"#, false),
            (r#"{"asked":{"$lte":4,"$ne":5}}"#, true),
            (r#"{"asked":{"$gt":"3"}}"#, false),
            (r#"{"level":{"$gt":"a"}}"#, true),
            (r#"{"level":{"$exists":true},"other":{"$exists":false}}"#, true),
            (r#"{"patient.name":{"$exists":true}}"#, true),
            (r#"{"patient.name":null,"nothing":null}"#, true),
            (r#"{"patient.name":{"$type":"null"}}"#, true),
            (r#"{"nothing":{"$type":"null"}}"#, false),
            (r#"{"nothing":{"$ne":1}}"#, true),
            (r#"{"level":{"$in":["a","emergency_999"]}}"#, true),
            (r#"{"level":{"$nin":["a"]},"nothing":{"$nin":["a"]}}"#, true),
            (r#"{"nothing":{"$in":[null]}}"#, true),
            (r#"{"seats.aisle":null,"seats.row":{"$nin":[null]}}"#, true),
            (r#"{"seats.aisle":{"$nin":[null]}}"#, false),
            (r#"{"seats.aisle":{"$in":[1,null]}}"#, true),
            (r#"{"seats.price":null}"#, false),
            (r#"{"tags.name":null}"#, false),
            (r#"{"patient.known.name":null}"#, false),
            (r#"{"asked.deeper.still":null}"#, true),
            (r#"{"patient.known":"asthma"}"#, true),
            (r#"{"patient.known":["asthma","hypertension"]}"#, true),
            (r#"{"patient.known":["hypertension","asthma"]}"#, false),
            (r#"{"patient.known":{"$all":["hypertension","asthma"]}}"#, true),
            (r#"{"patient.known":{"$all":[]}}"#, false),
            (r#"{"patient.known":{"$size":2}}"#, true),
            (r#"{"patient.known":{"$size":{"$gt":2}}}"#, false),
            (r#"{"tags":{"$size":0}}"#, true),
            (r#"{"patient.known.1":{"$regex":"^HYPER","$options":"i"}}"#, true),
            (r#"{"level":{"$not":{"$regex":"111"}}}"#, true),
            (r#"{"level":{"$not":{"$eq":"emergency_999"}}}"#, false),
            (r#"{"seats.row":4}"#, true),
            (r#"{"seats":{"$elemMatch":{"row":3,"price":{"$gt":30}}}}"#, false),
            (r#"{"seats":{"$elemMatch":{"row":4,"price":{"$gt":30}}}}"#, true),
            (r#"{"seats.row":3,"seats.price":45}"#, true),
            (r#"{"grid":{"$elemMatch":{"$elemMatch":{"$gte":3}}}}"#, true),
            (r#"{"seats":{"$all":[{"$elemMatch":{"row":3}},{"$elemMatch":{"row":4}}]}}"#, true),
            (r#"{"patient":{"age":55}}"#, false),
            (r#"{"patient":{"$eq":{"age":{"$gte":3}}}}"#, false),
            (r#"{"patient":{"$not":{"$eq":{"age":{"$gte":3}}}}}"#, true),
            (r##"{"patient":{"$ne":{"age":{"$ref":"#/a"}}}}"##, true),
            (r#"{"patient.known":{"$ne":["asthma"]},"patient":{"$ne":{"age":55}}}"#, true),
            (r##"{"patient":{"age":{"$ref":"#/a"}}}"##, false),
            (r#"{"patient":{"name":null,"age":55,"known":["asthma","hypertension"]}}"#, true),
            (r#"{"$or":[{"asked":9},{"level":{"$regex":"999$"}}]}"#, true),
            (r#"{"$and":[{"asked":4},{"$nor":[{"asked":4}]}]}"#, false),
            (r#"{"asked":{"$mod":[2,0]}}"#, true),
            (r#"{"ratio":{"$type":["double","string"]},"asked":{"$type":"int"}}"#, true),
            (r#"{"big":{"$type":18},"asked":{"$type":"double"}}"#, false),
            (r#"{"$comment":"why","done":true}"#, true),
        ] {
            check(query, holds);
        }
    }

    fn check_fault(query: &str, expected: &Expect) {
        expected.assert_eq(&Query::parse(&json(query)).expect_err("refused").to_string());
    }

    #[test]
    fn errors_have_a_path_and_a_remedy() {
        check_fault(
            r#"{"a":{"$gret":1}}"#,
            &expect!["/a/$gret: unknown operator $gret; did you mean $gt?"],
        );
        check_fault(
            r#"{"$andd":[]}"#,
            &expect!["/$andd: unknown operator $andd; did you mean $and?"],
        );
        check_fault(
            r#"{"$where":"x"}"#,
            &expect!["/$where: unknown operator $where; known are $and, $or, $nor"],
        );
        check_fault(
            r#"{"a":{"$gt":1,"b":2}}"#,
            &expect![
                "/a/b: operators and members cannot be combined; write the path as name.member, or $eq for a whole object"
            ],
        );
        check_fault(
            r#"{"done":{"order":{"level":{"$gte":3}}}}"#,
            &expect![
                "/done/order/level/$gte: $gte stands in an object that is compared as a whole; write the path to its value, which ends in .order.level, or $eq for the object as it is"
            ],
        );
        check_fault(
            r#"{"seats":[{"row":{"$gte":3}}]}"#,
            &expect![
                "/seats/0/row/$gte: $gte stands in a list whose items are compared as a whole; use $elemMatch or $or, or $eq for the list as it is"
            ],
        );
        check_fault(
            r#"{"done":{"level":{"$gret":3}}}"#,
            &expect![
                "/done/level/$gret: $gret (did you mean $gt?) stands in an object that is compared as a whole; write the path to its value, which ends in .level, or $eq for the object as it is"
            ],
        );
        check_fault(
            r#"{"order":{"$ne":{"total":{"$gte":2}}}}"#,
            &expect![
                "/order/$ne/total/$gte: $gte stands in an object that is compared as a whole; write the path to its value, which ends in .total, or $not with $eq for the object as it is"
            ],
        );
        check_fault(
            r#"{"order":{"$not":{"$ne":[{"total":{"$gte":2}}]}}}"#,
            &expect![
                "/order/$not/$ne/0/total/$gte: $gte stands in a list whose items are compared as a whole; use $elemMatch or $or, or $not with $eq for the list as it is"
            ],
        );
        check_fault(
            r#"{"total":{"$ne":{"$gte":2}}}"#,
            &expect![
                "/total/$ne/$gte: $gte stands in $ne, which compares a value as a whole; use $not for operators"
            ],
        );
        for query in [r#"{"a":{"$in":[1,{"$gte":3}]}}"#, r#"{"a":{"$all":[{"$gte":3}]}}"#] {
            assert!(Query::parse(&json(query)).is_err(), "{query}");
        }
        check_fault(
            r#"{"a":{"$gt":{}}}"#,
            &expect!["/a/$gt: $gt must be a number, a string or a boolean"],
        );
        check_fault(r#"{"a":{"$size":-1}}"#, &expect!["/a/$size: $size must not be negative"]);
        check_fault(r#"{"$or":[]}"#, &expect!["/$or: $or must be an array of at least one query"]);
        check_fault(r#"[]"#, &expect!["a query must be an object of paths and conditions"]);
        check_fault(
            r#"{"a":{"$type":"date"}}"#,
            &expect![
                "/a/$type: unknown type date; known are object, array, string, bool, boolean, null, number, int, long, integer, double"
            ],
        );
        check_fault(
            r#"{"a":{"$regex":"("}}"#,
            &expect!["/a/$regex: invalid pattern: unclosed group"],
        );
        let deep = format!("{}{{}}{}", r#"{"$and":["#.repeat(150), "]}".repeat(150));
        assert!(Query::parse(&json(&deep)).is_err());
        let deep = format!(r#"{{"a":{}1{}}}"#, r#"{"$not":"#.repeat(150), "}".repeat(150));
        assert!(Query::parse(&json(&deep)).is_err());
    }
}
