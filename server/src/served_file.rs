//! Serves a file that an agent or a tool made: its type, whether a browser opens it, and ranges.

pub(crate) use api::is_text;
use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, RANGE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use http_range_header::{RangeUnsatisfiableError, parse_range_header};

/// A file with its type.
#[derive(Debug, Clone)]
pub(crate) struct ServedFile {
    /// Such as `image/png`.
    pub(crate) mime_type: String,
    /// The content.
    pub(crate) bytes: Bytes,
}

/// The type without its parameters.
fn essence(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Responds with the file or the requested range: players request the end of a sound first.
pub(crate) fn answer(file: ServedFile, asked: &HeaderMap) -> Response {
    let essence = essence(&file.mime_type);
    let is_shown = essence.starts_with("image/") || essence.starts_with("audio/");
    // SVG is a document that can run scripts.
    let is_opened = essence.starts_with("image/") && essence != "image/svg+xml";
    let opened = if is_opened { "inline" } else { "attachment" };
    let shown_as = is_shown.then(|| HeaderValue::try_from(essence).ok()).flatten();
    let headers = [
        // Browsers save this type and never open it.
        (CONTENT_TYPE, shown_as.unwrap_or(HeaderValue::from_static("application/octet-stream"))),
        (CONTENT_DISPOSITION, HeaderValue::from_static(opened)),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (ACCEPT_RANGES, HeaderValue::from_static("bytes")),
    ];
    let length = file.bytes.len() as u64;
    let range = asked.get(RANGE).and_then(|range| range.to_str().ok());
    // An empty file has no ranges.
    let range = range.filter(|_| length > 0).and_then(|range| parse_range_header(range).ok());
    let Some(ranges) = range else {
        return (headers, Body::from(file.bytes)).into_response();
    };
    match ranges.validate(length).as_deref() {
        Ok([piece]) => {
            let said = format!("bytes {}-{}/{length}", piece.start(), piece.end());
            // Within the file, which is in memory.
            let piece = file.bytes.slice(*piece.start() as usize..=*piece.end() as usize);
            (StatusCode::PARTIAL_CONTENT, headers, [(CONTENT_RANGE, said)], piece).into_response()
        }
        // A request for several ranges may be answered with the whole file.
        Ok(_) | Err(RangeUnsatisfiableError::FileSuffixOutOfBounds) => {
            (headers, Body::from(file.bytes)).into_response()
        }
        Err(_) => {
            let said = format!("bytes */{length}");
            (StatusCode::RANGE_NOT_SATISFIABLE, [(CONTENT_RANGE, said)]).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    fn file(mime_type: &str, bytes: u8) -> ServedFile {
        ServedFile { mime_type: mime_type.to_owned(), bytes: (0..bytes).collect() }
    }

    async fn asked(mime_type: &str, range: Option<&'static str>) -> (u16, String, String, Vec<u8>) {
        asked_of(file(mime_type, 10), range).await
    }

    async fn asked_of(
        file: ServedFile,
        range: Option<&'static str>,
    ) -> (u16, String, String, Vec<u8>) {
        let headers = range.map(|range| (RANGE, HeaderValue::from_static(range)));
        let answer = answer(file, &headers.into_iter().collect());
        let (head, body) = answer.into_parts();
        let said =
            |name| head.headers.get(name).map_or("", |it| it.to_str().expect("text")).to_owned();
        let (kind, piece) = (said(CONTENT_TYPE), said(CONTENT_RANGE));
        let body = to_bytes(body, 100).await.expect("short");
        (head.status.as_u16(), kind, piece, body.to_vec())
    }

    #[tokio::test]
    async fn serves_only_images_and_sounds_with_their_type() {
        for (mime_type, expected) in [
            ("image/svg+xml; charset=utf-8", "image/svg+xml"),
            ("AUDIO/wav", "audio/wav"),
            ("text/html", "application/octet-stream"),
            ("application/pdf", "application/octet-stream"),
            ("image/\nx", "application/octet-stream"),
        ] {
            let (status, kind, _, body) = asked(mime_type, None).await;
            assert_eq!((status, kind.as_str(), body.len()), (200, expected, 10), "{mime_type}");
        }
    }

    #[test]
    fn opens_only_images_in_the_browser() {
        for (mime_type, opened) in [
            ("image/png", "inline"),
            ("image/svg+xml", "attachment"),
            ("IMAGE/SVG+XML; x=y", "attachment"),
            ("audio/wav", "attachment"),
            ("text/html", "attachment"),
        ] {
            let answer = answer(file(mime_type, 1), &HeaderMap::new());
            assert_eq!(answer.headers()[CONTENT_DISPOSITION], opened, "{mime_type}");
        }
    }

    #[tokio::test]
    async fn serves_a_requested_range() {
        let (status, _, piece, body) = asked("audio/wav", Some("bytes=7-")).await;
        assert_eq!((status, piece.as_str(), body), (206, "bytes 7-9/10", vec![7, 8, 9]));
        let (status, _, piece, body) = asked("audio/wav", Some("bytes=-2")).await;
        assert_eq!((status, piece.as_str(), body), (206, "bytes 8-9/10", vec![8, 9]));
        let (status, _, piece, _) = asked("audio/wav", Some("bytes=10-")).await;
        assert_eq!((status, piece.as_str()), (416, "bytes */10"));
        for whole in ["bytes=0-1,4-5", "lines=1-2", "bytes=x", "bytes=-11"] {
            assert_eq!(asked("audio/wav", Some(whole)).await.3.len(), 10, "{whole}");
        }
        let (status, _, piece, body) = asked_of(file("audio/wav", 0), Some("bytes=0-")).await;
        assert_eq!(
            (status, piece.as_str(), body.len()),
            (200, "", 0),
            "an empty file has no ranges"
        );
    }
}
