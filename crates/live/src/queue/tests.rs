//! Examples of the rules, and their invariants as properties.

use proptest::prelude::*;

use super::*;
use crate::{AgentName, DisplayName, EventId, InvocationId, LeaseId, Moment, TurnId};

const LENGTH: i64 = 30_000;

fn turn(number: u8) -> TurnId {
    TurnId::from_random([number; 16])
}

fn event(number: u8) -> EventId {
    EventId::from_random([number; 16])
}

fn lease(number: u8) -> LeaseId {
    LeaseId::from_random([number; 16])
}

fn print(number: u8) -> Fingerprint {
    Fingerprint([number; 32])
}

fn person(name: &str) -> DisplayName {
    DisplayName::parse(name).expect("a name")
}

fn submit(number: u8) -> Command {
    submit_as(number, number)
}

fn submit_as(number: u8, content: u8) -> Command {
    Command::Submit {
        turn_id: turn(number),
        agent_name: AgentName::parse("weather").expect("a name"),
        invocation_id: InvocationId::default(),
        fingerprint: print(content),
    }
}

fn cancel(number: u8, content: u8) -> Command {
    Command::Cancel { turn_id: turn(number), fingerprint: print(content) }
}

fn respond(number: u8, content: u8, under: Option<u8>) -> Command {
    Command::Respond {
        turn_id: turn(number),
        fingerprint: print(content),
        lease_id: under.map(lease),
    }
}

fn take_lease(number: u8, under: u8, by: &str) -> Command {
    Command::TakeLease {
        turn_id: turn(number),
        lease_id: lease(under),
        by: person(by),
        length_ms: LENGTH,
    }
}

/// The moment at which both clocks show this.
fn moment(milliseconds: i64) -> Moment {
    Moment::default().plus(milliseconds)
}

/// A queue with its clock.
struct TestSession {
    queue: Queue,
    now: Moment,
}

impl TestSession {
    fn new() -> Self {
        Self { queue: Queue::new(), now: moment(1_000) }
    }

    fn run(&mut self, command: &Command) -> Result<CommandReply, Refusal> {
        let transition = self.queue.decide(command, self.now)?;
        transition.facts.iter().for_each(|fact| self.queue.apply(fact));
        Ok(transition.reply)
    }
}

#[test]
fn oldest_turn_is_the_head_of_the_queue() {
    let mut session = TestSession::new();
    for number in 1..=3 {
        assert_eq!(session.run(&submit(number)), Ok(CommandReply::Event(Sequence(number.into()))));
    }
    assert_eq!(
        session.run(&respond(3, 9, None)),
        Err(Refusal::NotAtHead { turn_id: turn(3), ahead: 2 })
    );
    assert_eq!(session.run(&cancel(2, 1)), Ok(CommandReply::Event(Sequence(4))));
    assert_eq!(session.run(&respond(1, 9, None)), Ok(CommandReply::Event(Sequence(5))));
    assert_eq!(session.queue.head().map(|head| head.turn_id), Some(turn(3)));
    assert_eq!(session.queue.depth(), 1);
}

#[test]
fn repeats_the_reply_to_a_repeated_command() {
    let mut session = TestSession::new();
    session.run(&submit(1)).expect("joins");
    assert_eq!(session.run(&submit(1)), Ok(CommandReply::Event(Sequence(1))));
    assert_eq!(session.run(&submit_as(1, 7)), Err(Refusal::TurnTaken(turn(1))));
    session.run(&respond(1, 5, None)).expect("answers");
    assert_eq!(session.run(&respond(1, 5, None)), Ok(CommandReply::Event(Sequence(2))));
    let answered = Refusal::AlreadyAnswered { turn_id: turn(1), sequence: Sequence(2) };
    assert_eq!(session.run(&respond(1, 6, None)), Err(answered.clone()));
    assert_eq!(session.run(&cancel(1, 1)), Err(answered));
    assert_eq!(session.run(&submit(1)), Ok(CommandReply::Event(Sequence(1))));
    assert_eq!(session.queue.last(), Sequence(2));

    session.run(&submit(2)).expect("joins");
    assert_eq!(session.run(&cancel(2, 5)), Ok(CommandReply::Event(Sequence(4))));
    assert_eq!(session.run(&cancel(2, 5)), Ok(CommandReply::Event(Sequence(4))));
    let cancelled = Refusal::AlreadyCancelled { turn_id: turn(2), sequence: Sequence(4) };
    assert_eq!(session.run(&cancel(2, 6)), Err(cancelled), "another reason would be lost");
}

#[test]
fn complete_rejects_pending_turns_unless_they_are_canceled() {
    let mut session = TestSession::new();
    (1..=2).for_each(|number| drop(session.run(&submit(number)).expect("joins")));
    let complete = |cancel_pending| Command::Complete { cancel_pending };
    assert_eq!(session.run(&complete(false)), Err(Refusal::TurnsPending { count: 2 }));
    assert_eq!(session.run(&complete(true)), Ok(CommandReply::Done));
    assert_eq!(session.queue.last(), Sequence(4), "both turns have a cancellation");
    assert_eq!(session.run(&submit(3)), Err(Refusal::Completed));
    assert_eq!(
        session.run(&submit(1)),
        Ok(CommandReply::Event(Sequence(1))),
        "a repeated request gets its reply"
    );
    assert_eq!(session.run(&complete(false)), Ok(CommandReply::Done));
    assert_eq!(
        session.run(&respond(2, 1, None)),
        Err(Refusal::AlreadyCancelled { turn_id: turn(2), sequence: Sequence(4) })
    );
}

#[test]
fn a_corrected_time_of_day_neither_ends_nor_extends_a_lease() {
    let mut session = TestSession::new();
    session.run(&submit(1)).expect("joins");
    session.run(&take_lease(1, 1, "Ann")).expect("nobody holds it");
    for correction in [24 * 60 * 60 * 1_000, -48 * 60 * 60 * 1_000] {
        session.now.at = session.now.at.plus(correction);
        session.run(&Command::Tick).expect("time passes");
        assert!(session.run(&take_lease(1, 2, "Bo")).is_err(), "{correction}");
    }
    session.now.ticks = session.now.ticks.plus(LENGTH);
    session.run(&take_lease(1, 2, "Bo")).expect("Ann's lease has expired");
}

#[test]
fn one_person_holds_the_lease_until_it_is_released_or_expires() {
    let mut session = TestSession::new();
    (1..=2).for_each(|number| drop(session.run(&submit(number)).expect("joins")));
    assert!(matches!(
        session.run(&take_lease(2, 1, "Ann")),
        Err(Refusal::NotAtHead { ahead: 1, .. })
    ));
    session.run(&take_lease(1, 1, "Ann")).expect("nobody holds it");
    let until = session.now.at.plus(LENGTH);
    let held = Refusal::LeaseHeld { holder: person("Ann"), until };
    assert_eq!(session.run(&take_lease(1, 2, "Bo")), Err(held.clone()));
    assert_eq!(session.run(&respond(1, 1, Some(2))), Err(held.clone()));
    assert_eq!(session.run(&respond(1, 1, None)), Err(held));

    session.now = session.now.plus(LENGTH - 1);
    session.run(&take_lease(1, 1, "Ann")).expect("a heartbeat");
    session.now = session.now.plus(LENGTH - 1);
    assert!(session.run(&take_lease(1, 2, "Bo")).is_err(), "the heartbeat counts");
    session.now = session.now.plus(1);
    session.run(&Command::Tick).expect("time passes");
    assert_eq!(session.queue.lease(), None);
    session.run(&take_lease(1, 2, "Bo")).expect("Ann's lease has expired");

    let over = Command::HandOver {
        turn_id: turn(1),
        lease_id: lease(2),
        to: person("Cy"),
        length_ms: LENGTH,
    };
    let offered = session.run(&over).expect("Bo holds it");
    assert_eq!(session.run(&over), Ok(offered), "sent again");
    assert!(session.run(&respond(1, 1, Some(2))).is_err(), "Bo gave it away");
    assert!(session.run(&take_lease(1, 1, "Ann")).is_err(), "it is meant for Cy");
    session.run(&take_lease(1, 3, "Cy")).expect("Cy takes it");
    assert_eq!(session.run(&over), Err(Refusal::LeaseNotHeld));
    session.run(&respond(1, 1, Some(3))).expect("Cy answers");
    assert_eq!(session.queue.lease(), None, "a lease ends with its turn");
    session.run(&take_lease(2, 1, "Ann")).expect("the next turn is free");
    session
        .run(&Command::Release { turn_id: turn(2), lease_id: lease(9) })
        .expect("not its holder");
    assert!(session.queue.lease().is_some());
    session.run(&Command::Release { turn_id: turn(2), lease_id: lease(1) }).expect("its holder");
    assert_eq!(session.queue.lease(), None);
}

/// A page may send its response before the host has confirmed its lease.
#[test]
fn accepts_a_response_when_nobody_holds_the_lease() {
    let mut session = TestSession::new();
    session.run(&submit(1)).expect("joins");
    assert_eq!(session.run(&respond(1, 5, Some(7))), Ok(CommandReply::Event(Sequence(2))));
    session.run(&submit(2)).expect("joins");
    session.run(&take_lease(2, 7, "Ann")).expect("holds");
    assert_eq!(session.run(&respond(2, 5, Some(7))), Ok(CommandReply::Event(Sequence(4))));
}

#[test]
fn records_an_event_of_a_closed_turn() {
    let record = |event_id: u8, number: u8, content: u8| Command::Record {
        event_id: event(event_id),
        turn_id: turn(number),
        agent_name: AgentName::parse("weather").expect("a name"),
        invocation_id: InvocationId::default(),
        fingerprint: print(content),
    };
    let mut session = TestSession::new();
    assert_eq!(session.run(&record(1, 1, 1)), Err(Refusal::UnknownTurn(turn(1))));
    session.run(&submit(1)).expect("joins");
    session.run(&respond(1, 1, None)).expect("answers");
    session.run(&Command::Complete { cancel_pending: false }).expect("nobody waits");
    assert_eq!(session.run(&record(1, 1, 1)), Ok(CommandReply::Event(Sequence(3))));
    assert_eq!(session.run(&record(1, 1, 1)), Ok(CommandReply::Event(Sequence(3))));
    assert_eq!(session.run(&record(1, 1, 2)), Err(Refusal::EventTaken(event(1))));
}

fn any_command() -> impl Strategy<Value = Command> {
    let number = 0_u8..6;
    let content = 0_u8..3;
    prop_oneof![
        4 => (number.clone(), content.clone()).prop_map(|(n, c)| submit_as(n, c)),
        4 => (number.clone(), content.clone(), prop::option::of(0_u8..3))
            .prop_map(|(n, c, l)| respond(n, c, l)),
        1 => (number.clone(), content.clone()).prop_map(|(n, c)| cancel(n, c)),
        1 => any::<bool>().prop_map(|cancel_pending| Command::Complete { cancel_pending }),
        2 => (number.clone(), 0_u8..4, content).prop_map(|(n, e, c)| Command::Record {
            event_id: event(e),
            turn_id: turn(n),
            agent_name: AgentName::parse("weather").expect("a name"),
            invocation_id: InvocationId::default(),
            fingerprint: print(c),
        }),
        3 => (number.clone(), 0_u8..3).prop_map(|(n, l)| take_lease(n, l, ["Ann", "Bo", "Cy"][usize::from(l)])),
        1 => (number.clone(), 0_u8..3, 0_usize..3).prop_map(|(n, l, to)| Command::HandOver {
            turn_id: turn(n),
            lease_id: lease(l),
            to: person(["Ann", "Bo", "Cy"][to]),
            length_ms: LENGTH,
        }),
        1 => (number, 0_u8..3).prop_map(|(n, l)| Command::Release { turn_id: turn(n), lease_id: lease(l) }),
        1 => Just(Command::Tick),
    ]
}

/// Commands and how many milliseconds pass before each; the clock may also go back.
fn any_run() -> impl Strategy<Value = Vec<(Command, i64)>> {
    prop::collection::vec((any_command(), -5_000_i64..20_000), 0..60)
}

proptest! {
    #[test]
    fn facts_are_in_order_and_a_turn_closes_once(run in any_run()) {
        let (mut queue, mut now) = (Queue::new(), 0);
        let (mut waiting, mut closed) = (Vec::new(), Vec::new());
        let (mut sequence, mut at, mut completed) = (0, i64::MIN, false);
        for (command, passed) in run {
            now += passed;
            let Ok(transition) = queue.decide(&command, moment(now)) else { continue };
            for fact in &transition.facts {
                queue.apply(fact);
                if let Some(entry) = fact.entry() {
                    sequence += 1;
                    prop_assert_eq!(entry.sequence, Sequence(sequence));
                    prop_assert!(entry.at.0 >= at, "time never goes back");
                    at = entry.at.0;
                }
                match fact {
                    Fact::Requested(entry, _) => {
                        prop_assert!(!completed, "a completed session takes no request");
                        prop_assert!(!waiting.contains(&entry.turn_id));
                        prop_assert!(!closed.contains(&entry.turn_id));
                        waiting.push(entry.turn_id);
                    }
                    Fact::Answered(entry, _) => {
                        prop_assert_eq!(waiting.first(), Some(&entry.turn_id), "first in, first out");
                        closed.push(waiting.remove(0));
                    }
                    Fact::Cancelled(entry, _) => {
                        let place = waiting.iter().position(|turn| *turn == entry.turn_id);
                        prop_assert!(place.is_some(), "only a pending turn is canceled");
                        closed.push(waiting.remove(place.unwrap_or_default()));
                    }
                    Fact::Completed => {
                        prop_assert!(!completed && waiting.is_empty());
                        completed = true;
                    }
                    Fact::Leased(lease) => prop_assert_eq!(waiting.first(), Some(&lease.turn_id)),
                    Fact::Recorded(..) | Fact::Freed => {}
                }
            }
            let pending: Vec<_> = queue.pending().map(|turn| turn.turn_id).collect();
            prop_assert_eq!(&pending, &waiting);
            prop_assert_eq!(queue.status() == Status::Completed, completed);
            if let Some(lease) = queue.lease() {
                prop_assert_eq!(Some(&lease.turn_id), waiting.first(), "only the head of the queue");
            }
        }
    }

    #[test]
    fn replaying_the_facts_restores_the_queue(run in any_run()) {
        let (mut queue, mut now, mut facts) = (Queue::new(), 0, Vec::new());
        for (command, passed) in run {
            now += passed;
            let Ok(transition) = queue.decide(&command, moment(now)) else { continue };
            transition.facts.iter().for_each(|fact| queue.apply(fact));
            facts.extend(transition.facts);
        }
        let mut replayed = Queue::new();
        facts.iter().for_each(|fact| replayed.apply(fact));
        prop_assert_eq!(replayed, queue);
    }

    #[test]
    fn a_repeated_command_adds_no_event_and_gets_the_same_reply(run in any_run()) {
        let (mut queue, mut now) = (Queue::new(), 0);
        for (command, passed) in run {
            now += passed;
            let Ok(transition) = queue.decide(&command, moment(now)) else { continue };
            transition.facts.iter().for_each(|fact| queue.apply(fact));
            let again = queue.decide(&command, moment(now));
            prop_assert!(again.is_ok(), "{command:?} is rejected when repeated: {again:?}");
            let again = again.unwrap_or_else(|_| unreachable!("asserted"));
            prop_assert_eq!(again.reply, transition.reply);
            prop_assert!(again.facts.iter().all(|fact| fact.entry().is_none()));
            again.facts.iter().for_each(|fact| queue.apply(fact));
        }
    }

    /// Like the host: keeps pending turns, and loads others when a command needs them.
    #[test]
    fn dropped_turns_do_not_change_decisions(run in any_run()) {
        let (mut whole, mut lean, mut now) = (Queue::new(), Queue::new(), 0);
        for (command, passed) in run {
            now += passed;
            let unknown = lean.unknown_to(&command);
            if let Some(turn) = unknown.turn.and_then(|turn| whole.closed.get(&turn).map(|it| (turn, *it))) {
                lean.recall_turn(turn.0, turn.1);
            }
            if let Some(event) = unknown.event.and_then(|event| whole.recorded.get(&event).map(|it| (event, *it))) {
                lean.recall_event(event.0, event.1);
            }
            let decided = lean.decide(&command, moment(now));
            prop_assert_eq!(&decided, &whole.decide(&command, moment(now)));
            for fact in decided.map(|transition| transition.facts).unwrap_or_default() {
                lean.apply(&fact);
                whole.apply(&fact);
            }
            lean.forget();
            let restored = Queue::restored(
                whole.status(),
                whole.last(),
                whole.last_at,
                whole.pending().cloned(),
            );
            prop_assert_eq!(restored, Queue { lease: None, ..lean.clone() });
        }
    }
}
