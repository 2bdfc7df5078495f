//! In place of the clients of models' services, where this crate is compiled without its feature `services`.

use std::sync::Arc;

use adk_core::{AdkError, ErrorCategory, ErrorComponent, Llm};

use super::access::Access;
use super::name::Service;

/// Says how to get a program that has the clients.
pub(super) fn open(_: Service, _: &Access, _: &str) -> Result<Arc<dyn Llm>, AdkError> {
    Err(AdkError::new(
        ErrorComponent::Model,
        ErrorCategory::Unavailable,
        "rehearsal.no_services",
        "this build of Rehearsal has no clients for models' services, which take long to compile. Use the program \
         that `cargo xtask build` or `cargo xtask wheel` makes",
    ))
}
