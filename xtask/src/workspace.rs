//! The paths of the checkout, the target folder, and what setup installs in them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// What the client is compiled for.
pub const CLIENT_TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the quick build, client and host.
pub const QUICK_PROFILE: &str = "quick";

/// How the client and the host are compiled. See docs/design/builds.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Fast to build: unoptimized, the client in one file, served from disk.
    Quick,
    /// Small and fast: the client split, shrunk and compressed, inside the binary.
    Shipped,
}

impl Build {
    /// The profile in which the client is compiled.
    pub fn client_profile(self) -> &'static str {
        match self {
            Self::Quick => QUICK_PROFILE,
            Self::Shipped => "wasm-release",
        }
    }
}

/// The interpreter of a virtual environment of Python.
pub fn interpreter(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts").join("python.exe")
    } else {
        environment.join("bin").join("python")
    }
}

fn program(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// The folders that every command works in.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// `cargo`, in the top folder, with the target folder of this run.
    ///
    /// Removes the variables that `cargo run` sets for this program, because build scripts would rebuild when they change.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        for (name, _) in env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
            .current_dir(self.root())
            .env("CARGO_TARGET_DIR", self.target())
            .env("REHEARSAL_SITE_DIR", self.site(Build::Shipped));
        command
    }

    /// The checkout around the working directory, and cargo's target folder for it.
    ///
    /// `CARGO_TARGET_DIR` works as in cargo: a relative path starts at the folder in which cargo was called.
    pub fn find() -> Result<Self> {
        let here = env::current_dir().context("the working directory cannot be read")?;
        let root = here
            .ancestors()
            .find(|folder| folder.join("xtask").join("Cargo.toml").is_file())
            .context("call this within a checkout of Rehearsal")?
            .to_path_buf();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(given) if !given.is_empty() => here.join(given),
            _ => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// The top of the checkout.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder, where generated things go.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The site as the host serves it: `pkg/` and the contents of `public/`; a shipped one has the
    /// compressed form of each file beside it, with `.br` after its name.
    pub fn site(&self, build: Build) -> PathBuf {
        self.target.join(match build {
            Build::Quick => "site-quick",
            Build::Shipped => "site",
        })
    }

    /// The client before it is processed.
    pub fn client(&self, build: Build) -> PathBuf {
        self.target.join(CLIENT_TARGET).join(build.client_profile()).join("frontend.wasm")
    }

    /// The shipped program `rehearsal`.
    pub fn binary(&self) -> PathBuf {
        self.target.join("release").join(program("rehearsal"))
    }

    /// The program that the tests use.
    pub fn tested_program(&self) -> PathBuf {
        self.tested("rehearsal")
    }

    /// A program of the profile of the tests.
    pub fn tested(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(program(name))
    }

    /// The shipped program `rehearsal` for a target that was named in the build.
    pub fn binary_for(&self, target: &str) -> PathBuf {
        self.target.join(target).join("release").join(program("rehearsal"))
    }

    /// A program of the quick build.
    ///
    /// # Errors
    ///
    /// When the platform of the compiler is unknown.
    pub fn quick_program(&self, name: &str) -> Result<PathBuf> {
        Ok(self.target.join(process::host_triple()?).join(QUICK_PROFILE).join(program(name)))
    }

    /// The browser stories, whose npm packages also hold `wasm-opt`.
    pub fn end2end(&self) -> PathBuf {
        self.root.join("end2end")
    }

    /// `PATH` with the programs that setup installs at the end, for the MCP servers of the example agents and
    /// the subcommands of cargo.
    pub fn path_with_programs(&self) -> OsString {
        let path = env::var_os("PATH").unwrap_or_default();
        let python = self.python();
        let own = [
            Some(self.npm_programs()),
            python.parent().map(Path::to_path_buf),
            Some(self.cargo_programs().join("bin")),
        ];
        let folders = env::split_paths(&path).chain(own.into_iter().flatten());
        env::join_paths(folders).unwrap_or(path)
    }

    /// Where npm puts the programs of its packages.
    pub fn npm_programs(&self) -> PathBuf {
        self.end2end().join("node_modules").join(".bin")
    }

    /// The Python virtual environment that the tests and the example agents run in.
    ///
    /// It is in the target folder, so that new clones that use the same one install it once.
    pub fn python_environment(&self) -> PathBuf {
        self.target.join("setup").join("python")
    }

    /// The interpreter of [`Self::python_environment`].
    pub fn python(&self) -> PathBuf {
        interpreter(&self.python_environment())
    }

    /// Rust programs that setup installs for development and the tests.
    pub fn cargo_programs(&self) -> PathBuf {
        self.target.join("setup").join("cargo")
    }
}
