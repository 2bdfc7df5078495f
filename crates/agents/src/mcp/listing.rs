//! [`list_tools`]: every page of a server's list of tools, as long as the pages end.

use std::collections::HashSet;

use rmcp::model::{PaginatedRequestParams, Tool};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};

use super::http_fault::{HttpFault, innermost};

/// The most pages that are read. Servers put tens of tools on a page.
const MOST_PAGES: usize = 1_000;

/// Why a server's tools cannot be listed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListFault {
    #[error("{message} (code {code})")]
    Refused { message: String, code: i32 },
    #[error("the response to `tools/list` is not a list of tools")]
    NoList,
    #[error(
        "the list has no end: it repeats the `nextCursor` {cursor:?}. Omit `nextCursor` on the last \
         page"
    )]
    GoesRound { cursor: String },
    #[error("the list has more than {MOST_PAGES} pages. Omit `nextCursor` on the last page")]
    Endless,
    #[error("{}", HttpFault::of_request(.0).map_or_else(|| innermost(.0), |fault| format!("it {fault}")))]
    Service(ServiceError),
}

impl From<ServiceError> for ListFault {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                Self::Refused { message: error.message.into_owned(), code: error.code.0 }
            }
            ServiceError::UnexpectedResponse => Self::NoList,
            other => Self::Service(other),
        }
    }
}

/// The tools of a server.
#[derive(Debug, Default)]
pub(super) struct ToolList {
    /// Those of every page.
    pub(super) tools: Vec<Tool>,
    /// How many of them are on the first page.
    pub(super) on_first_page: usize,
}

/// All tools of the server.
pub(super) async fn list_tools(peer: &Peer<RoleClient>) -> Result<ToolList, ListFault> {
    let mut list = ToolList::default();
    let mut cursors = HashSet::new();
    let mut cursor = None;
    for number in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await?;
        list.tools.extend(page.tools);
        if number == 0 {
            list.on_first_page = list.tools.len();
        }
        let Some(next) = page.next_cursor else { return Ok(list) };
        if !cursors.insert(next.clone()) {
            return Err(ListFault::GoesRound { cursor: next });
        }
        cursor = Some(next);
    }
    Err(ListFault::Endless)
}
