//! The login page, its cookie, and origins.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rehearsal::access::SecretHash;
use rehearsal::{Access, ServeError};
use reqwest::header::{ACCEPT, COOKIE, HOST, LOCATION, ORIGIN, RETRY_AFTER, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::access::stage::{PASSWORD, Stage, name, simulator};

#[tokio::test]
async fn serves_nothing_without_a_login() {
    let stage = Stage::open().await;
    let grpc = "/rehearsal.v1.LiveService/ListSessions";
    for (method, path) in [
        (Method::GET, "/"),
        (Method::GET, "/evalsets"),
        (Method::GET, "/rehearse/anything"),
        (Method::GET, "/no/such/page"),
        (Method::GET, "/pkg/rehearsal.js"),
        (Method::GET, "/pkg/rehearsal.wasm"),
        (Method::GET, api::EVENTS_PATH),
        (Method::POST, "/api/list_agents"),
        (Method::POST, "/api/export_session"),
        (Method::POST, grpc),
        (Method::GET, "/v1/models"),
        (Method::POST, "/v1/chat/completions"),
        (Method::POST, "/v1/responses"),
        (Method::POST, "/v1/messages"),
        (Method::POST, "/v1beta/models/m:generateContent"),
        (Method::POST, "/s/x/a/y/v1/chat/completions"),
        (Method::GET, "//login"),
        (Method::GET, "/login/../"),
        (Method::GET, "/Login"),
    ] {
        let url = reqwest::Url::parse(&stage.url(path)).unwrap();
        let response = stage.client.request(method.clone(), url).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        let forged = format!("rehearsal_session_{}=0123", stage.running.address().port());
        let forged = stage.get(path).header(COOKIE, forged).send().await.unwrap();
        assert_eq!(forged.status(), StatusCode::UNAUTHORIZED, "{path}");
    }
    let page = stage.get("/evalsets?x=1&y=2").header(ACCEPT, "text/html").send().await.unwrap();
    assert_eq!(page.status(), StatusCode::SEE_OTHER);
    assert_eq!(page.headers()[LOCATION], "/login?next=/evalsets%3Fx%3D1%26y%3D2");
}

#[tokio::test]
async fn login_is_valid_until_logout() {
    let stage = Stage::open().await;
    let page = stage.get("/login").send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    // Under `no-referrer` a browser sends the form with the origin `null`, which is rejected.
    assert_eq!(page.headers()["referrer-policy"], "same-origin");
    assert!(page.text().await.unwrap().contains("type=\"password\""));

    let wrong = stage.log_in("Ann", "wrong horse").await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    assert!(!wrong.headers().contains_key(SET_COOKIE));
    let text = wrong.text().await.unwrap();
    assert!(
        text.contains("Incorrect name or password") && text.contains("value=\"Ann\""),
        "{text}"
    );
    let nobody = stage.log_in("Bob", PASSWORD).await;
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);

    let right = stage.log_in("Ann", PASSWORD).await;
    assert_eq!(right.status(), StatusCode::SEE_OTHER);
    assert_eq!(right.headers()[LOCATION], "/login?accepted=true&next=/evalsets");
    let set = right.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    for flag in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age="] {
        assert!(set.contains(flag), "{set}");
    }
    assert!(!set.contains("Secure"), "over plain HTTP the browser would drop it: {set}");
    let cookie = set.split(';').next().unwrap();
    let models = stage.get("/v1/models").header(COOKIE, cookie);
    assert_eq!(models.send().await.unwrap().status(), StatusCode::OK);

    let out = stage.client.post(stage.url("/logout")).header(COOKIE, cookie).send().await.unwrap();
    assert!(out.headers()[SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
    let models = stage.get("/v1/models").header(COOKIE, cookie);
    assert_eq!(models.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn no_cache_keeps_what_only_people_see() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    for path in ["/", "/live", "/evalsets", "/rehearse/x", "/nowhere", "/v1/models", "/login"] {
        let page = stage.get(path).header(COOKIE, &cookie).header(ACCEPT, "text/html");
        let page = page.send().await.unwrap();
        assert_eq!(page.headers()["cache-control"], "no-store", "{path}");
    }
    let list = stage.client.post(stage.url("/api/list_agents")).header(COOKIE, &cookie);
    let list = list.header("content-type", "application/json").body("{}").send().await.unwrap();
    assert_eq!(
        (list.status(), &list.headers()["cache-control"]),
        (StatusCode::OK, &"no-store".parse().unwrap())
    );
}

#[tokio::test]
async fn cookie_is_secure_behind_tls() {
    let stage = Stage::open().await;
    let request = stage.client.post(stage.url("/login")).body("name=Ann&password=correct+horse");
    let response = request
        .header("content-type", "application/x-www-form-urlencoded")
        .header(HOST, "rehearsal.example")
        .header(ORIGIN, "https://rehearsal.example")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert!(response.headers()[SET_COOKIE].to_str().unwrap().ends_with("; Secure"));
}

#[tokio::test]
async fn locks_logins_after_five_wrong_passwords() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    for _ in 0..5 {
        assert_eq!(stage.log_in("Ann", "guess").await.status(), StatusCode::UNAUTHORIZED);
    }
    let limited = stage.log_in("Ann", PASSWORD).await;
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(limited.headers().contains_key(RETRY_AFTER));
    assert!(limited.text().await.unwrap().contains("Try again in"));
    let inside = stage.get("/v1/models").header(COOKIE, cookie).send().await.unwrap();
    assert_eq!(inside.status(), StatusCode::OK, "whoever is logged in stays so");
}

#[tokio::test]
async fn counts_a_wrong_password_of_a_disconnected_client() {
    let stage = Stage::open().await;
    let form = "name=Ann&password=guess";
    let request = format!(
        "POST /login HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\n\r\n{form}",
        stage.running.address(),
        form.len()
    );
    let path = stage.folder.path().join("audit.jsonl");
    let refused = || std::fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    let mut sent = 0;
    while refused() < 5 {
        // A client that disconnects before the form is read does not count.
        assert!(sent < 500, "{} of {sent} were counted", refused());
        let mut connection = TcpStream::connect(stage.running.address()).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(connection);
        sent += 1;
    }
    let limited = stage.log_in("Ann", PASSWORD).await;
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn limits_attempts_per_client_behind_a_trusted_proxy() {
    let folder = tempfile::tempdir().unwrap();
    let access = Access::default().person(name("Ann"), SecretHash::of(PASSWORD).unwrap());
    let proxy = IpAddr::from([127, 0, 0, 1]);
    let running = simulator(folder.path()).access(access).trust_proxy(proxy).start().await.unwrap();
    let client = test_support::http_client_builder().redirect(Policy::none()).build().unwrap();
    let log_in = async |from: &str, password: &str| {
        let request = client.post(format!("http://{}/login", running.address()));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.header("x-forwarded-for", from);
        let form = format!("name=Ann&password={}", password.replace(' ', "+"));
        request.body(form).send().await.unwrap().status()
    };
    for _ in 0..5 {
        assert_eq!(log_in("203.0.113.5", "guess").await, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(log_in("203.0.113.5", PASSWORD).await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(log_in("203.0.113.6", PASSWORD).await, StatusCode::SEE_OTHER);
    running.stop().await;
}

#[tokio::test]
async fn requires_no_login_without_people_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let running = simulator(folder.path()).start().await.unwrap();
    let models = test_support::http_client()
        .get(format!("http://{}/v1/models", running.address()))
        .send()
        .await
        .unwrap();
    assert_eq!(models.status(), StatusCode::OK);
    running.stop().await;
}

#[tokio::test]
async fn serves_other_machines_only_with_a_login() {
    let folder = tempfile::tempdir().unwrap();
    let anywhere = || simulator(folder.path()).listen(SocketAddr::from(([0, 0, 0, 0], 0)));
    let Err(ServeError::NotLoopback { .. }) = anywhere().start().await else {
        panic!("nobody is asked who they are")
    };
    let access = Access::default().person(name("Ann"), SecretHash::of(PASSWORD).unwrap());
    let running = anywhere().access(access).start().await.unwrap();
    let url = format!("http://127.0.0.1:{}/v1/models", running.address().port());
    assert_eq!(
        test_support::http_client().get(url).send().await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
    running.stop().await;
}

#[tokio::test]
async fn two_hosts_on_one_machine_keep_separate_logins() {
    let hosts = [Stage::open().await, Stage::open().await];
    // What a browser keeps for the machine, all of which it sends to every port.
    let mut jar = std::collections::BTreeMap::new();
    for stage in &hosts {
        let cookie = stage.cookie().await;
        let (name, content) = cookie.split_once('=').unwrap();
        jar.insert(name.to_owned(), content.to_owned());
    }
    let sent: Vec<String> = jar.iter().map(|(name, it)| format!("{name}={it}")).collect();
    let sent = sent.join("; ");
    for stage in &hosts {
        let models = stage.get("/v1/models").header(COOKIE, &sent).send().await.unwrap();
        assert_eq!(models.status(), StatusCode::OK);
    }
    let out = hosts[0].client.post(hosts[0].url("/logout")).header(COOKIE, &sent);
    out.send().await.unwrap();
    let models = hosts[1].get("/v1/models").header(COOKIE, &sent).send().await.unwrap();
    assert_eq!(models.status(), StatusCode::OK, "logged out of the other one alone");
}
