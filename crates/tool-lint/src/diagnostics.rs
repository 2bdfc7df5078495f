//! The form's diagnostics as findings: what no widget can express.

use schema_form::{Form, Reason};

use crate::{Report, Rule};

pub(crate) fn check(form: &Form, report: &mut Report) {
    for diagnostic in form.diagnostics() {
        let pointer = &diagnostic.pointer;
        let (rule, remedy) = match &diagnostic.reason {
            Reason::RefCycle { .. } => (Rule::ReferenceCircular, "let it lead to a definition"),
            Reason::RefNotFound { .. } => {
                (Rule::ReferenceBroken, "add the definition under `$defs`, or correct the name")
            }
            Reason::UnknownType { .. } => {
                (Rule::TypeUnknown, "write string, number, integer, boolean, array, object or null")
            }
            Reason::WrongShape { .. } => (Rule::KeywordShape, "see what JSON Schema wants there"),
            Reason::NotASchema => {
                (Rule::NotASchema, "write an object such as {\"type\": \"string\"}")
            }
            // Where the constraint itself was found, nothing is added by its consequence.
            Reason::NothingValid if report.has_error_within(pointer) => continue,
            Reason::NothingValid => (Rule::NothingValid, "remove what contradicts"),
            Reason::BranchDead => (Rule::BranchDead, "remove the branch, or what excludes it"),
            Reason::TooDeep { .. } => (Rule::TooDeep, "flatten it"),
            Reason::LongChain { .. } => {
                (Rule::TooDeep, "let the first reference lead to the definition itself")
            }
        };
        let message = format!(
            "{} A person has JSON mode alone here: {remedy}.",
            diagnostic.reason.to_string().trim()
        );
        report.find(rule, pointer, message);
    }
}
