//! [`EvalSetHost`]: eval sets and their cases.

use json_text::JsonText;

use crate::{CaseChange, CaseList, CaseQuery, CaseVersion, CaseView, EvalSetList, SetId};

super::host_functions! {
    /// Eval sets and their cases.
    trait EvalSetHost;

    /// The eval sets of the registered agents and of the configured folders.
    "list_eval_sets": fn list_eval_sets() -> EvalSetList;

    /// The requested cases of a set.
    "list_cases": fn list_cases(set: SetId, asked: CaseQuery) -> CaseList;

    /// The case at `index` of a set; if another case is there now, the case with the id `eval_id`.
    "read_case": fn read_case(set: SetId, eval_id: String, index: u64) -> CaseView;

    /// Changes a case of a set if it is still as the page has read it, and returns the changed case.
    "change_case": fn change_case(set: SetId, case: CaseVersion, change: CaseChange) -> CaseView;

    /// Inserts a copy of a case after it, with a new id, and returns the copy.
    "duplicate_case": fn duplicate_case(set: SetId, case: CaseVersion) -> CaseView;

    /// Removes a case from a set if it is still as the page has read it.
    "remove_case": fn remove_case(set: SetId, case: CaseVersion) -> ();

    /// Inserts a case at `index` of a set, or at the end when there are fewer, to undo a removal. The
    /// case keeps its id, even if another case has it now.
    "insert_case": fn insert_case(set: SetId, index: u64, text: JsonText) -> CaseView;
}
