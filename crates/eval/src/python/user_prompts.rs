//! [`UserPrompts`]: the prompts of google-adk's simulated users, as the google-adk of an interpreter writes them.

use std::path::Path;

use agents::adk_python::package;
use json_text::JsonText;

use super::functions::PythonFunction;
use crate::function_error::FunctionError;
use crate::process::{CallProcesses, StartError};

/// Where the function is in the package, and its name.
const FUNCTION: (&str, &str) = ("rehearsal_adk/evaluation/user_prompts.py", "prompt");

/// A process that is asked for prompts, once it is needed. It imports google-adk's evaluation, which takes seconds.
#[derive(Default)]
pub(super) struct UserPrompts(CallProcesses);

impl UserPrompts {
    /// The prompt; `None` if google-adk's evaluation is not installed.
    pub(super) async fn prompt(
        &self,
        python: &Path,
        args: &JsonText,
    ) -> Result<Option<String>, FunctionError> {
        let package =
            package::unpacked().map_err(|cause| FunctionError::new(StartError::Package(cause)))?;
        let (file, name) = FUNCTION;
        let function = PythonFunction::new(&package.join(file), name, Some(python));
        let prompt = function.call_outside_a_run(&self.0, args).await;
        prompt.map_err(FunctionError::new)?.decode().map_err(FunctionError::new)
    }
}
