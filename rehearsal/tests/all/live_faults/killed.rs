//! The host is killed repeatedly under load, and nothing is lost or reported twice.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use prost::Message;
use rpc::wire;
use rpc::wire::session_event::Payload;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use tokio::sync::watch;

use crate::live_faults::agents::{
    agent, content_text, create, nuisance, person, plain_agent, watcher, words,
};
use crate::live_faults::host::Host;
use crate::live_faults::journal::lines;

const SESSIONS: usize = 8;
const AGENTS: usize = 200;
/// How many of them ask over plain HTTP, without any header for retries.
const PLAIN: usize = 80;
const TURNS: usize = 3;
const KILLS: usize = 10;
/// How many of them must happen while agents wait.
const LEAST_KILLS: usize = 5;
/// Requests and responses of each session.
const EVENTS: u64 = (AGENTS / SESSIONS * TURNS * 2) as u64;

#[tokio::test(flavor = "multi_thread")]
async fn agents_get_responses_when_the_host_is_killed() {
    let mut host = Host::start();
    let folder = host.folder().to_path_buf();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(create(&mut host.client()).await);
    }
    let (ended, over) = watch::channel(false);
    let mut agents = tokio::task::JoinSet::new();
    let mut others = tokio::task::JoinSet::new();
    for number in 0..AGENTS {
        let session = sessions[number % SESSIONS].clone();
        let (client, folder) = (host.client(), folder.clone());
        let (name, address) = (format!("a{number}"), host.address());
        agents.spawn(async move {
            match number < PLAIN {
                true => plain_agent(address, session, TURNS, name, &folder).await,
                false => agent(client, session, TURNS, name, &folder).await,
            }
        });
    }
    for (number, session) in sessions.iter().enumerate() {
        for rival in ["Ann", "Bo"] {
            let name = format!("{rival} {number}");
            let (client, session, over) = (host.client(), session.clone(), over.clone());
            let folder = folder.clone();
            others.spawn(async move {
                person(client, session, name, Duration::from_millis(25), over, &folder).await;
            });
        }
        let (client, session, folder) = (host.client(), session.clone(), folder.clone());
        others.spawn(async move {
            watcher(client, session, EVENTS, format!("w{number}"), &folder).await;
        });
    }
    others.spawn(nuisance(host.client(), sessions[0].clone(), over.clone()));

    let seed = u64::from_le_bytes(uuid::Uuid::new_v4().into_bytes()[..8].try_into().unwrap());
    println!("kills after, in milliseconds (seed {seed}):");
    let mut random = seed;
    let mut under_load = 0;
    for _ in 0..KILLS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let after = 30 + (random >> 33) % 500;
        tokio::time::sleep(Duration::from_millis(after)).await;
        print!(" {after}");
        let actual = lines(&folder, "agent-").iter().filter(|line| line[0] == "answered").count();
        let actual = actual + lines(&folder, "plain-").len();
        under_load += usize::from(actual < AGENTS * TURNS);
        host.kill();
        host.start_again();
    }
    println!(", {under_load} of them while agents waited");
    assert!(under_load >= LEAST_KILLS, "most kills fell after the last answer");
    let all = async { while agents.join_next().await.transpose().unwrap().is_some() {} };
    tokio::time::timeout(Duration::from_secs(120), all).await.expect("every agent is answered");
    tokio::time::sleep(Duration::from_millis(200)).await;
    ended.send(true).unwrap();
    let all = async { while others.join_next().await.transpose().unwrap().is_some() {} };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("every watcher sees the end");

    let log = host.log();
    let durability = log.lines().rev().find(|line| line.contains("PRAGMA synchronous"));
    println!("{}", durability.expect("the host says how surely it keeps"));
    assert!(durability.is_some_and(|line| line.contains("synchronous = 2 (FULL)")));
    host.kill();
    compare(&host.database(), &folder).await;
}

/// Compares the journals of the clients with the store.
async fn compare(database: &Path, folder: &Path) {
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(database));
    let pool = pool.await.unwrap();
    let integrity: String =
        sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&pool).await.unwrap();
    assert_eq!(integrity, "ok");
    let rows = sqlx::query("SELECT * FROM events ORDER BY session_id, sequence");
    let mut requests: HashMap<String, u64> = HashMap::new();
    let mut asked: HashMap<String, String> = HashMap::new();
    let mut responses: HashMap<String, (u64, String, String)> = HashMap::new();
    let mut sequences: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for row in rows.fetch_all(&pool).await.unwrap() {
        let event = wire::SessionEvent::decode(row.get::<&[u8], _>("proto_blob")).unwrap();
        assert_eq!(row.get::<&str, _>("turn_id"), event.turn_id);
        assert_eq!(row.get::<i64, _>("timestamp"), event.timestamp_ms);
        let place = (event.sequence, event.event_id.clone());
        sequences.entry(event.session_id).or_default().push(place);
        match event.payload.unwrap() {
            Payload::Request(request) => {
                let turn = event.turn_id.clone();
                let words = content_text(request.contents.last().unwrap());
                assert_eq!(asked.insert(words, turn), None, "nobody is asked the same twice");
                assert_eq!(requests.insert(event.turn_id, event.sequence), None, "asked once");
            }
            Payload::Response(response) => {
                let by = event.by.unwrap().display_name;
                let answer = (event.sequence, words(&response), by);
                assert_eq!(responses.insert(event.turn_id, answer), None, "answered once");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((requests.len(), responses.len()), (AGENTS * TURNS, AGENTS * TURNS));
    for places in sequences.values() {
        let expected: Vec<u64> = (1..=EVENTS).collect();
        assert_eq!(places.iter().map(|(place, _)| *place).collect::<Vec<_>>(), expected);
    }
    let pending: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pending").fetch_one(&pool).await.unwrap();
    assert_eq!(pending, 0);

    // The stored responses are exactly those that the agents got.
    let mut actual = 0;
    for line in lines(folder, "agent-") {
        match &line.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["asked", turn, sequence] => assert_eq!(requests[*turn].to_string(), *sequence),
            ["answered", turn, sequence, answer] => {
                let (place, words, _) = &responses[*turn];
                assert_eq!((place.to_string().as_str(), words.as_str()), (*sequence, *answer));
                actual += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    for line in lines(folder, "plain-") {
        let (_, words, _) = &responses[&asked[&line[0]]];
        assert_eq!(words, &line[1]);
        actual += 1;
    }
    assert_eq!(actual, AGENTS * TURNS, "every agent got every response once");
    // A person whose response was accepted finds it unchanged.
    let mut decided = HashSet::new();
    for line in lines(folder, "person-") {
        if line[0] == "decided" {
            assert!(decided.insert(line[1].clone()), "two responses to one turn were accepted");
            let (place, words, by) = &responses[&line[1]];
            assert_eq!((place.to_string(), words), (line[2].clone(), &line[3]));
            assert!(words.starts_with(by.as_str()));
        }
    }
    // Only a decision whose reply was interrupted by the end of the test is not in a journal.
    assert!(decided.len() + 2 * SESSIONS >= AGENTS * TURNS);
    // The watchers saw every event once, in order.
    let mut seen: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for line in lines(folder, "watcher-") {
        seen.entry(line[0].clone()).or_default().push((line[1].parse().unwrap(), line[2].clone()));
    }
    assert_eq!(seen, sequences);
    println!(
        "{} requests, {} responses, {} watched events: the journals and the store agree",
        requests.len(),
        responses.len(),
        seen.values().map(Vec::len).sum::<usize>()
    );
}
