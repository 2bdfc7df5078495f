//! The form's diagnostics as findings: what no widget can express.

use schema_form::{Form, Reason};

use crate::{Report, Rule};

pub(crate) fn check(form: &Form, report: &mut Report) {
    for diagnostic in form.diagnostics() {
        let pointer = &diagnostic.pointer;
        let (rule, remedy) = match &diagnostic.reason {
            Reason::RefCycle { .. } => (Rule::ReferenceCircular, "reference a definition"),
            Reason::RefNotFound { .. } => {
                (Rule::ReferenceBroken, "add the definition under `$defs`, or correct the name")
            }
            Reason::UnknownType { .. } => {
                (Rule::TypeUnknown, "write string, number, integer, boolean, array, object or null")
            }
            Reason::WrongShape { .. } => {
                (Rule::KeywordShape, "use the shape that JSON Schema requires")
            }
            Reason::NotASchema => {
                (Rule::NotASchema, "write an object such as {\"type\": \"string\"}")
            }
            // Where the constraint itself was found, nothing is added by its consequence.
            Reason::NothingValid if report.has_error_within(pointer) => continue,
            Reason::NothingValid => (Rule::NothingValid, "remove the contradiction"),
            Reason::BranchDead => (Rule::BranchDead, "remove the branch, or what excludes it"),
            Reason::TooDeep { .. } => (Rule::TooDeep, "flatten it"),
            Reason::LongChain { .. } => (Rule::TooDeep, "reference the definition directly"),
        };
        let message = format!(
            "{} The form has only JSON mode here: {remedy}.",
            diagnostic.reason.to_string().trim()
        );
        report.find(rule, pointer, message);
    }
}
