//! Resources: what the reference server and a server in Python return, and why none is returned.

use super::*;
use crate::ResourceContent;

impl TestSession {
    async fn read(&self, tool: &str, uri: &str) -> Result<Vec<ResourceContent>, String> {
        let tool = ToolName::parse(tool).expect("valid");
        let read = promptly(self.source.read_resource(&self.session, &tool, uri)).await;
        read.map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn reads_the_resources_that_a_result_links_to() {
    let Some(test) = TestSession::everything().await else { return };
    let links = returned(test.call("get-resource-links", r#"{"count": 2}"#).await);
    let links = links.to_value().expect("JSON");
    for (link, is_text) in [(1, false), (2, true)] {
        let uri = links["content"][link]["uri"].as_str().expect("a link");
        let contents = test.read("get-resource-links", uri).await.expect("read");
        let [content] = contents.as_slice() else { panic!("{contents:?}") };
        assert_eq!((content.uri.as_str(), content.is_text), (uri, is_text));
        assert_eq!(content.mime_type, "text/plain");
        let text = String::from_utf8_lossy(&content.bytes);
        assert!(text.starts_with(&format!("Resource {link}: This is a")), "{text}");
    }
    let fault = test.read("get-resource-links", "demo://resource/none").await.expect_err("none");
    assert!(fault.starts_with("The server everything rejected the request: "), "{fault}");
    assert!(fault.contains("demo://resource/none not found (code -3"), "{fault}");
    let fault = test.read("no-such-tool", "demo://resource/none").await.expect_err("none");
    assert_eq!(fault, "The agent no longer has the tool no-such-tool.");
    test.end().await;
}

/// A server that answers `resources/read` with `read`, a member of the message.
fn reading(read: &str) -> McpServer {
    let mut server = McpServer::stdio(
        "polite",
        "sh",
        ["-c", POLITE, "sh", &format!("\"result\":{ONE_TOOL}"), "", read],
    );
    server.patience = Duration::from_secs(3);
    server
}

#[tokio::test]
async fn reports_why_a_resource_is_not_read() {
    let gone = r#""error":{"code":-32002,"message":"Resource not found"}"#;
    let unsupported = r#""error":{"code":-32601,"message":"Method not found"}"#;
    let binary = r#""result":{"contents":[{"uri":"a:b","blob":"A?"}]}"#;
    for (read, expected) in [
        (gone, "Resource not found (code -32002). If the resource no longer exists, call the tool"),
        (unsupported, "does not support `resources/read`. Read it with one of the server's tools"),
        (r#""result":{"contents":[]}"#, "returned this resource without contents"),
        (r#""result":{"contents":[{"uri":"a:b"}]}"#, "is not a resource: `contents` must be"),
        (r#""result":{"tools":"none"}"#, "is not a resource: `contents` must be"),
        (binary, "returned a `blob` that is not base64"),
        ("", "did not return the resource within 3 s. Try again, or increase `timeout_seconds`"),
    ] {
        let test = TestSession::of(reading(read)).await;
        let fault = test.read("t", "a:b").await.expect_err(read);
        assert!(fault.contains(expected), "{read}: {fault}");
        test.end().await;
    }
}

#[tokio::test]
async fn a_resource_without_a_type_is_read() {
    let read = r#""result":{"contents":[{"uri":"a:b","blob":"AAH/\n"},{"uri":"a:c","text":""}]}"#;
    let test = TestSession::of(reading(read)).await;
    let contents = test.read("t", "a:b").await.expect("read");
    let content = |uri: &str, bytes: &[u8], is_text| ResourceContent {
        uri: uri.to_owned(),
        mime_type: String::new(),
        bytes: bytes.to_vec(),
        is_text,
    };
    assert_eq!(contents, [content("a:b", &[0, 1, 255], false), content("a:c", b"", true)]);
    test.end().await;
}

#[tokio::test]
async fn a_resource_beyond_the_limit_names_it() {
    let long = r#"answer="\"result\":{\"contents\":[{\"uri\":\"a:b\",\"text\":\"$(head -c 17000000 /dev/zero | tr '\0' x)\"}]}""#;
    let script = POLITE.replace(r#"answer="$3""#, long);
    assert_ne!(script, POLITE);
    let mut server = reading("");
    if let McpTransport::Stdio { args, .. } = &mut server.transport {
        args[1] = script;
    }
    server.patience = Duration::from_secs(20);
    let test = TestSession::of(server).await;
    let fault = test.read("t", "a:b").await.expect_err("too long");
    assert!(fault.starts_with("The resource is longer than 16 MB, the limit for a"), "{fault}");
    test.end().await;
}

#[tokio::test]
async fn a_server_that_ends_is_started_again_for_the_next_resource() {
    let folder = tempfile::tempdir().expect("a folder");
    let marker = folder.path().join("ended");
    let ends =
        format!(r#"if [ ! -e "{0}" ]; then : > "{0}"; exit 3; fi; answer="$3""#, marker.display());
    let script = POLITE.replace(r#"answer="$3""#, &ends);
    let mut server = reading(r#""result":{"contents":[{"uri":"a:b","text":"back"}]}"#);
    if let McpTransport::Stdio { args, .. } = &mut server.transport {
        args[1] = script;
    }
    server.patience = Duration::from_secs(20);
    let test = TestSession::of(server).await;
    let fault = test.read("t", "a:b").await.expect_err("it ends");
    let expected = "The MCP server polite ended with exit status 3 while it read the resource. The next \
                    call restarts it.";
    assert_eq!(fault, expected);
    assert_eq!(test.read("t", "a:b").await.expect("read")[0].bytes, b"back");
    test.end().await;
}
