//! Every route in one place: the table of contents of the host.

use std::sync::Arc;

use agents::ArtifactContent;
use api::host::{
    AgentHost, CallHost, ComparisonHost, EvalSetHost, LiveHost, LiveTurnHost, RehearsalHost,
    ReportHost, RunHost, provide,
};
use api::{ApiError, EVENTS_PATH, LiveId, REPORTS_PATH, ReportId, SetId};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{
    DefaultBodyLimit, Extension, FromRef, FromRequest as _, Path, Request, State, WebSocketUpgrade,
};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use base_path::BasePath;
use leptos::nonce::use_nonce;
use leptos::prelude::{AnyView, LeptosOptions, expect_context, use_context};
use leptos_axum::{LeptosRoutes, ResponseOptions};
use plugin_wheel::plugin_wheel;
use server_fn::axum::get_server_fn_service;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;
use tokio_util::sync::CancellationToken;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::compression::{CompressionLayer, CompressionLevel};

use crate::access::{Authenticator, Caller, LoginLifetime, admit};
use crate::health::{Readiness, healthy, ready};
use crate::host::Host;
use crate::live::{FILES_ROUTE, LiveGrpc, LivePages, LiveSessions};
use crate::replaceable::Replaceable;
use crate::security::{OriginPolicy, content_security_policy, guard};
use crate::served_file::ServedFile;
use crate::sessions::RESOURCES_ROUTE;
use crate::site::{Site, not_built};
use crate::{access, endpoints, events, parsing, served_file, server_functions};

/// The largest request body: an export carries a whole history, a call its arguments.
const BODY_BYTES: usize = 256 * 1024 * 1024;
/// The buffer size for reports, in bytes.
const PIECE: usize = 256 * 1024;

/// The state of the handlers.
#[derive(Clone)]
struct Shared {
    host: Arc<Host>,
    live: LiveSessions,
    pages: Arc<LivePages>,
    site: Site,
    base_path: BasePath,
    options: LeptosOptions,
    /// A new value after each start of the host.
    instance: Arc<str>,
    stop: CancellationToken,
}

impl FromRef<Shared> for LeptosOptions {
    fn from_ref(shared: &Shared) -> Self {
        shared.options.clone()
    }
}

pub(crate) fn router(
    host: Arc<Host>,
    live: LiveSessions,
    site: Site,
    base_path: &BasePath,
    origins: Replaceable<OriginPolicy>,
    authenticator: Arc<Authenticator>,
    stop: CancellationToken,
) -> Router {
    let models = endpoints::router(live.clone());
    let grpc = LiveGrpc::server(live.clone(), stop.clone());
    let options = LeptosOptions::builder()
        .output_name("rehearsal")
        .site_pkg_dir("pkg")
        .reload_port(reload_port().unwrap_or_default())
        .build();
    let instance = uuid::Uuid::new_v4().to_string().into();
    let pages = Arc::new(LivePages::new(live.clone(), Arc::clone(&host)));
    let readiness = Readiness { live: live.clone(), stop: stop.clone() };
    let base_path = base_path.clone();
    let shared = Shared { host, live, pages, site, base_path, options, instance, stop };
    let addressed = middleware::from_fn_with_state(shared.clone(), addressed);
    let provide = context(&shared);
    Router::new()
        .route(EVENTS_PATH, get(page_events))
        .route("/api/{function}", any(server_function))
        .route(&format!("{REPORTS_PATH}/{{report}}"), get(report_text))
        .route(FILES_ROUTE, get(live_file))
        .route("/api/artifacts/{session}/{index}", get(artifact))
        .route(RESOURCES_ROUTE, get(resource))
        .route("/python/{wheel}", get(python_wheel))
        .route_service("/rehearsal.v1.LiveService/{method}", grpc)
        .merge(models)
        .merge(access::routes(Arc::clone(&authenticator)))
        .leptos_routes_with_context(&shared, (site.routes)(), provide, {
            let options = shared.options.clone();
            move || guarded(site.document, options.clone())
        })
        .fallback(file_or_not_found)
        .with_state(shared)
        .layer(middleware::map_response(server_functions::with_status))
        .layer(addressed)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(
            CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(
                DefaultPredicate::new().and(NotForContentType::new("application/wasm")),
            ),
        )
        .layer(middleware::from_fn_with_state(authenticator, admit))
        .layer(middleware::from_fn_with_state(origins, guard))
        // Whoever asks, and under whatever name.
        .route("/healthz", get(healthy))
        .merge(Router::new().route("/readyz", get(ready)).with_state(readiness))
}

/// A page for an unknown id renders an error; this sets the status to match. An agent's name in the address that
/// differs from its id leads to the address with the id, which links have.
async fn addressed(
    State(shared): State<Shared>,
    request: Request,
    next: middleware::Next,
) -> Response {
    if let Some(address) = address_with_id(&shared, request.uri()) {
        return Redirect::temporary(&address).into_response();
    }
    let names_nothing = names_nothing(&shared, request.uri().path()).await;
    let mut response = next.run(request).await;
    if names_nothing && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

/// The address of the workspace that `/rehearse/NAME` means, if the agent's id is written in another way.
fn address_with_id(shared: &Shared, uri: &Uri) -> Option<String> {
    let segment = uri.path().strip_prefix("/rehearse/")?;
    let id = shared.host.agent_in_address(segment).filter(|id| id.as_str() != segment)?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("{}/rehearse/{id}{query}", shared.base_path.as_str()))
}

/// Whether the path names something that does not exist: `/PAGE/ID` and its subpaths.
async fn names_nothing(shared: &Shared, path: &str) -> bool {
    let mut parts = path.trim_start_matches('/').split('/');
    let (page, id) = (parts.next(), parts.next().filter(|id| !id.is_empty()));
    let (Some(page), Some(id)) = (page, id) else { return false };
    let found = match page {
        "rehearse" => return shared.host.agent_in_address(id).is_none(),
        "evalsets" => shared.host.set(SetId::new(id)).await.map(drop),
        "reports" => shared.host.open_report(ReportId::new(id)).await.map(drop),
        "runs" => return id.parse::<i64>().is_err(),
        "live" => shared.pages.read_live_session(LiveId::new(id)).await.map(drop),
        _ => return false,
    };
    found.is_err_and(|error| server_functions::status(&error) == StatusCode::NOT_FOUND)
}

fn context(shared: &Shared) -> impl Fn() + Clone + Send + Sync + 'static + use<> {
    let host = Arc::clone(&shared.host);
    let pages = Arc::clone(&shared.pages);
    let (site, base_path) = (shared.site, shared.base_path.clone());
    move || {
        let caller: Option<Caller> =
            use_context::<Parts>().and_then(|parts| parts.extensions.get().cloned());
        (site.provide)(base_path.as_str(), caller.map(|caller| caller.name.to_string()));
        provide::<dyn AgentHost>(Arc::clone(&host) as _);
        provide::<dyn RehearsalHost>(Arc::clone(&host) as _);
        provide::<dyn CallHost>(Arc::clone(&host) as _);
        provide::<dyn EvalSetHost>(Arc::clone(&host) as _);
        provide::<dyn ReportHost>(Arc::clone(&host) as _);
        provide::<dyn RunHost>(Arc::clone(&host.runs));
        provide::<dyn ComparisonHost>(Arc::clone(&pages) as _);
        provide::<dyn LiveHost>(Arc::clone(&pages) as _);
        provide::<dyn LiveTurnHost>(Arc::clone(&pages) as _);
    }
}

/// The reload socket of `cargo leptos watch`; `None` if it does not run.
fn reload_port() -> Option<u32> {
    std::env::var_os("LEPTOS_WATCH")?;
    std::env::var("LEPTOS_RELOAD_PORT").ok()?.parse().ok()
}

/// The document, with a policy that allows only its own scripts.
fn guarded(document: fn(LeptosOptions) -> AnyView, options: LeptosOptions) -> AnyView {
    if let Some(nonce) = use_nonce()
        && let Ok(policy) =
            HeaderValue::from_str(&content_security_policy(&nonce.to_string(), reload_port()))
    {
        expect_context::<ResponseOptions>().insert_header(CONTENT_SECURITY_POLICY, policy);
    }
    document(options)
}

async fn page_events(
    State(shared): State<Shared>,
    caller: Option<Extension<Caller>>,
    lifetime: Option<Extension<LoginLifetime>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let visitor = events::Visitor {
        name: caller.map(|Extension(caller)| caller.name.to_string()),
        lifetime: lifetime.map(|Extension(lifetime)| lifetime),
    };
    events::connect(upgrade, visitor, shared.host, shared.live, shared.instance, shared.stop)
}

async fn server_function(State(shared): State<Shared>, request: Request) -> Response {
    if get_server_fn_service(request.uri().path(), request.method().clone()).is_none() {
        return server_functions::refusal(&ApiError::UnknownFunction);
    }
    let (parts, body) = request.into_parts();
    let body = match Bytes::from_request(Request::from_parts(parts.clone(), body), &()).await {
        Ok(body) => body,
        Err(rejection) => {
            return server_functions::refusal(&ApiError::Transport(rejection.to_string()));
        }
    };
    let bytes = body.len();
    let request = Request::from_parts(parts, Body::from(body));
    let context = context(&shared);
    // The functions read their arguments themselves.
    let handled = async move {
        leptos_axum::handle_server_fns_with_context(context, request).await.into_response()
    };
    parsing::handle(bytes, handled).await
}

/// Streams a report. Not a server function, because those buffer the whole response.
async fn report_text(State(shared): State<Shared>, Path(report): Path<String>) -> Response {
    match shared.host.open_report(ReportId::new(report)).await {
        Ok((file, bytes)) => {
            let pieces = ReaderStream::with_capacity(File::from_std(file).take(bytes), PIECE);
            let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
            (headers, Body::from_stream(pieces)).into_response()
        }
        Err(error) => server_functions::refusal(&error),
    }
}

/// A file in a live session's event, unchanged.
async fn live_file(
    State(shared): State<Shared>,
    Path((session, event, file)): Path<(String, String, String)>,
    asked: HeaderMap,
) -> Response {
    let none =
        || (StatusCode::NOT_FOUND, "This event has no file with this number.").into_response();
    // A part that is not a number gives 404, too.
    let (Ok(event), Ok(file)) = (event.parse(), file.parse()) else { return none() };
    match shared.pages.file(&LiveId::new(session), event, file).await {
        Ok(Some(found)) => served_file::answer(found, &asked),
        Ok(None) => none(),
        Err(error) => server_functions::refusal(&error),
    }
}

/// An artifact of a rehearsal, unchanged.
async fn artifact(
    State(shared): State<Shared>,
    Path((session, index)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    let found = match index.parse() {
        Ok(index) => shared.host.artifact(&session, index).await,
        Err(_) => None,
    };
    match found {
        Some(ArtifactContent { mime_type, bytes }) => {
            served_file::answer(ServedFile { mime_type, bytes: bytes.into() }, &asked)
        }
        None => (StatusCode::NOT_FOUND, "This session has no such artifact.").into_response(),
    }
}

/// A content of an MCP server's resource that the person opened, unchanged.
async fn resource(
    State(shared): State<Shared>,
    Path((session, number)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    let number = number.parse().ok();
    match number.and_then(|number| shared.host.opened_resource(&session, number)) {
        Some(file) => served_file::answer(file, &asked),
        None => (StatusCode::NOT_FOUND, "The host no longer has this resource. Open it again.")
            .into_response(),
    }
}

/// The package for Python of this build, as `pip install` takes it.
async fn python_wheel(Path(wheel): Path<String>) -> Response {
    let own = plugin_wheel();
    if wheel == own.name {
        return ([(CONTENT_TYPE, "application/octet-stream")], own.bytes.as_slice())
            .into_response();
    }
    let message = format!("This host has /python/{}.\n", own.name);
    (StatusCode::NOT_FOUND, message).into_response()
}

/// Browsers GET files and pages; other methods are meant for a model endpoint.
async fn file_or_not_found(State(shared): State<Shared>, request: Request) -> Response {
    if request.method() == Method::POST {
        return endpoints::nothing_there(request.uri(), request.headers());
    }
    if let Some(file) = shared.site.file(request.uri(), request.headers()) {
        return file;
    }
    if request.uri().path().starts_with("/pkg/") && !shared.site.is_built() {
        return not_built().into_response();
    }
    let options = shared.options.clone();
    let page = leptos_axum::render_app_to_stream_with_context(context(&shared), move || {
        guarded(shared.site.document, options.clone())
    });
    let mut response = page(request).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
