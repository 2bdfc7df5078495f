//! How the page reaches the host: one declaration for each function.
//!
//! [`host_functions!`] makes of a declaration the server function that the page calls (`POST /api/NAME` with
//! JSON) and the method of the trait that the host implements. For each request the host [`provide`]s its
//! implementations in Leptos' context, where the server functions find them. They contain no logic.
//!
//! Calls of tools return at once, and [`HostEvent`](crate::HostEvent)s report their progress, so that no request
//! stays open meanwhile. Opening a session, loading an agent again, and starting a run or a fork, which loads its
//! agents first, return when that is done.

#![expect(missing_docs, reason = "the structs of arguments that #[server] generates")]

mod agents;
mod calls;
mod comparisons;
mod error;
mod eval_sets;
mod live_sessions;
mod live_turns;
mod rehearsals;
mod reports;
mod runs;

use std::sync::Arc;

use reactive_graph::owner::{provide_context, use_context};

use crate::ApiError;

pub use agents::*;
pub use calls::*;
pub use comparisons::*;
pub use eval_sets::*;
pub use live_sessions::*;
pub use live_turns::*;
pub use rehearsals::*;
pub use reports::*;
pub use runs::*;

/// Provides `host` to the server functions of this request. `Host` is one of the traits of this
/// module, such as `dyn AgentHost`.
pub fn provide<Host: ?Sized + Send + Sync + 'static>(host: Arc<Host>) {
    provide_context(host);
}

#[allow(dead_code, reason = "without `ssr`, server functions have no body")]
fn provided<Host: ?Sized + Send + Sync + 'static>(name: &str) -> Result<Arc<Host>, ApiError> {
    // Missing only if a route does not provide it.
    use_context::<Arc<Host>>().ok_or_else(|| ApiError::Internal(format!("find its {name}")))
}

/// Declares a trait of the host and the server functions that call its methods. The name of a function comes
/// twice, since `#[server]` takes the endpoint as a literal only.
macro_rules! host_functions {
    (
        $(#[$of_trait:meta])*
        trait $Host:ident;
        $(
            $(#[$of_function:meta])*
            $endpoint:literal: fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;
        )*
    ) => {
        $(#[$of_trait])*
        #[async_trait::async_trait]
        pub trait $Host: Send + Sync + 'static {
            $(
                $(#[$of_function])*
                async fn $name(&self, $($argument: $type),*) -> Result<$result, crate::ApiError>;
            )*
        }

        $(
            $(#[$of_function])*
            #[server_fn_macro_default::server(
                prefix = "/api",
                endpoint = $endpoint,
                input = server_fn::codec::Json,
                output = server_fn::codec::Json
            )]
            pub async fn $name($($argument: $type),*) -> Result<$result, crate::ApiError> {
                super::provided::<dyn $Host>(stringify!($Host))?.$name($($argument),*).await
            }
        )*

        #[cfg(test)]
        #[test]
        fn endpoints_have_the_names_of_their_functions() {
            $(assert_eq!($endpoint, stringify!($name));)*
        }
    };
}
use host_functions;
