//! Errors between the page and the host, as [`ApiError`].

use server_fn::codec::JsonEncoding;
use server_fn::error::{FromServerFnError, ServerFnErrorErr};

use crate::ApiError;

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::ServerError(what) => Self::Internal(what),
            ServerFnErrorErr::Request(_) => Self::no_response("it cannot be reached"),
            // In the browser: the response. On the host: the request.
            ServerFnErrorErr::Deserialization(_) | ServerFnErrorErr::Response(_) => {
                let unread = match cfg!(target_arch = "wasm32") {
                    true => "The host's response cannot be read. Reload the page.",
                    false => "The host cannot read the request. Reload the page.",
                };
                Self::Transport(unread.to_owned())
            }
            // On the host: a program sent invalid arguments.
            ServerFnErrorErr::Args(reason) | ServerFnErrorErr::MissingArg(reason) => {
                Self::Transport(format!(
                    "The host rejected the request: {reason}. Reload the page."
                ))
            }
            _ => Self::Transport("The request cannot be written. Reload the page.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transport_errors_hide_technical_details() {
        for (error, expected) in [
            (
                ServerFnErrorErr::Request("TypeError: Failed to fetch".to_owned()),
                "The host did not respond (it cannot be reached). Check that it is running.",
            ),
            // The test runs where the host does.
            (
                ServerFnErrorErr::Deserialization("EOF while parsing a value".to_owned()),
                "The host cannot read the request. Reload the page.",
            ),
            (
                ServerFnErrorErr::Serialization("key must be a string".to_owned()),
                "The request cannot be written. Reload the page.",
            ),
        ] {
            assert_eq!(ApiError::from_server_fn_error(error).to_string(), expected);
        }
    }
}
