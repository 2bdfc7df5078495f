//! A host below a base path: the login, the page's addresses, and the programs' requests.

use api::EVENTS_PATH;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, AUTHORIZATION, COOKIE, LOCATION, SET_COOKIE};
use rpc::wire;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::access::stage::Stage;

/// The addresses in the `href`, `src` and `action` attributes of a document.
fn addresses(document: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for attribute in [" href=\"", " src=\"", " action=\""] {
        let values = document.split(attribute).skip(1);
        found.extend(values.filter_map(|rest| rest.split('"').next()));
    }
    found
}

#[tokio::test]
async fn login_stays_below_the_base_path() {
    let stage = Stage::below("/team").await;
    let page = stage.get("/evalsets?x=1").header(ACCEPT, "text/html").send().await.unwrap();
    assert_eq!(page.status(), StatusCode::SEE_OTHER);
    assert_eq!(page.headers()[LOCATION], "/team/login?next=/evalsets%3Fx%3D1");
    let form = stage.get("/login").send().await.unwrap().text().await.unwrap();
    let relative = addresses(&form);
    assert!(!relative.is_empty() && relative.iter().all(|it| !it.starts_with('/')), "{relative:?}");

    let entered = stage.log_in("Ann", crate::access::stage::PASSWORD).await;
    assert_eq!(entered.headers()[LOCATION], "/team/login?accepted=true&next=/evalsets");
    let set = entered.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(set.contains("; Path=/team/;"), "{set}");
    let cookie = set.split(';').next().unwrap();
    let accepted = "/login?accepted=true&next=/evalsets";
    let in_ = stage.get(accepted).header(COOKIE, cookie).send().await.unwrap();
    assert_eq!(in_.headers()[LOCATION], "/team/evalsets");
    // A proxy has taken the cookie out.
    let lost = stage.get(accepted).send().await.unwrap().text().await.unwrap();
    assert!(lost.contains("the browser did not send the cookie of the login back"), "{lost}");
    let out = stage.client.post(stage.url("/logout")).header(COOKIE, cookie).send().await.unwrap();
    assert_eq!(out.headers()[LOCATION], "/team/login");
    assert!(out.headers()[SET_COOKIE].to_str().unwrap().contains("; Path=/team/;"));
}

#[tokio::test]
async fn every_address_of_a_page_is_below_the_base_path() {
    let stage = Stage::below("/tools/team").await;
    let cookie = stage.cookie().await;
    for path in ["/", "/live", "/evalsets", "/reports", "/rehearse/weather", "/no/such/page"] {
        let page = stage.get(path).header(COOKIE, &cookie).send().await.unwrap();
        let text = page.text().await.unwrap();
        assert!(text.contains("<html lang=\"en\" data-base=\"/tools/team\" "), "{path}: {text}");
        let own = addresses(&text);
        assert!(own.len() > 8, "{path}: {own:?}");
        let outside: Vec<_> = own.iter().filter(|it| !it.starts_with("/tools/team/")).collect();
        assert!(outside.is_empty(), "{path}: {outside:?}");
        assert!(!text.contains("\"/pkg"), "{path}");
    }
    // The page knows where it is: the sections mark the current one.
    let live = stage.get("/live").header(COOKIE, &cookie).send().await.unwrap();
    let text = live.text().await.unwrap();
    assert!(text.contains("href=\"/tools/team/live\" aria-current=\"true\""), "{text}");
    let set = stage.get("/evalsets/weather").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(set.status(), StatusCode::OK);
    let none = stage.get("/evalsets/none").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(none.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_root_has_no_base_path() {
    let stage = Stage::open().await;
    let page = stage.get("/").header(COOKIE, stage.cookie().await).send().await.unwrap();
    let text = page.text().await.unwrap();
    assert!(!text.contains("data-base"), "{text}");
    assert!(addresses(&text).contains(&"/live"), "{text}");
}

#[tokio::test]
async fn programs_are_served_below_the_base_path() {
    let stage = Stage::below("/team").await;
    let bearer = format!("Bearer {}", stage.token);
    let models = stage.get("/v1/models").header(AUTHORIZATION, &bearer).send().await.unwrap();
    assert_eq!(models.status(), StatusCode::OK);
    // Errors have the format of the vendor whose path it is.
    let unknown = stage.get("/v1beta/models").send().await.unwrap();
    let fault: serde_json::Value = unknown.json().await.unwrap();
    assert_eq!(fault["error"]["status"], "UNAUTHENTICATED", "{fault}");
    let wheel = stage.get("/python/none.whl").header(AUTHORIZATION, &bearer).send().await.unwrap();
    let wheel = wheel.text().await.unwrap();
    let name = wheel.trim().trim_start_matches("This host has ").trim_end_matches('.');
    let wheel = stage.get(name).header(AUTHORIZATION, &bearer).send().await.unwrap();
    assert_eq!(wheel.status(), StatusCode::OK);

    let description = Some("below a path".to_owned());
    let request =
        wire::CreateSessionRequest { description: description.clone(), ..Default::default() };
    let origin = format!("http://{}/team", stage.running.address()).parse().unwrap();
    let channel = tonic::transport::Endpoint::from_shared(stage.url("")).unwrap();
    let mut client = rpc::wire::live_service_client::LiveServiceClient::with_origin(
        channel.connect().await.unwrap(),
        origin,
    );
    let session = client.create_session(stage.with_token(request)).await.unwrap();
    assert_eq!(session.into_inner().session.unwrap().description, description);

    let socket = format!("ws://{}/team{EVENTS_PATH}", stage.running.address());
    let mut request = socket.into_client_request().unwrap();
    request.headers_mut().insert("cookie", stage.cookie().await.parse().unwrap());
    connect_async(request).await.unwrap();
}

#[tokio::test]
async fn a_proxy_that_strips_the_prefix_learns_it() {
    let stage = Stage::below("/team").await;
    for path in ["/", "/live", "/v1/models", "/login", EVENTS_PATH] {
        let stripped = format!("http://{}{path}", stage.running.address());
        let response = stage.client.get(stripped).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        let text = response.text().await.unwrap();
        assert!(text.contains("served below /team"), "{text}");
    }
    for path in ["/healthz", "/readyz", "/team/healthz", "/team/readyz"] {
        let answered = stage.client.get(format!("http://{}{path}", stage.running.address()));
        assert_eq!(answered.send().await.unwrap().status(), StatusCode::OK, "{path}");
    }
}
