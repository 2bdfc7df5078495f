//! Any text as a path and as the names of session, agent and run: parsing never panics, a prefix does not
//! change the vendor, and an error names its field and its rule.

use crate::model_api::named;
use model_wire::{
    AGENT_HEADER, GeminiCall, Name, RequestTarget, SESSION_SEGMENT, SessionSelector, Vendor,
};

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let (path, session, agent, run) = (line(), line(), line(), line());

    let vendor = Vendor::of_path(path);
    if path.starts_with("/v1") && !session.contains('/') && !agent.contains('/') {
        for prefix in [format!("/s/{session}"), format!("/s/{session}/a/{agent}")] {
            assert_eq!(Vendor::of_path(&format!("{prefix}{path}")), vendor, "{prefix}");
        }
    }

    let segment = path.rsplit('/').next().unwrap_or_default();
    match GeminiCall::read(segment) {
        Ok(call) => {
            let method = if call.stream { "streamGenerateContent" } else { "generateContent" };
            assert_eq!(format!("{}:{method}", call.model), segment);
        }
        Err(fault) => assert!(!fault.message.is_empty()),
    }

    let named_session = Name { source: SESSION_SEGMENT, text: session };
    let named_agent = Name { source: AGENT_HEADER, text: agent };
    match RequestTarget::read(Some(named_session), Some(named_agent), run) {
        Ok(target) => {
            match target.session {
                Some(SessionSelector::Id(id)) => assert_eq!(id.to_string(), session.to_lowercase()),
                Some(SessionSelector::Name(name)) => assert_eq!(name, session),
                None => panic!("it is named"),
            }
            assert_eq!(target.agent.as_ref().map(|name| name.as_str()), Some(agent));
        }
        Err(refusal) => named(refusal),
    }
    if let Ok(unnamed) = RequestTarget::read(None, None, "")
        && let Err(refusal) = unnamed.agent(Some(session))
    {
        named(refusal);
    }
}
