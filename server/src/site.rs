//! [`Site`]: the client's files, which are embedded in the program.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use leptos::prelude::{AnyView, LeptosOptions};
use leptos_axum::AxumRouteListing;
use rust_embed::{EmbeddedFile, RustEmbed};

/// The page that the host serves: the client's files, and what the host draws of it.
pub trait ServedPage: RustEmbed {
    /// The page's routes.
    fn routes() -> Vec<AxumRouteListing>;

    /// The whole document.
    fn document(options: LeptosOptions) -> AnyView;

    /// Provides to the document the path below which the host is served, and the name of the login.
    fn provide(base_path: &str, login: Option<String>);
}

/// The client's files, and what the host draws of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    get: fn(&str) -> Option<EmbeddedFile>,
    pub(crate) routes: fn() -> Vec<AxumRouteListing>,
    pub(crate) document: fn(LeptosOptions) -> AnyView,
    pub(crate) provide: fn(&str, Option<String>),
}

impl Site {
    /// The files of `Page`.
    pub(crate) fn of<Page: ServedPage>() -> Self {
        Self {
            get: Page::get,
            routes: Page::routes,
            document: Page::document,
            provide: Page::provide,
        }
    }

    fn get(self, path: &str) -> Option<EmbeddedFile> {
        (self.get)(path)
    }

    /// Whether the program was built with the client.
    pub(crate) fn is_built(self) -> bool {
        self.get("pkg/rehearsal.js").is_some()
    }

    /// Serves one of the client's files, with brotli if the browser accepts it. `None` if the file
    /// does not exist.
    pub(crate) fn file(self, uri: &Uri, headers: &HeaderMap) -> Option<Response<Body>> {
        let path = uri.path().trim_start_matches('/');
        let plain = self.get(path).filter(|_| !path.ends_with(".br"))?;
        let takes_brotli = headers
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|encoding| encoding.split(';').next().is_some_and(|name| name.trim() == "br"));
        let compressed = takes_brotli.then(|| self.get(&format!("{path}.br"))).flatten();
        let tag = tag(&plain.metadata.sha256_hash());
        let fresh = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()) == Some(&tag);
        let mut response = Response::builder()
            .header(CONTENT_TYPE, content_type(path))
            .header(ETAG, tag)
            .header(VARY, "accept-encoding")
            // The names contain no hash, so browsers revalidate each time, which costs a 304.
            .header(CACHE_CONTROL, "no-cache");
        if fresh {
            return response.status(StatusCode::NOT_MODIFIED).body(Body::empty()).ok();
        }
        if compressed.is_some() {
            response = response.header(CONTENT_ENCODING, "br");
        }
        let data = compressed.unwrap_or(plain).data;
        response
            .body(match data {
                std::borrow::Cow::Borrowed(bytes) => Body::from(bytes),
                std::borrow::Cow::Owned(bytes) => Body::from(bytes),
            })
            .ok()
    }
}

fn tag(hash: &[u8; 32]) -> String {
    let hex: String = hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// The response for a missing file.
pub(crate) fn not_built() -> impl IntoResponse {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "This binary was built without the page. Build it with: cargo xtask run",
    )
}
