//! `cargo bench -p eval-native`: what the engine costs on top of adk-rust's own runner, and what 1,000 cases at
//! once need.
//!
//! Both sides run the same agent with the same prepared responses on one thread in the same process, so the
//! difference is the engine: the gate, the ledger, the wrappers, the run. Processor time is compared, because
//! the machine may be shared. The bench fails when a bound is missed.
//!
//! `REHEARSAL_BENCH_INSPECT` names a Python with Inspect AI, which then runs the small case too, with its mock
//! model; `cargo xtask bench` sets it. Without it this is left out, with a message.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints its figures, and may fail"
)]

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adk_agent::LlmAgentBuilder;
use adk_core::identity::{SessionId, UserId};
use adk_core::{
    Agent, Content, Llm, LlmRequest, LlmResponse, LlmResponseStream, Part, RunConfig, StreamingMode,
};
use adk_runner::Runner;
use adk_session::{CreateRequest, InMemorySessionService, SessionService};
use adk_tool::FunctionTool;
use async_trait::async_trait;
use eval::given_model::{GivenModel, ModelTurn};
use eval::user_agent::ScriptedUser;
use eval::{EvalCase, EvalSuite, Status, ToolMock, ToolUse, run_eval, run_eval_suite};
use eval_native::{Interceptor, NativeSubject};
use futures::StreamExt as _;
use json_text::JsonText;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::sync::Barrier;

/// Microseconds of processor time that the engine may add to a turn or a call.
const MOST_MICROSECONDS: f64 = 100.0;
/// Megabytes that the cases at once may need.
const MOST_MEGABYTES: f64 = 200.0;
/// How many times as much processor time a case takes in Inspect AI, at least.
const LEAST_TIMES: f64 = 20.0;
const AT_ONCE: usize = 1_000;
/// Calls or turns of a long case. What a case costs by itself is that of a short one.
const STEPS: usize = 20;
const SAMPLES: usize = 41;

fn main() -> ExitCode {
    // `cargo test --benches` starts this too; then there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let memory = runtime.block_on(at_once());
    let calls = runtime.block_on(per_step(Shape::Calls));
    let turns = runtime.block_on(per_step(Shape::Turns));
    let whole = runtime.block_on(small_case());
    println!("{:<44} {whole:>9.1} us", "a case of two calls and a text");
    let met = [
        beside_inspect_ai(whole),
        report("engine, per tool call", calls, "us", MOST_MICROSECONDS),
        report("engine, per turn", turns, "us", MOST_MICROSECONDS),
        report("1,000 cases at once", memory, "MB", MOST_MEGABYTES),
    ];
    if met.contains(&false) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn report(what: &str, figure: f64, unit: &str, bound: f64) -> bool {
    println!("{what:<44} {figure:>9.1} {unit}  bound {bound:.0}  ratio {:.2}", figure / bound);
    figure <= bound
}

/// Compares the small case with the same one in Inspect AI. Whether the factor is reached; true if there is no
/// Inspect AI.
fn beside_inspect_ai(ours: f64) -> bool {
    let Some(python) = std::env::var_os("REHEARSAL_BENCH_INSPECT") else {
        println!("NOT COMPARED: REHEARSAL_BENCH_INSPECT is not set; cargo xtask bench sets it");
        return true;
    };
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/inspect_ai_cases.py");
    let output = Command::new(python).arg(program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
    let what = ["the same in Inspect AI", "the same without its log of samples"];
    for (what, theirs) in what.into_iter().zip(&figures) {
        println!("{what:<44} {theirs:>9.1} us  {:.0} times, goal {LEAST_TIMES:.0}", theirs / ours);
    }
    figures.iter().all(|theirs| theirs / ours >= LEAST_TIMES)
}

/// Processor time of this process, in microseconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "times of a bench fit")]
    let microseconds = time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3;
    microseconds
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// What a long case has many of.
#[derive(Clone, Copy)]
enum Shape {
    Calls,
    Turns,
}

/// What the engine adds to one call or turn: the growth from a short case to a long one, less that of the
/// framework by itself.
async fn per_step(shape: Shape) -> f64 {
    let mut samples = Vec::new();
    let mut bare_samples = Vec::new();
    for _ in 0..SAMPLES {
        let (mut ours, mut bare) = (0.0, 0.0);
        for (steps, sign) in [(STEPS, 1.0), (1, -1.0)] {
            let begin = processor_time();
            engine(shape, steps).await;
            let middle = processor_time();
            framework(shape, steps).await;
            ours += sign * (middle - begin);
            bare += sign * (processor_time() - middle);
        }
        let grown = f64::from(u32::try_from(STEPS - 1).unwrap());
        samples.push((ours - bare) / grown);
        bare_samples.push(bare / grown);
    }
    let what = match shape {
        Shape::Calls => "adk-rust alone, per tool call",
        Shape::Turns => "adk-rust alone, per turn",
    };
    println!("{what:<44} {:>9.1} us", median(bare_samples));
    median(samples)
}

/// The responses of the model: for each user's message those of one turn.
fn responses(shape: Shape, steps: usize) -> Vec<ModelTurn> {
    match shape {
        Shape::Calls => {
            let call = || ModelTurn::call("look", JsonText::from_value(&json!({ "at": "x" })));
            (0..steps).map(|_| call()).chain([ModelTurn::text("Done")]).collect()
        }
        Shape::Turns => (0..steps).map(|_| ModelTurn::text("Go on")).collect(),
    }
}

fn look() -> FunctionTool {
    FunctionTool::new("look", "Looks", |_, _| async { Ok(json!({ "seen": "y" })) })
}

fn subject() -> Arc<NativeSubject> {
    Arc::new(NativeSubject::new(|interceptor: &Interceptor| {
        let model = interceptor.model("looker", || unreachable!("the case gives a model"))?;
        let agent = LlmAgentBuilder::new("looker").model(model);
        let agent: Arc<dyn Agent> =
            Arc::new(agent.tool(interceptor.tool(Arc::new(look()))).build()?);
        Ok(agent)
    }))
}

async fn engine(shape: Shape, steps: usize) {
    let mock = ToolMock::Returns(JsonText::from_value(&json!({ "seen": "y" })));
    let mut case = EvalCase::new("bench", subject())
        .first_message("Go")
        .model(GivenModel::scripted(responses(shape, steps)))
        .tool("look", ToolUse::Mock(mock));
    if matches!(shape, Shape::Turns) {
        case = case.user(Arc::new(ScriptedUser::saying((1..steps).map(|_| "Go"))));
    }
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

/// Prepared responses without the engine.
struct Prepared {
    responses: Vec<ModelTurn>,
    next: AtomicUsize,
}

#[async_trait]
impl Llm for Prepared {
    fn name(&self) -> &str {
        "prepared"
    }

    async fn generate_content(
        &self,
        _: LlmRequest,
        _: bool,
    ) -> adk_core::Result<LlmResponseStream> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let turn = &self.responses[number];
        let text = (!turn.text.is_empty()).then(|| Part::Text { text: turn.text.clone() });
        let calls = turn.calls.iter().map(|call| Part::FunctionCall {
            name: call.tool.clone(),
            args: call.args.to_value().unwrap(),
            id: Some(format!("call-{number}")),
            thought_signature: None,
        });
        let content =
            Content { role: "model".to_owned(), parts: text.into_iter().chain(calls).collect() };
        let response =
            LlmResponse { content: Some(content), turn_complete: true, ..LlmResponse::default() };
        Ok(Box::pin(futures::stream::once(async { Ok(response) })))
    }
}

/// The same conversation with adk-rust's runner alone.
async fn framework(shape: Shape, steps: usize) {
    let model = Prepared { responses: responses(shape, steps), next: AtomicUsize::new(0) };
    let agent = LlmAgentBuilder::new("looker").model(Arc::new(model)).tool(Arc::new(look()));
    let service = Arc::new(InMemorySessionService::new());
    let create = CreateRequest {
        app_name: "bench".to_owned(),
        user_id: "bench".to_owned(),
        session_id: Some("bench".to_owned()),
        state: HashMap::new(),
    };
    service.create(create).await.unwrap();
    let config = RunConfig { streaming_mode: StreamingMode::None, ..RunConfig::default() };
    let runner = Runner::builder()
        .app_name("bench")
        .agent(Arc::new(agent.build().unwrap()))
        .session_service(service)
        .run_config(config)
        .build()
        .unwrap();
    let messages = match shape {
        Shape::Calls => 1,
        Shape::Turns => steps,
    };
    for _ in 0..messages {
        let user = UserId::try_from("bench").unwrap();
        let session = SessionId::try_from("bench").unwrap();
        let content = Content::new("user").with_text("Go");
        let mut events = runner.run(user, session, content).await.unwrap();
        while let Some(event) = events.next().await {
            event.unwrap();
        }
    }
}

/// Microseconds of a whole case.
async fn small_case() -> f64 {
    let mut samples = Vec::new();
    for _ in 0..SAMPLES {
        let begin = processor_time();
        engine(Shape::Calls, 2).await;
        samples.push(processor_time() - begin);
    }
    median(samples)
}

/// Megabytes that cases need while every one is within a call of its own.
async fn at_once() -> f64 {
    let barrier = Arc::new(Barrier::new(AT_ONCE));
    let most = Arc::new(AtomicUsize::new(0));
    let before = resident();
    let subject = Arc::new(NativeSubject::new({
        let most = Arc::clone(&most);
        move |interceptor: &Interceptor| {
            let (barrier, most) = (Arc::clone(&barrier), Arc::clone(&most));
            let look = FunctionTool::new("look", "Looks", move |_, _| {
                let (barrier, most) = (Arc::clone(&barrier), Arc::clone(&most));
                async move {
                    if barrier.wait().await.is_leader() {
                        most.store(resident(), Ordering::Relaxed);
                    }
                    Ok(json!({}))
                }
            });
            let model = interceptor.model("looker", || unreachable!("the case gives a model"))?;
            let agent = LlmAgentBuilder::new("looker").model(model);
            let agent: Arc<dyn Agent> =
                Arc::new(agent.tool(interceptor.tool(Arc::new(look))).build()?);
            Ok(agent)
        }
    }));
    let cases = (0..AT_ONCE).map(|number| {
        EvalCase::new(number.to_string(), subject.clone())
            .first_message("Go")
            .model(GivenModel::scripted(responses(Shape::Calls, 1)))
            .tool("look", ToolUse::Real)
    });
    let suite = EvalSuite { cases: cases.collect(), jobs: AT_ONCE, stop_on_first_failure: false };
    let result = run_eval_suite(&suite, |_| ()).await;
    assert_eq!(result.summary.passed, AT_ONCE);
    #[expect(clippy::cast_precision_loss, reason = "megabytes fit")]
    let megabytes = (most.load(Ordering::Relaxed).saturating_sub(before)) as f64 / 1e6;
    megabytes
}

/// Bytes of this process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = procfs::process::Process::myself().unwrap().statm().unwrap();
    usize::try_from(status.resident * procfs::page_size()).unwrap()
}

/// Nothing: only Linux says it in a way that the workspace reads.
#[cfg(not(target_os = "linux"))]
fn resident() -> usize {
    0
}
