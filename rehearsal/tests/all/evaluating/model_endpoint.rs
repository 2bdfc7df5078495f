//! A model at an address of this machine that notes for which case it is asked.
//!
//! It plays the agent of [`super::killed`], in a format of their own, and a judge, in OpenAI's format.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The endpoint. It ends with the process of the test.
pub(crate) struct ModelEndpoint {
    /// Its host and port.
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<usize>>>,
}

/// Cases with such a number fail: the judge says so.
pub(crate) fn fails(case: usize) -> bool {
    case.is_multiple_of(4)
}

impl ModelEndpoint {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked: Arc<Mutex<Vec<usize>>> = Arc::default();
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || serve(stream.unwrap(), &noted));
            }
        });
        Self { address, asked }
    }

    /// The numbers of the cases for which it was asked, in the order of the requests.
    pub(crate) fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }

    /// How often it was asked.
    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn serve(stream: TcpStream, noted: &Mutex<Vec<usize>>) {
    let mut stream = BufReader::new(stream);
    // Its process may be killed at any byte.
    let Some((path, body)) = read(&mut stream) else { return };
    let case = case_of(&body);
    noted.lock().unwrap().push(case);
    let answer = if path == "/agent" { agent(case, &body) } else { judge(case) }.to_string();
    let length = answer.len();
    let _ = write!(
        stream.get_mut(),
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{answer}"
    );
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut first = String::new();
    stream.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? <= 2 {
            break;
        }
        if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((path, String::from_utf8(body).ok()?))
}

/// The number of the case in the user's message.
fn case_of(body: &str) -> usize {
    let (_, number) = body.split_once("I am case-").unwrap();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// A call of the tool, and then a text.
fn agent(case: usize, body: &str) -> Value {
    if body.contains("function_response") {
        json!({ "text": format!("I have seen case-{case}.") })
    } else {
        json!({ "function_call": { "name": "look", "args": { "at": format!("case-{case}") } } })
    }
}

fn judge(case: usize) -> Value {
    let reason = format!("Of case-{case}.");
    // As metrics ask for it, and as criteria do.
    let verdict = json!({
        "reason": reason,
        "passed": !fails(case),
        "reasoning": reason,
        "verdict": if fails(case) { "no" } else { "yes" },
    });
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "judge",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": verdict.to_string() },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
    })
}
