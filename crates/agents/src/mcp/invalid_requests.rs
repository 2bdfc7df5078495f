//! [`invalid_params`]: why an elicitation or sampling request is rejected.

#![expect(deprecated, reason = "sampling leaves the protocol; servers use it all the same")]

use rmcp::model::{CreateMessageRequestParams, ElicitationSchema};
use serde_json::{Map, Value, json};

/// Why the library could not read the request; `None` for other requests.
pub(super) fn invalid_params(method: &str, params: Option<&Value>) -> Option<String> {
    let is_question = ["elicitation/create", "sampling/createMessage"].contains(&method);
    let Some(params) = params else {
        return is_question.then(|| "its `params` are missing".to_owned());
    };
    let reason = match method {
        "elicitation/create" => invalid_form(params),
        "sampling/createMessage" => {
            serde_json::from_value::<CreateMessageRequestParams>(params.clone())
                .err()
                .map(|error| error.to_string())
        }
        _ => return None,
    };
    Some(reason.unwrap_or_else(|| "its parameters cannot be read".to_owned()))
}

/// Why no person can complete a form with these fields, although the library reads it.
pub(super) fn empty_choice(schema: &Value) -> Option<String> {
    let is_empty = |values: Option<&Value>| {
        values.and_then(Value::as_array).is_some_and(|values| values.is_empty())
    };
    let offers_nothing = |property: &Value| {
        ["/enum", "/oneOf", "/items/enum", "/items/anyOf"]
            .into_iter()
            .any(|values| is_empty(property.pointer(values)))
    };
    let properties = schema["properties"].as_object()?;
    let (name, _) = properties.iter().find(|(_, property)| offers_nothing(property))?;
    Some(format!("the property `{name}` of its form is a choice without values"))
}

fn invalid_form(params: &Value) -> Option<String> {
    if !params["message"].is_string() {
        return Some("it has no `message`".to_owned());
    }
    match params.get("mode").map(Value::as_str) {
        Some(Some("url")) if !params["url"].is_string() => {
            return Some("it has no `url`".to_owned());
        }
        None | Some(Some("form" | "url")) => {}
        _ => return Some("its `mode` is neither `form` nor `url`".to_owned()),
    }
    let Some(schema) = params.get("requestedSchema") else {
        return Some("it has no `requestedSchema`".to_owned());
    };
    let Some(properties) = schema["properties"].as_object() else {
        return Some("its `requestedSchema` has no `properties`".to_owned());
    };
    let odd = properties.iter().find(|(name, property)| {
        let alone = Map::from_iter([((*name).clone(), (*property).clone())]);
        let alone = json!({"type": "object", "properties": alone});
        serde_json::from_value::<ElicitationSchema>(alone).is_err()
    });
    if let Some((name, _)) = odd {
        return Some(format!(
            "the property `{name}` of its form is of a type that the protocol does not allow. \
             Use text, numbers, booleans or choices"
        ));
    }
    let fault = serde_json::from_value::<ElicitationSchema>(schema.clone()).err();
    fault.map(|error| format!("its `requestedSchema` cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(params: &Value) -> String {
        invalid_params("elicitation/create", Some(params)).expect("a question")
    }

    #[test]
    fn gives_the_reason_and_where() {
        let nested = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {
            "fine": {"type": "string"},
            "address": {"type": "object", "properties": {"street": {"type": "string"}}}}}});
        assert!(form(&nested).contains("the property `address`"));
        assert_eq!(form(&json!({"message": "?"})), "it has no `requestedSchema`");
        assert_eq!(form(&json!({"requestedSchema": {}})), "it has no `message`");
        assert_eq!(form(&json!({"message": "?", "mode": "url"})), "it has no `url`");
        let missing = invalid_params("elicitation/create", None).expect("a question");
        assert!(missing.contains("are missing"), "{missing}");
        let role = json!({"maxTokens": 1, "messages": [
            {"role": "alien", "content": {"type": "text", "text": "?"}}]});
        let actual = invalid_params("sampling/createMessage", Some(&role)).expect("a question");
        assert!(actual.contains("alien"), "{actual}");
        let empty = json!({"properties": {"kind": {"type": "string", "enum": []}}});
        assert!(empty_choice(&empty).is_some_and(|actual| actual.contains("`kind`")));
        assert_eq!(empty_choice(&json!({"properties": {"kind": {"enum": ["a"]}}})), None);
        assert_eq!(invalid_params("tasks/unknown", None), None);
    }
}
