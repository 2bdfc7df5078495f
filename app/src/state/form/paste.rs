//! Pastes copied arguments into a form.

use leptos::prelude::*;
use schema_form::{Edit, PasteError, Path};

use super::FormState;

impl FormState {
    /// Fills in copied arguments, and sets the notice to the result.
    ///
    /// # Errors
    /// When the text cannot be read as arguments; the form is unchanged.
    pub fn paste(self, text: &str) -> Result<(), PasteError> {
        let pasted = self.form().pasted(text)?;
        self.edit(&Path::root(), Edit::Fill(pasted.value));
        let from = pasted.tool.map_or_else(
            || "Pasted values filled in.".to_owned(),
            |tool| format!("Filled in from a call to `{tool}`."),
        );
        let unknown = match pasted.unknown.as_slice() {
            [] => String::new(),
            [one] => format!(" The schema does not define the property `{one}`. It was added."),
            many => format!(
                " The schema does not define the properties {}. They were added.",
                many.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        self.notice.set(from + &unknown);
        Ok(())
    }
}
