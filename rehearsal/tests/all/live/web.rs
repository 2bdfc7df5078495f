//! gRPC beside the page, on the same port.

use crate::live::stage::Stage;

#[tokio::test]
async fn rejects_a_foreign_page() {
    let stage = Stage::open().await;
    let url = format!("http://{}/rehearsal.v1.LiveService/CreateSession", stage.address());
    let request = test_support::http_client().post(url).header("content-type", "application/grpc");
    let response = request.header("origin", "https://evil.example").send().await.unwrap();
    assert_eq!(response.status(), 403);
}

#[tokio::test]
async fn serves_the_page_on_the_same_port() {
    let stage = Stage::open().await;
    let page = test_support::http_client()
        .get(format!("http://{}/", stage.address()))
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), 200);
    stage.session().await;
}
