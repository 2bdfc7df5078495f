//! [`BasePath::serve`]: takes the base path off each request, and puts it before redirects.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower::Layer as _;

use crate::BasePath;

/// The paths that supervisors ask without knowing the base path.
const EVERYWHERE: [&str; 2] = ["/healthz", "/readyz"];

impl BasePath {
    /// Serves `router` below this path. Its handlers see paths without it, and the whole address in
    /// axum's `OriginalUri`. The paths that they redirect to get it. `/healthz` and `/readyz` answer
    /// with it and without; any other request without it gets 404 with the reason.
    pub fn serve(&self, router: Router) -> Router {
        if self.is_root() {
            return router;
        }
        // Outside of the router: inside, it would run after the routing.
        let layer = middleware::from_fn_with_state(self.clone(), take_off);
        Router::new().fallback_service(layer.layer(router))
    }

    /// The address without this path; `None` if it is not below.
    fn rest(&self, uri: &Uri) -> Option<Uri> {
        let rest = uri.path_and_query()?.as_str().strip_prefix(self.as_str())?;
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(rest.parse().ok().filter(|_| rest.starts_with('/'))?);
        Uri::from_parts(parts).ok()
    }
}

async fn take_off(State(base): State<BasePath>, mut request: Request, next: Next) -> Response {
    let uri = request.uri();
    if !EVERYWHERE.contains(&uri.path()) {
        if uri.path() == base.as_str() {
            let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
            return redirect(&format!("{}{query}", base.home()));
        }
        let Some(rest) = base.rest(uri) else { return not_below(&base) };
        *request.uri_mut() = rest;
    }
    let mut response = next.run(request).await;
    if let Some(location) = response.headers_mut().get_mut(LOCATION)
        && let Some(local) = location.to_str().ok().filter(|it| is_local(it))
        && let Ok(below) = HeaderValue::from_str(&format!("{base}{local}"))
    {
        *location = below;
    }
    response
}

/// Whether a redirect leads to a path of this host, rather than to another.
fn is_local(location: &str) -> bool {
    location.starts_with('/') && !location.starts_with("//")
}

/// Not permanent: browsers would remember it when the host is served elsewhere.
fn redirect(to: &str) -> Response {
    let mut response = StatusCode::TEMPORARY_REDIRECT.into_response();
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

fn not_below(base: &BasePath) -> Response {
    let message = format!(
        "This host is served below {base}: open {}. A proxy in front of it must pass the path on with \
         its prefix {base}.\n",
        base.home()
    );
    (StatusCode::NOT_FOUND, [(CACHE_CONTROL, "no-store")], message).into_response()
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::extract::OriginalUri;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    fn host() -> Router {
        Router::new()
            .route("/", get(|| async { "first page" }))
            .route("/healthz", get(|| async { "ok" }))
            .route("/old", get(|| async { redirect("/login?next=/old") }))
            .route("/away", get(|| async { redirect("https://elsewhere.example/") }))
            .route("/beside", get(|| async { redirect("//elsewhere.example/") }))
            .fallback(|uri: Uri, OriginalUri(whole): OriginalUri| async move {
                format!("{uri} of {whole}")
            })
    }

    async fn asked(base: &str, uri: &str) -> (StatusCode, String, String) {
        let router = base.parse::<BasePath>().expect("a base path").serve(host());
        let request = Request::builder().uri(uri).body(Body::empty()).expect("a request");
        let Ok(response) = router.oneshot(request).await;
        let status = response.status();
        let location = response.headers().get(LOCATION).map_or("", |it| it.to_str().expect("text"));
        let location = location.to_owned();
        let body = to_bytes(response.into_body(), 1000).await.expect("a body");
        (status, location, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn routes_see_paths_without_the_prefix() {
        let (status, _, body) = asked("/team", "/team/").await;
        assert_eq!((status, body.as_str()), (StatusCode::OK, "first page"));
        for (uri, seen) in [
            ("/team/live/1?x=/team", "/live/1?x=/team of /team/live/1?x=/team"),
            ("/team/a%20b", "/a%20b of /team/a%20b"),
            ("/team/team/x", "/team/x of /team/team/x"),
            ("/team//x", "//x of /team//x"),
            ("http://h:1/team/x", "http://h:1/x of http://h:1/team/x"),
        ] {
            assert_eq!(asked("/team", uri).await.2, seen);
        }
        let (_, _, body) = asked("/", "/live").await;
        assert_eq!(body, "/live of /live");
    }

    #[tokio::test]
    async fn the_prefix_alone_leads_to_the_first_page() {
        let (status, location, _) = asked("/team", "/team").await;
        assert_eq!((status, location.as_str()), (StatusCode::TEMPORARY_REDIRECT, "/team/"));
        assert_eq!(asked("/a/b", "/a/b?x=1").await.1, "/a/b/?x=1");
    }

    #[tokio::test]
    async fn redirects_stay_below_the_prefix() {
        assert_eq!(asked("/team", "/team/old").await.1, "/team/login?next=/old");
        assert_eq!(asked("/team", "/team/away").await.1, "https://elsewhere.example/");
        assert_eq!(asked("/team", "/team/beside").await.1, "//elsewhere.example/");
    }

    #[tokio::test]
    async fn a_request_without_the_prefix_gets_the_reason() {
        for uri in ["/", "/live", "/teamwork/live", "/Team/live", "/%74eam/live", "/tea"] {
            let (status, _, body) = asked("/team", uri).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{uri}");
            assert_eq!(
                body,
                "This host is served below /team: open /team/. A proxy in front of it must pass the \
                 path on with its prefix /team.\n"
            );
        }
    }

    #[tokio::test]
    async fn supervisors_need_no_prefix() {
        for uri in ["/healthz", "/team/healthz"] {
            let (status, _, body) = asked("/team", uri).await;
            assert_eq!((status, body.as_str()), (StatusCode::OK, "ok"), "{uri}");
        }
    }
}
