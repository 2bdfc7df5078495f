//! The list of sessions.

use std::collections::HashSet;

use rpc::wire;

use crate::live::stage::{Client, Stage, create, submit};

async fn page(client: &mut Client, cursor: &str, search: &str) -> wire::ListSessionsResponse {
    let asked = wire::ListSessionsRequest {
        page_size: 7,
        cursor: cursor.to_owned(),
        search: search.to_owned(),
    };
    client.list_sessions(asked).await.unwrap().into_inner()
}

fn ids(page: &wire::ListSessionsResponse) -> Vec<String> {
    page.sessions.iter().map(|summary| summary.session.clone().unwrap().id).collect()
}

#[tokio::test]
async fn cursor_is_stable_while_sessions_are_opened() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let mut made = Vec::new();
    for number in 0..40 {
        made.push(create(&mut client, &format!("session {number}")).await);
    }
    let mut listed = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = page(&mut client, &cursor, "").await;
        listed.extend(ids(&page));
        // Opened meanwhile: newer than every cursor.
        create(&mut client, "meanwhile").await;
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    made.reverse();
    assert_eq!(listed, made, "newest first, each once");
    assert_eq!(listed.iter().collect::<HashSet<_>>().len(), 40);
}

#[tokio::test]
async fn list_shows_waiting_agents_and_searches_descriptions() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let weather = create(&mut client, "The Weather in Lisbon").await;
    create(&mut client, "travel").await;
    submit(&mut client, &weather, "one").await;
    submit(&mut client, &weather, "two").await;
    let found = page(&mut client, "", "weather").await;
    assert_eq!(ids(&found), [weather]);
    assert!(found.next_cursor.is_empty());
    let queue = found.sessions[0].queue.clone().unwrap();
    assert_eq!(queue.depth, 2);
    assert_eq!(queue.up.unwrap().agent_name, "weather");
    assert_eq!(found.sessions[0].last_sequence, 2);
}
