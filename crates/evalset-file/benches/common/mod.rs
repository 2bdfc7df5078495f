//! What the benches of this crate share: files of 100 MB, and `cat` to hold against.
//!
//! `REHEARSAL_BENCH_FOLDER` puts the files elsewhere than in the temporary folder;
//! `REHEARSAL_BENCH_BYTES` changes their length.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The layouts that are measured.
pub(crate) const LAYOUTS: [(&str, WriteCase); 3] =
    [("ADK's layout", lines), ("compact", one_line), ("long texts", texts)];

/// Where the files go, and how long they are.
pub(crate) fn folder_and_bytes() -> io::Result<(tempfile::TempDir, u64)> {
    let folder = match std::env::var_os("REHEARSAL_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let bytes = std::env::var("REHEARSAL_BENCH_BYTES").ok().and_then(|text| text.parse().ok());
    Ok((folder, bytes.unwrap_or(100_000_000)))
}

/// Drops the file's pages from memory, so that the next reader finds it on the disk.
pub(crate) fn forget_pages(file: &Path) -> io::Result<()> {
    let file = File::open(file)?;
    file.sync_all()?;
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub(crate) fn cat(file: &Path) -> io::Result<Duration> {
    let start = Instant::now();
    Command::new("cat").arg(file).stdout(Stdio::from(File::create("/dev/null")?)).status()?;
    Ok(start.elapsed())
}

/// Peak resident memory of this process, in bytes; zero where the system does not tell.
pub(crate) fn peak_memory() -> io::Result<u64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0) };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.map(|kibibytes| kibibytes * 1024).ok_or_else(|| io::Error::other("no VmHWM"))
}

pub(crate) type WriteCase = fn(&mut dyn io::Write, usize) -> io::Result<()>;

/// What is around the cases of a set.
pub(crate) const SET: [&str; 2] =
    ["{\n  \"eval_set_id\": \"bench_evals\",\n  \"eval_cases\": [\n", "\n  ]\n}\n"];

pub(crate) fn generate(
    file: &Path,
    bytes: u64,
    around: [&str; 2],
    write: WriteCase,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    out.write_all(around[0].as_bytes())?;
    let mut case = Vec::new();
    let mut written = 0;
    for number in 0.. {
        case.clear();
        if number > 0 {
            case.extend_from_slice(b",\n");
        }
        write(&mut case, number)?;
        out.write_all(&case)?;
        written += case.len() as u64;
        if written >= bytes {
            break;
        }
    }
    out.write_all(around[1].as_bytes())?;
    out.into_inner().map_err(io::Error::other)?.sync_all()
}

/// As ADK writes: a tool called, its answer, two texts.
fn lines(out: &mut dyn io::Write, number: usize) -> io::Result<()> {
    write!(
        out,
        r#"    {{
      "eval_id": "case_{number}",
      "conversation": [
        {{
          "invocation_id": "e-{number}",
          "user_content": {{
            "parts": [
              {{
                "text": "Turn off device_2 in the Bedroom, and tell me what else is still on."
              }}
            ],
            "role": "user"
          }},
          "final_response": {{
            "parts": [
              {{
                "text": "I have set the device_2 status to off. The lamp in the hall is still on."
              }}
            ],
            "role": "model"
          }},
          "intermediate_data": {{
            "tool_uses": [
              {{
                "id": "call-{number}",
                "args": {{
                  "location": "Bedroom",
                  "device_id": "device_2",
                  "status": "OFF"
                }},
                "name": "set_device_info"
              }}
            ],
            "tool_responses": [
              {{
                "id": "call-{number}",
                "name": "set_device_info",
                "response": {{
                  "result": "Device device_2 information updated: status -> OFF."
                }}
              }}
            ]
          }},
          "creation_timestamp": 1747337309.2360144
        }}
      ],
      "session_input": {{
        "app_name": "home_automation_agent",
        "user_id": "user"
      }},
      "creation_timestamp": 1747337309.2360282
    }}"#
    )
}

/// The same on one line a case.
fn one_line(out: &mut dyn io::Write, number: usize) -> io::Result<()> {
    let mut text = Vec::new();
    lines(&mut text, number)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    let compact: String = text.lines().map(str::trim_start).collect();
    out.write_all(compact.as_bytes())
}

/// Tools that answer at length, in a language with accents.
fn texts(out: &mut dyn io::Write, number: usize) -> io::Result<()> {
    let text = "La lampe du couloir est restée allumée ; \\\"voilà\\\" tout.\\n".repeat(200);
    write!(
        out,
        "    {{\n      \"eval_id\": \"case_{number}\",\n      \"conversation\": [\n        {{\n          \"invocation_id\": \"e-{number}\",\n          \"user_content\": {{\n            \"parts\": [\n              {{\n                \"text\": \"{text}\"\n              }}\n            ]\n          }}\n        }}\n      ]\n    }}"
    )
}
