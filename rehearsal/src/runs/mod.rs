//! [`StoredRuns`]: the page's part of eval runs. Reads the store that `rehearsal eval` writes, and runs forks.

mod acted;
mod compare;
mod keep;
mod new_run;
mod recorded;
mod running;
mod suites;
mod under_way;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use api::host::RunHost;
use api::{
    ActRequest, AdkSessionList, ApiError, CaseRun, CaseRunId, ForkRequest, ForkView, KeptResult,
    RecordedRequest, RunComparison, RunDetail, RunList, RunOf, RunPlan, RunRequest, RunSummary,
    SuiteList,
};
use async_trait::async_trait;
use eval::continuations::Fork;
use eval::fork::ForkOf;
use eval::place::{Place, UnknownPlace};
use eval::recorded_source::RecordedSource;
use eval::result::{ResultSummary, Status};
use eval::store::{ResultKey, RunStore, StoreError};
use eval::tool_mode::{ToolModes, UnknownToolMode};
use eval::under_way::CaseUnderWay;
use rehearsal_server::access::ExportEntry;

use self::compare::{compared, is_comparable};
use self::keep::KeepError;
use self::new_run::NewRun;
use self::recorded::RecordedFile;
use self::running::HostedRuns;
use self::suites::{FoundSuites, SuiteSearch, suite_at};
use self::under_way::PeopleHere;
use crate::cli::{
    EvalArguments, EvalError, ForkRun, case_of, read_changes, read_move, recorded_run, stored,
    suite_name_in,
};
use crate::config::{AgentConfig, Served, ServedNow};
use crate::run_views::{
    case_run, compared_with, fork_side, fork_view, id_of, key_of, recorded_kind, run_detail,
    run_summaries, said_of,
};

/// The most continuations of a side that the page may ask for.
const MOST_TIMES: u32 = 100;

/// Eval runs in a store, and the forks that this host runs.
pub struct StoredRuns {
    store: PathBuf,
    folder: PathBuf,
    served: ServedNow,
    hosted: HostedRuns,
    address: Arc<OnceLock<String>>,
}

impl StoredRuns {
    /// Those in the file `store`, which need not exist yet. Their suites are found from `folder`, in which
    /// `rehearsal eval` was started. `python` runs agents without an interpreter of their own.
    #[must_use]
    pub fn new(store: PathBuf, folder: PathBuf, python: Option<PathBuf>) -> Self {
        let served = ServedNow::new(Served { python, ..Served::default() });
        let (hosted, address) = (HostedRuns::default(), Arc::default());
        Self { store, folder, served, hosted, address }
    }

    /// Results of these agents are kept in the eval sets that they have here, which can be run.
    #[must_use]
    pub fn agents(self, agents: Vec<AgentConfig>) -> Self {
        self.served.set(Served { agents, ..self.served.get() });
        self
    }

    /// As [`StoredRuns::agents`], with the agents, the folders and the interpreter that the host has whenever something is
    /// asked for.
    #[must_use]
    pub fn serving(self, served: ServedNow) -> Self {
        Self { served, ..self }
    }

    /// Where the address of the host is set once it is known: people respond there.
    #[must_use]
    pub fn address(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.address)
    }

    /// The store; `None` if nothing has run yet.
    async fn open(&self) -> Result<Option<RunStore>, ApiError> {
        match RunStore::open_existing(&self.store).await {
            Ok(store) => Ok(Some(store)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }

    async fn existing(&self) -> Result<RunStore, ApiError> {
        RunStore::open_existing(&self.store).await.map_err(|error| refused(&error))
    }

    /// The arguments of `rehearsal eval` with which a suite is read.
    fn arguments(&self, suite: &Path) -> EvalArguments {
        self.arguments_of(vec![self.folder.join(suite)])
    }

    fn arguments_of(&self, suites: Vec<PathBuf>) -> EvalArguments {
        EvalArguments {
            host: self.address.get().cloned(),
            ..EvalArguments::of_suites(suites, self.served.get().python, self.store.clone())
        }
    }

    /// How the suite of a stored result is read: an eval set with the agent that it is of.
    async fn reader(&self) -> Result<impl Fn(&Path) -> EvalArguments, ApiError> {
        let agents = self.agents_now().await?;
        Ok(move |suite: &Path| {
            suite_at(&self.folder.join(suite), &agents).arguments(self.arguments(suite))
        })
    }

    /// The agents of the host.
    async fn agents_now(&self) -> Result<Vec<AgentConfig>, ApiError> {
        let served = self.served.get();
        let now = tokio::task::spawn_blocking(move || {
            // A folder that cannot be read for a moment has the agents that it had.
            served.agents_now().unwrap_or(served.agents)
        });
        now.await.map_err(|_| ApiError::Internal("find the agents".to_owned()))
    }

    fn search(&self) -> SuiteSearch {
        SuiteSearch { folder: self.folder.clone(), served: self.served.get() }
    }

    /// All runs, the newest first.
    async fn summaries(&self, store: &RunStore) -> Result<Vec<RunSummary>, StoreError> {
        let runs = run_summaries(store).await?;
        Ok(runs.into_iter().map(|run| self.with_planned(run)).collect())
    }

    /// With the number of results that it has in the end, if this host runs it.
    fn with_planned(&self, run: RunSummary) -> RunSummary {
        let planned = self.hosted.planned(run.run).filter(|_| run.is_running);
        RunSummary { planned, ..run }
    }

    /// The cases of a run to start.
    async fn prepared(&self, request: &RunRequest) -> Result<NewRun, ApiError> {
        let mut source = None;
        let (suites, earlier) = match &request.of {
            RunOf::Run(run) => {
                let store = self.existing().await?;
                let info = store.run(*run).await.map_err(|error| refused(&error))?;
                let recorded =
                    store.recorded_source(&info).await.map_err(|error| refused(&error))?;
                source = recorded;
                (info.suites, Some((store, *run)))
            }
            RunOf::Suite(name) => {
                let suites = vec![name.clone()];
                let store = self.open().await?;
                let last = match &store {
                    Some(store) => store.last_run_of(&suites).await.ok().map(|run| run.number),
                    None => None,
                };
                (suites, store.zip(last))
            }
        };
        let found = self.found().await?;
        let known = match &*suites {
            [only] => found.by_name.get(only),
            _ => None,
        };
        if let (RunOf::Suite(name), None) = (&request.of, known) {
            return Err(ApiError::Run(format!(
                "{name} is not among the suites of this page. Reload the page, or run the file with `rehearsal eval`."
            )));
        }
        let earlier = match earlier {
            None => None,
            Some((store, run)) => {
                let results = store.summaries(run).await.map_err(|error| refused(&error))?;
                Some((run, results))
            }
        };
        let paths = suites.iter().map(|suite| self.folder.join(suite)).collect();
        let arguments = self.arguments_of(paths);
        let arguments = match (known, source) {
            (Some(found), _) => found.arguments(arguments),
            // Of a file with recorded cases, the run has one.
            (None, Some(RecordedSource { agent, criteria, .. })) => EvalArguments {
                agent,
                config: criteria,
                only: earlier.as_ref().and_then(|(_, of)| Some(of.first()?.0.name.clone())),
                ..arguments
            },
            (None, None) => arguments,
        };
        NewRun::of(request, suites, earlier, arguments).map_err(|error| refused(&error))
    }

    /// The suites that there are now.
    async fn found(&self) -> Result<FoundSuites, ApiError> {
        let search = self.search();
        let found = tokio::task::spawn_blocking(move || search.find());
        found.await.map_err(|_| ApiError::Internal("find suites".to_owned()))
    }

    /// Starts a run in the background, and returns its number.
    async fn start(&self, mut run: NewRun) -> Result<i64, ApiError> {
        run.check().await.map_err(|error| refused(&error))?;
        // The first run of a host makes it.
        let store = RunStore::open(&self.store).await.map_err(|error| refused(&error))?;
        let number = store.begin(&run.suites).await.map_err(|error| refused(&error))?.number();
        let claim = store.claim(number).map_err(|error| refused(&error))?;
        let planned = run.plan().results;
        run.list_in(&self.hosted.under_way(number, PeopleHere(self.address())));
        self.hosted.begin(number, planned, async move {
            let ended = run.run(&store, number).await;
            store.close().await;
            drop(claim);
            ended.map_err(|error| error.to_string())
        });
        Ok(number)
    }

    /// The fork that the run belongs to, as it is now.
    async fn fork(&self, store: &RunStore, run: i64) -> Result<ForkView, ApiError> {
        let (with, of) = fork_of(store, run).await?;
        let results = async |run: i64| store.summaries(run).await.map_err(|error| refused(&error));
        let times = of.times;
        let with_results = results(with).await?;
        let without = match of.without {
            None => None,
            Some(without) => Some((without, results(without).await?)),
        };
        let sentence = said_of(&of, &with_results, without.as_ref().map(|(_, it)| it));
        let runs = std::iter::once(with).chain(of.without);
        let is_running = runs.into_iter().any(|run| store.is_claimed(run));
        Ok(ForkView {
            with: fork_side(with, times, with_results),
            without: without.map(|(run, results)| fork_side(run, times, results)),
            fork: fork_view(of),
            sentence,
            is_running,
            fault: self.hosted.fault(with),
        })
    }

    /// Runs the continuations in the background.
    async fn run(&self, mut fork: ForkRun, store: RunStore) -> Result<ForkView, ApiError> {
        let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let view = self.fork(&store, fork.with.run).await;
        let planned = u64::from(fork.fork.times);
        fork.list_in(|run| self.hosted.under_way(run, PeopleHere(self.address())));
        self.hosted.begin(fork.with.run, planned, async move {
            let ended = fork.run(&store, jobs, |_, _| ()).await;
            drop(fork);
            store.close().await;
            ended.map_err(|error| error.to_string())
        });
        view
    }
}

/// What the run is a fork of, and the run of it that has the move.
async fn fork_of(store: &RunStore, run: i64) -> Result<(i64, ForkOf), ApiError> {
    let info = store.run(run).await.map_err(|error| refused(&error))?;
    crate::cli::fork_of(store, &info).await.map_err(|error| refused(&error))
}

#[async_trait]
impl RunHost for StoredRuns {
    async fn list_runs(&self) -> Result<RunList, ApiError> {
        let runs = match self.open().await? {
            None => Vec::new(),
            Some(store) => self.summaries(&store).await.map_err(|error| refused(&error))?,
        };
        Ok(RunList { runs, store: self.store.display().to_string() })
    }

    async fn list_suites(&self) -> Result<SuiteList, ApiError> {
        let (search, store) = (self.search(), self.store.clone());
        let python = search.served.python.clone();
        let arguments =
            move |suite| EvalArguments::of_suites(vec![suite], python.clone(), store.clone());
        let listed = tokio::task::spawn_blocking(move || search.list(arguments));
        listed.await.map_err(|_| ApiError::Internal("read the suites".to_owned()))
    }

    async fn read_run(&self, run: i64) -> Result<RunDetail, ApiError> {
        let store = self.existing().await?;
        let detail = run_detail(&store, run).await.map_err(|error| refused(&error))?;
        let under_way = self.hosted.cases(run).into_iter().map(|case| under_way::view(run, &case));
        let under_way = under_way.collect();
        Ok(RunDetail { summary: self.with_planned(detail.summary), under_way, ..detail })
    }

    async fn compare_runs(&self, run: i64, with: Option<i64>) -> Result<RunComparison, ApiError> {
        let store = self.existing().await?;
        let info = store.run(run).await.map_err(|error| refused(&error))?;
        let mut others = self.summaries(&store).await.map_err(|error| refused(&error))?;
        let Some(own) = others.iter().find(|other| other.run == run).cloned() else {
            return Err(ApiError::Run(format!("Run {run} is gone.")));
        };
        others.retain(|other| is_comparable(&own, other));
        let by_itself = match with {
            Some(_) => None,
            None => {
                let runs = store.runs().await.map_err(|error| refused(&error))?;
                compared_with(&info, &runs).or_else(|| others.first().map(|other| other.run))
            }
        };
        let Some(with) = with.or(by_itself) else {
            return Err(ApiError::Run(format!(
                "Run {run} cannot be compared: there is no other run of its suites."
            )));
        };
        let Some(other) = others.iter().find(|other| other.run == with) else {
            store.run(with).await.map_err(|error| refused(&error))?;
            return Err(ApiError::Run(format!(
                "Runs {run} and {with} cannot be compared: they have no suite in common, or one of them is a fork."
            )));
        };
        let is_running = own.is_running || other.is_running;
        let before = store.summaries(with).await.map_err(|error| refused(&error))?;
        let after = store.summaries(run).await.map_err(|error| refused(&error))?;
        let (results, difference) = compared((with, before), (run, after));
        Ok(RunComparison { run, with, others, results, difference, is_running })
    }

    async fn read_case_run(
        &self,
        run: i64,
        case: String,
        repeat: Option<u32>,
        suite: Option<String>,
    ) -> Result<CaseRun, ApiError> {
        let store = self.existing().await?;
        let info = store.run(run).await.map_err(|error| refused(&error))?;
        let results = store.summaries(run).await.map_err(|error| refused(&error))?;
        let of_case = |key: &ResultKey| {
            key.name == case && suite.as_ref().is_none_or(|suite| key.suite == *suite)
        };
        // A case that is running has no result yet.
        let is_wanted = |it: &CaseUnderWay| {
            it.case == case
                && suite.as_ref().is_none_or(|suite| it.suite == *suite)
                && repeat.is_none_or(|repeat| it.repeat == repeat)
        };
        let has_result = |it: &CaseUnderWay| {
            let is_it = |key: &ResultKey| key.name == it.case && key.repeat == it.repeat;
            results.iter().any(|(key, _)| is_it(key) && key.suite == it.suite)
        };
        let under_way = self.hosted.cases(run);
        let is_named = repeat.is_some() || !results.iter().any(|(key, _)| of_case(key));
        if let Some(it) = under_way.iter().find(|it| is_named && is_wanted(it) && !has_result(it)) {
            let ended = results.iter().map(|(key, _)| key).filter(|key| of_case(key));
            let mut repeats: Vec<u32> = ended.map(|key| key.repeat).collect();
            repeats
                .extend(under_way.iter().filter(|other| other.case == it.case).map(|it| it.repeat));
            repeats.sort_unstable();
            repeats.dedup();
            return Ok(under_way::so_far(run, it, repeats, info.fork_of.is_some()));
        }
        let Some(suite) = results.iter().find(|(key, _)| of_case(key)) else {
            return Err(ApiError::Run(format!("Run {run} has no result of the case {case}.")));
        };
        let suite = suite.0.suite.clone();
        let repeats: Vec<&(ResultKey, ResultSummary)> =
            results.iter().filter(|(key, _)| of_case(key) && key.suite == suite).collect();
        let chosen = match repeat {
            Some(repeat) => repeats.iter().find(|(key, _)| key.repeat == repeat),
            None => {
                let failed = repeats.iter().find(|(_, it)| it.status != Status::Passed);
                failed.or_else(|| repeats.first())
            }
        };
        let Some((key, _)) = chosen else {
            return Err(ApiError::Run(format!(
                "Run {run} has no repeat {} of the case {case}.",
                repeat.unwrap_or(1)
            )));
        };
        let found = store.result(run, key).await.map_err(|error| refused(&error))?;
        let found = found.ok_or_else(|| ApiError::Run(format!("Run {run} is gone.")))?;
        let id = id_of(run, key.clone());
        let mut forks = self.summaries(&store).await.map_err(|error| refused(&error))?;
        forks.retain(|other| other.fork_of.as_ref().is_some_and(|of| of.of == id));
        let repeats = repeats.iter().map(|(key, _)| key.repeat).collect();
        let recorded = store.recorded_source(&info).await.map_err(|error| refused(&error))?;
        let recorded = recorded.map(|recorded| recorded_kind(recorded.kind));
        Ok(case_run(id, found.result, repeats, forks, recorded, info.fork_of.is_some()))
    }

    async fn plan_run(&self, request: RunRequest) -> Result<RunPlan, ApiError> {
        self.prepared(&request).await.map(|run| run.plan())
    }

    async fn start_run(&self, request: RunRequest) -> Result<i64, ApiError> {
        self.start(self.prepared(&request).await?).await
    }

    async fn act_through_runner(&self, request: ActRequest) -> Result<i64, ApiError> {
        if request.message.trim().is_empty() {
            return Err(ApiError::Run("Write the user's message first.".to_owned()));
        }
        let (agents, store) = (self.agents_now().await?, self.store.clone());
        let agent =
            recorded::folder_of(&request.agent, &agents).map_err(|error| refused(&error))?;
        let folder = recorded::absolute(agent.1);
        let configured = || trace_export::object(&agent.0.state);
        let state = Some(request.state.clone().unwrap_or_else(configured));
        let request = ActRequest { state, ..request };
        // What tools the agent has is known once it is loaded.
        let bare =
            acted::written(&request, &folder, &[], &store).map_err(|error| refused(&error))?;
        let of_request = acted::request_of(&request);
        let read = |path: &PathBuf| {
            let arguments = self.arguments_of(vec![path.clone()]);
            NewRun::of(&of_request, vec![suite_name_in(&self.folder, path)], None, arguments)
        };
        let bare = read(&bare).map_err(|error| refused(&error))?;
        let tools = bare.tools().await.map_err(|error| refused(&error))?;
        let path =
            acted::written(&request, &folder, &tools, &store).map_err(|error| refused(&error))?;
        self.start(read(&path).map_err(|error| refused(&error))?).await
    }

    async fn take_over(
        &self,
        case: CaseRunId,
        place: String,
        is_taken: bool,
    ) -> Result<api::CaseUnderWay, ApiError> {
        let place: Place = place.parse().map_err(|error: UnknownPlace| refused(&error))?;
        let is_it = |it: &&Arc<CaseUnderWay>| {
            it.suite == case.suite && it.case == case.case && it.repeat == case.repeat
        };
        let cases = self.hosted.cases(case.run);
        let Some(found) = cases.iter().find(is_it) else {
            return Err(ApiError::Run(format!(
                "The case {} of run {} is not running here: it has ended, or another program runs it.",
                case.case, case.run
            )));
        };
        found.set_taken(&place, is_taken);
        Ok(under_way::view(case.run, found))
    }

    async fn stop_run(&self, run: i64) -> Result<(), ApiError> {
        self.hosted.stop(run).await;
        Ok(())
    }

    async fn start_fork(&self, request: ForkRequest) -> Result<ForkView, ApiError> {
        let ForkRequest { of, step, edit, changes, then, times, tools, by_person } = request;
        if times == 0 || times > MOST_TIMES {
            return Err(ApiError::Run(format!(
                "Give a number of continuations from 1 to {MOST_TIMES}."
            )));
        }
        let at = edit.map(|edit| read_move(edit.as_str())).transpose();
        let at = at.map_err(|error| refused_move(&error))?;
        let changes = changes.map(|changes| read_changes(changes.as_str())).transpose();
        let changes = changes.map_err(|error| refused_move(&error))?.unwrap_or_default();
        let then = then.filter(|then| !then.trim().is_empty());
        let store = self.existing().await?;
        let tools = tools.into_iter().map(|(tool, mode)| Ok((tool, mode.parse()?)));
        let tools = tools.collect::<Result<ToolModes, UnknownToolMode>>();
        let tools = tools.map_err(|error| refused(&error))?;
        let fork = Fork { step, at, changes, then, times, tools, by_person };
        let CaseRunId { run, .. } = of;
        let read = self.reader().await?;
        let begun = ForkRun::begin(&store, run, key_of(of), fork, read).await;
        self.run(begun.map_err(|error| refused(&error))?, store).await
    }

    async fn read_fork(&self, run: i64) -> Result<ForkView, ApiError> {
        self.fork(&self.existing().await?, run).await
    }

    async fn stop_fork(&self, run: i64) -> Result<ForkView, ApiError> {
        let store = self.existing().await?;
        let (with, _) = fork_of(&store, run).await?;
        self.hosted.stop(with).await;
        self.fork(&store, with).await
    }

    async fn continue_fork(&self, run: i64, times: u32) -> Result<ForkView, ApiError> {
        let store = self.existing().await?;
        let (with, of) = fork_of(&store, run).await?;
        let times = times.max(of.times.unwrap_or(1)).min(MOST_TIMES);
        let info = store.run(with).await.map_err(|error| refused(&error))?;
        let read = self.reader().await?;
        let fork = ForkRun::resume(&store, &info, Some(times), read).await;
        self.run(fork.map_err(|error| refused(&error))?, store).await
    }

    async fn give_again(&self, request: RecordedRequest) -> Result<CaseRunId, ApiError> {
        let store = RunStore::open(&self.store).await.map_err(|error| refused(&error))?;
        let (agents, path) = (self.agents_now().await?, self.store.clone());
        let file =
            tokio::task::spawn_blocking(move || recorded::file_of(request, &agents, &path)).await;
        let file = file.map_err(|_| ApiError::Internal("write the case".to_owned()))?;
        let RecordedFile { path, case, source } = file.map_err(|error| refused(&error))?;
        let read = |suite: &Path| self.arguments(suite);
        let run = recorded_run(&store, &path, Some(&case), &source, read).await;
        let run = run.map_err(|error| refused(&error))?;
        store.close().await;
        Ok(id_of(run.run, run.key))
    }

    async fn list_adk_sessions(&self) -> Result<AdkSessionList, ApiError> {
        Ok(recorded::adk_sessions(&self.agents_now().await?).await)
    }

    async fn set_verdict(
        &self,
        result: CaseRunId,
        passed: bool,
        note: String,
    ) -> Result<(), ApiError> {
        let store = self.existing().await?;
        let run = store.resume_number(result.run);
        let noted = run.set_verdict(&key_of(result), passed, &note).await;
        noted.map_err(|error| refused(&error))
    }

    async fn keep_result(&self, result: CaseRunId) -> Result<KeptResult, ApiError> {
        let store = self.existing().await?;
        let run = store.run(result.run).await.map_err(|error| refused(&error))?;
        let key = key_of(result);
        let kept = stored(&store, run.number, &key).await.map_err(|error| refused(&error))?;
        let read = self.reader().await?;
        let recorded = store.recorded_source(&run).await.map_err(|error| refused(&error))?;
        let case = case_of(&key, recorded.as_ref(), read).map_err(|error| refused(&error))?;
        let agents = self.agents_now().await?;
        let (folder, entry) = (self.folder.clone(), ExportEntry::of_run(run.number, &key.name));
        let kept = tokio::task::spawn_blocking(move || {
            let kept = keep::keep(&case, &run, &kept.result, &agents, &folder)?;
            // The page may have gone meanwhile.
            entry.write(&kept.eval_id, &kept.path);
            Ok::<_, KeepError>(kept)
        });
        match kept.await {
            Ok(kept) => kept.map_err(|error| refused(&error)),
            Err(_) => Err(ApiError::Internal("keep the result".to_owned())),
        }
    }
}

/// An error for the page: a sentence.
fn refused(error: &impl std::fmt::Display) -> ApiError {
    ApiError::Run(sentence(&error.to_string()))
}

/// As [`refused`], without the option of the command line.
fn refused_move(error: &EvalError) -> ApiError {
    let text = error.to_string();
    ApiError::Run(sentence(text.trim_start_matches("--edit: ").trim_start_matches("--change: ")))
}

/// The text with a capital letter and a full stop. A name is not capitalized.
fn sentence(text: &str) -> String {
    let is_name = text.split([' ', ':']).next().is_some_and(|word| word.contains(['_', '.', '/']));
    let mut characters = text.chars();
    let first: String = match characters.next() {
        Some(first) if !is_name => first.to_uppercase().collect(),
        first => first.into_iter().collect(),
    };
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}
