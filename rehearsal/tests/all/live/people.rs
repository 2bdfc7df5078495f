//! Several people in one session, and leases.

use std::time::Duration;

use rpc::wire;
use tonic::Code;

use crate::live::stage::{Client, Stage, Watcher, decision, id, person, refused, submit};

async fn hold(
    client: &mut Client,
    session: &str,
    turn: &str,
    lease: &str,
    by: &str,
) -> Result<wire::Lease, tonic::Status> {
    let asked = wire::HoldTurnRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        lease_id: lease.to_owned(),
        by: person(by),
    };
    Ok(client.hold_turn(asked).await?.into_inner().lease.unwrap())
}

#[tokio::test]
async fn lease_of_a_turn_is_visible_to_others() {
    let stage = Stage::open().await;
    let (mut ann, mut bo) = (stage.client().await, stage.client().await);
    let session = stage.session().await;
    let turn = submit(&mut ann, &session, "one").await;
    let mut watcher = Watcher::open(&mut bo, &session, 0).await;
    let (anns, bos) = (id(), id());
    let lease = hold(&mut ann, &session, &turn, &anns, "Ann").await.unwrap();
    assert_eq!(lease.lease_id.as_deref(), Some(anns.as_str()));
    watcher.until(|it| it.state.is_some() && it.queue().lease.is_some()).await;
    let seen = watcher.queue().lease.unwrap();
    assert_eq!(seen.holder.unwrap().display_name, "Ann");
    assert_eq!(seen.lease_id, None, "whoever knows it may answer");

    let (code, message) = refused(hold(&mut bo, &session, &turn, &bos, "Bo").await);
    assert_eq!(code, Code::FailedPrecondition);
    assert!(message.starts_with("lease_id: Ann holds the lease"), "{message}");
    assert_eq!(
        refused(bo.submit_decision(decision(&session, &turn, "mine")).await).0,
        Code::FailedPrecondition
    );

    let over = wire::HandOverTurnRequest {
        session_id: session.clone(),
        turn_id: turn.clone(),
        lease_id: anns.clone(),
        to: person("Bo"),
    };
    let offered = ann.hand_over_turn(over).await.unwrap().into_inner().lease.unwrap();
    assert!(offered.offered);
    hold(&mut bo, &session, &turn, &bos, "Bo").await.unwrap();
    watcher
        .until(|it| {
            it.queue()
                .lease
                .is_some_and(|lease| !lease.offered && lease.holder.unwrap().display_name == "Bo")
        })
        .await;
    let mut answer = decision(&session, &turn, "mine");
    answer.lease_id = Some(bos);
    answer.by = person("Bo");
    bo.submit_decision(answer).await.unwrap();
    watcher.until(|it| it.queue().depth == 0).await;
    assert_eq!(watcher.queue().lease, None);
    assert_eq!(watcher.events[1].by.clone().unwrap().display_name, "Bo");
}

#[tokio::test]
async fn lease_expires_without_a_heartbeat_and_watchers_see_it() {
    let stage = Stage::with_pace(Duration::from_millis(700), Duration::from_secs(15)).await;
    let (mut ann, mut bo) = (stage.client().await, stage.client().await);
    let session = stage.session().await;
    let turn = submit(&mut ann, &session, "one").await;
    let mut watcher = Watcher::open(&mut bo, &session, 0).await;
    hold(&mut ann, &session, &turn, &id(), "Ann").await.unwrap();
    watcher.until(|it| it.state.is_some() && it.queue().lease.is_some()).await;
    watcher.until(|it| it.queue().lease.is_none()).await;
    hold(&mut bo, &session, &turn, &id(), "Bo").await.unwrap();

    let release = wire::ReleaseTurnRequest {
        session_id: session.clone(),
        turn_id: turn.clone(),
        lease_id: id(),
    };
    bo.release_turn(release).await.unwrap();
    assert!(hold(&mut ann, &session, &turn, &id(), "Ann").await.is_err(), "Bo still holds it");
}
