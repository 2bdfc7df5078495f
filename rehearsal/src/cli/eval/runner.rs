//! `rehearsal eval SUITE --runner`: the agent of a case turn by turn, for `create_eval_runner` of the Python package.
//!
//! Standard input has a line for each turn, `{"message": MESSAGE}` or `{"responses": [{"call_id", "name", "response"}]}`.
//! Standard output has one for each answer: `{"turn": {"pending", "state"}, "events"}` or `{"fault", "events"}`, with the
//! events since the last one. The first line is the answer to opening the session, with `"turn": null`. After a fault there
//! is nothing more.

use std::io::{self, Write};

use eval::message::{Message, MessageError};
use eval::result::RunError;
use eval::subject::{Input, ToolResponse, TurnEnd};
use eval::{EvalCase, EvalRunner, JsonText, RunFailure};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::EvalError;

/// A line of standard input.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Message(JsonText),
    Responses(Vec<Response>),
}

#[derive(Deserialize)]
struct Response {
    call_id: String,
    name: String,
    response: JsonText,
}

/// A line of standard output.
#[derive(Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<RunError>,
    turn: Option<Turn>,
    events: Vec<JsonText>,
}

#[derive(Serialize)]
struct Turn {
    pending: Vec<Pending>,
    state: JsonText,
}

#[derive(Serialize)]
struct Pending {
    call_id: String,
    name: String,
    tool: String,
    args: JsonText,
    interim: Option<JsonText>,
}

/// Runs turns of the case until standard input ends or the run does.
pub(super) async fn serve(case: &EvalCase, out: &mut (impl Write + Send)) -> Result<(), EvalError> {
    let mut runner = match EvalRunner::of_case(case).await {
        Ok(runner) => runner,
        Err(failure) => return answer(out, &Answer::of(Err(&failure), Vec::new())),
    };
    let mut seen = 0;
    let mut turn = None;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        let new = runner.gate().ledger.look(|events| {
            let new = events[seen..].iter().filter_map(|entry| JsonText::serialize(entry).ok());
            let new: Vec<JsonText> = new.collect();
            seen = events.len();
            new
        });
        let ended = match &turn {
            Some(Err(failure)) => return answer(out, &Answer::of(Err(failure), new)),
            Some(Ok(end)) => Some(end),
            None => None,
        };
        answer(out, &Answer::of(Ok(ended), new))?;
        let Some(line) = lines.next_line().await? else { return Ok(()) };
        turn = Some(match input(&line) {
            Ok(input) => runner.run(input).await,
            Err(error) => Err(RunFailure::Infrastructure { message: error.to_string() }),
        });
    }
}

/// Why a line of standard input is not a turn.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum InputError {
    Line(#[from] serde_json::Error),
    Message(#[from] MessageError),
}

fn input(line: &str) -> Result<Input, InputError> {
    let request = serde_json::from_str(line)?;
    Ok(match request {
        Request::Message(message) => Input::Message(Message::of_output(&message)?),
        Request::Responses(responses) => {
            let response =
                |Response { call_id, name, response }| ToolResponse { call_id, name, response };
            Input::Responses(responses.into_iter().map(response).collect())
        }
    })
}

impl Answer {
    fn of(ended: Result<Option<&TurnEnd>, &RunFailure>, events: Vec<JsonText>) -> Self {
        let turn = |end: &TurnEnd| Turn {
            pending: end
                .pending
                .iter()
                .map(|call| Pending {
                    call_id: call.call_id.clone(),
                    name: call.name.clone(),
                    tool: call.tool.clone(),
                    args: call.args.clone(),
                    interim: call.interim.clone(),
                })
                .collect(),
            state: end.state.clone(),
        };
        Self {
            fault: ended.err().map(RunError::from),
            turn: ended.ok().flatten().map(turn),
            events,
        }
    }
}

fn answer(out: &mut impl Write, answer: &Answer) -> Result<(), EvalError> {
    let line = JsonText::serialize(answer).map_err(io::Error::from)?;
    // A value may have been written on several lines.
    writeln!(out, "{}", line.compact())?;
    Ok(out.flush()?)
}
