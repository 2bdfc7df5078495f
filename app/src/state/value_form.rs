//! One value that a person enters: arguments, a structured query or answer, a supplied result.
//!
//! The seam between the page and the form: whoever wants a value holds a [`ValueForm`], and does not
//! know how the value is entered.

use json_text::JsonText;
use schema_form::{Form, Integers};

use crate::state::form::use_form;

pub use crate::state::form::FormState as ValueForm;

/// A form for a value of `schema`; without one, for nothing. Other integers than `integers` are
/// shown at their fields.
#[must_use]
pub fn use_value_form(schema: Option<&JsonText>, integers: Integers) -> ValueForm {
    let form = schema.map_or_else(Form::no_arguments, Form::of_schema);
    use_form(form.with_integers(integers), None)
}

/// A form for a tool's arguments: an object, whatever the schema says.
#[must_use]
pub fn use_arguments_form(schema: Option<&JsonText>, integers: Integers) -> ValueForm {
    let form = schema.map_or_else(Form::no_arguments, Form::of_schema);
    use_form(form.with_integers(integers).with_objects_only(), None)
}

/// A form for any value, as JSON text at first, starting from `begin`.
#[must_use]
pub fn use_any_form(begin: &JsonText) -> ValueForm {
    let form = use_form(Form::any(), Some(begin));
    form.show_json();
    form
}
