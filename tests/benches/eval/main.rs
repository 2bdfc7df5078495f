//! What `rehearsal eval` costs with an agent in Python, beside `adk eval` and google-adk's own runner:
//! `cargo xtask bench -- eval`, or `cargo bench -p acceptance --bench eval` with `REHEARSAL_TEST_BINARY` and
//! `REHEARSAL_TEST_PYTHON` set.
//!
//! All run the same cases of one agent, whose prepared model makes two calls and says a text. Processor time of
//! the whole process tree is compared, with the imports in it, because the machine may be shared. Imports take
//! much of it, and depend on whether Python finds its modules compiled, so both are measured: with compiled
//! modules, as from the second run on a person's machine, and without, as in a new environment.
//!
//! So are both ways in which `rehearsal eval` keeps cases apart: a process for each, and several in one.
//!
//! Each pair is measured alternately, and the median of the ratios counts. The bench fails when the bound is
//! missed, which a process for each case does not have to meet where modules are compiled. Linux only.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use acceptance::{binary, python, workspace};
use tempfile::TempDir;

const CASES: usize = 100;
const ROUNDS: usize = 3;
/// The share of the processor time of `adk eval` that a run may take.
const MOST: f64 = 0.4;

fn main() -> ExitCode {
    if cfg!(not(target_os = "linux")) {
        return ExitCode::SUCCESS;
    }
    let (Some(binary), Some(python)) = (binary(), python()) else { return ExitCode::SUCCESS };
    let bench = Bench::new(binary, python);
    let mut is_met = true;
    for modules in [Modules::Compiled, Modules::NotCompiled] {
        for isolation in ["process", "batch"] {
            let ratio = bench.measure(modules, isolation);
            let has_bound = modules == Modules::NotCompiled || isolation == "batch";
            is_met &= ratio <= MOST || !has_bound;
        }
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether Python finds its modules compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Modules {
    Compiled,
    NotCompiled,
}

/// Seconds of processor time.
struct Sample {
    ours: f64,
    ours_one_case: f64,
    adk: f64,
    adk_one_case: f64,
}

struct Bench {
    binary: PathBuf,
    python: PathBuf,
    scripts: PathBuf,
    folder: TempDir,
}

impl Bench {
    /// A folder with the agent, and with eval sets of many cases and of one.
    fn new(binary: PathBuf, python: PathBuf) -> Self {
        let scripts = workspace().join("tests/benches/eval");
        let folder = tempfile::tempdir().unwrap();
        let agent = folder.path().join("looker");
        std::fs::create_dir(&agent).unwrap();
        for file in ["__init__.py", "agent.py"] {
            std::fs::copy(scripts.join("looker").join(file), agent.join(file)).unwrap();
        }
        let bench = Self { binary, python, scripts, folder };
        for cases in [CASES, 1] {
            let mut write = Command::new(&bench.python);
            write
                .arg(bench.scripts.join("cases.py"))
                .arg(cases.to_string())
                .arg(bench.eval_set(cases));
            assert!(write.status().unwrap().success());
        }
        bench
    }

    fn eval_set(&self, cases: usize) -> PathBuf {
        self.folder.path().join(format!("{cases}.evalset.json"))
    }

    /// The ratio of the processor times.
    fn measure(&self, modules: Modules, isolation: &str) -> f64 {
        if modules == Modules::Compiled {
            // Writes them.
            self.adk(1, modules);
            self.bare_runner(1, modules);
        }
        let samples = (0..ROUNDS).map(|_| Sample {
            ours: self.ours(CASES, modules, isolation),
            adk: self.adk(CASES, modules),
            ours_one_case: self.ours(1, modules, isolation),
            adk_one_case: self.adk(1, modules),
        });
        let samples: Vec<Sample> = samples.collect();
        let of = |value: fn(&Sample) -> f64| median(samples.iter().map(value).collect());
        let ratio = of(|it| it.ours / it.adk);
        println!("{CASES} cases, modules {modules:?}, isolation {isolation}:");
        println!("  rehearsal eval {:.2} s, adk eval {:.2} s", of(|it| it.ours), of(|it| it.adk));
        println!("  ratio {ratio:.2}, bound {MOST}");
        let each = 1_000.0 / f64::from(u32::try_from(CASES - 1).unwrap());
        let ours = of(|it| it.ours - it.ours_one_case) * each;
        let adk = of(|it| it.adk - it.adk_one_case) * each;
        let bare =
            self.bare_runner(CASES, modules) * 1_000.0 / f64::from(u32::try_from(CASES).unwrap());
        println!(
            "  each further case: rehearsal eval {ours:.1} ms, adk eval {adk:.1} ms, google-adk's runner {bare:.1} ms; \
             {:.1} times the runner",
            ours / bare
        );
        ratio
    }

    fn ours(&self, cases: usize, modules: Modules, isolation: &str) -> f64 {
        let mut command = self.measured(modules);
        command
            .arg(&self.binary)
            .arg("eval")
            .arg(self.eval_set(cases))
            .args([
                "--agent",
                "looker",
                "--real-tools",
                "look",
                "--store",
                "eval.sqlite",
                "--isolation",
                isolation,
                "--python",
            ])
            .arg(&self.python);
        seconds(&mut command)
    }

    fn adk(&self, cases: usize, modules: Modules) -> f64 {
        let program = "from google.adk.cli.cli_tools_click import main; main()";
        let mut command = self.measured(modules);
        command
            .arg(&self.python)
            .args(["-W", "ignore", "-c", program, "eval"])
            .arg(self.folder.path().join("looker"))
            .arg(self.eval_set(cases));
        seconds(&mut command)
    }

    /// google-adk's runner alone, without the import.
    fn bare_runner(&self, cases: usize, modules: Modules) -> f64 {
        let mut command = self.python(modules);
        command
            .arg(self.scripts.join("bare_runner.py"))
            .arg(self.folder.path())
            .arg(cases.to_string());
        seconds(&mut command)
    }

    /// A program that measures the command in its arguments.
    fn measured(&self, modules: Modules) -> Command {
        let mut command = self.python(modules);
        command.arg(self.scripts.join("processor_time.py"));
        command
    }

    fn python(&self, modules: Modules) -> Command {
        let mut command = Command::new(&self.python);
        command
            .current_dir(self.folder.path())
            .env_remove("PYTHONDONTWRITEBYTECODE")
            .env("PYTHONPYCACHEPREFIX", self.folder.path().join(format!("{modules:?}")));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
            command.env_remove(name);
        }
        if modules == Modules::NotCompiled {
            command.env("PYTHONDONTWRITEBYTECODE", "1");
        }
        command
    }
}

/// The seconds that a program prints.
fn seconds(command: &mut Command) -> f64 {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", Path::new(command.get_program()).display());
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
