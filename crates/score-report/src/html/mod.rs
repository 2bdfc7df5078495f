//! The report as one page that needs nothing else: no network, no server, no other file.

mod data;
mod page;

pub(crate) use data::case;
pub(crate) use page::Html;
