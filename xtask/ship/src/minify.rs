//! Makes JavaScript and stylesheets small, through esbuild.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use xtask::workspace::Workspace;

/// Reads standard input. Through node, which finds the program on Windows too.
const SCRIPT: &str = "const text = require('fs').readFileSync(0, 'utf8');
const options = { minify: true, loader: process.argv[1], legalComments: 'none' };
process.stdout.write(require('esbuild').transformSync(text, options).code);";

/// The language of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Language {
    JavaScript,
    Css,
}

/// The same text without what only people need.
pub(crate) fn minified(workspace: &Workspace, language: Language, text: &str) -> Result<String> {
    let loader = match language {
        Language::JavaScript => "js",
        Language::Css => "css",
    };
    let mut process = Command::new("node")
        .args(["-e", SCRIPT, loader])
        .current_dir(workspace.end2end())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("node cannot be started")?;
    // Dropped when it is written, so that node sees the end. Node reads all before it writes.
    let mut input = process.stdin.take().context("a pipe is missing")?;
    input.write_all(text.as_bytes()).context("esbuild does not read")?;
    drop(input);
    let output = process.wait_with_output()?;
    if !output.status.success() {
        bail!("esbuild ended with {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
