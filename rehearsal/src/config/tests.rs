//! Tests of valid and invalid configurations.

use std::fs;

use expect_test::{Expect, expect};
use json_text::JsonText;

use super::*;

const EXAMPLES: [&str; 2] = ["math", "travel"];

fn load(text: &str) -> Result<Config, ConfigError> {
    Config::from_text(text, Path::new("rehearsal.toml"), &Overrides::default(), &EXAMPLES)
}

#[expect(clippy::needless_pass_by_value, reason = "expect![] makes a value for this one call")]
fn rejected(text: &str, expected: Expect) {
    let error = load(text).expect_err("the text is wrong");
    expected.assert_eq(&error.to_string());
}

#[test]
fn reads_a_file_with_every_key() {
    let config = load(
        r#"
listen = "localhost:4200"
python = ".venv"

[security]
allowed_origins = ["http://LOCALHOST:8080"]

[live]
database = "data/live.sqlite"
keep_days = 90
keep_megabytes = 5000

[[agent]]
name = "Smart Home"
source = "adk_python"
folder = "agents/smart_home"
python = "agents/smart_home/.venv"
user_id = "ada"
state = { city = "Berlin", floors = 2, big = 9007199254740993, rooms = [{ name = "hall", lit = true }], since = 2020-01-31 }

[[agent]]
name = "Maths"
source = "native"
example = "math"
eval_set_path = "/data/maths.evalset.json"
"#,
    )
    .expect("the text is right");
    assert_eq!(config.listen, SocketAddr::from(([127, 0, 0, 1], 4200)));
    let origins: Vec<&str> =
        config.security.allowed_origins.iter().map(AllowedOrigin::as_str).collect();
    assert_eq!(origins, ["http://localhost:8080"]);
    assert_eq!(config.live.database, Path::new("data/live.sqlite"));
    let days = std::time::Duration::from_secs(90 * 24 * 60 * 60);
    let kept = (config.live.retention.keep_for, config.live.retention.keep_bytes);
    assert_eq!(kept, (Some(days), Some(5_000_000_000)));
    assert_eq!(config.origin, Origin::File("rehearsal.toml".into()));
    let [home, maths] = &config.agents[..] else { panic!("two agents, not {:?}", config.agents) };
    assert_eq!(home.eval_set_path, Path::new("agents/smart_home/smart_home_evals.evalset.json"));
    assert_eq!(home.user_id, "ada");
    let state: Vec<String> =
        home.state.iter().map(|(key, value)| format!("{key}={}", value.as_str())).collect();
    assert_eq!(
        state,
        [
            "big=9007199254740993",
            r#"city="Berlin""#,
            "floors=2",
            r#"rooms=[{"name":"hall","lit":true}]"#,
            r#"since="2020-01-31""#
        ]
    );
    assert_eq!(maths.eval_set_path, Path::new("/data/maths.evalset.json"));
    assert_eq!(maths.user_id, "user");
    assert_eq!(maths.source, AgentSourceConfig::Native { example: "math".into() });
}

#[test]
fn suggests_the_nearest_key_for_a_misspelled_one() {
    rejected(
        "\nlisen = \"127.0.0.1:1\"\n",
        expect![[r#"
            rehearsal.toml:2:1: `lisen` is not a known key; did you mean `listen`?
              | lisen = …
              | ^^^^^
              Known keys: listen, base_path, python, security, live, folders, export, person, token, agent"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"native\"\nevalset_path = \"x\"\n",
        expect![[r#"
            rehearsal.toml:4:1: `evalset_path` is not a known key; did you mean `eval_set_path`?
              | evalset_path = …
              | ^^^^^^^^^^^^
              Known keys: name, source, folder, python, example, instruction, instruction_file, description, model, input_schema, output_schema, server, servers_file, eval_set_path, user_id, state"#]],
    );
    rejected(
        "[security]\nallowed_origin = []\n",
        expect![[r#"
            rehearsal.toml:2:1: `allowed_origin` is not a known key; did you mean `allowed_origins`?
              | allowed_origin = …
              | ^^^^^^^^^^^^^^
              Known keys: allowed_origins, trusted_proxies, audit_file"#]],
    );
    rejected(
        "zebra = 1\n",
        expect![[r#"
            rehearsal.toml:1:1: `zebra` is not a known key
              | zebra = …
              | ^^^^^
              Known keys: listen, base_path, python, security, live, folders, export, person, token, agent"#]],
    );
}

#[test]
fn reports_the_position_of_a_wrong_value() {
    rejected(
        "listen = 4180\n",
        expect![[r#"
            rehearsal.toml:1:10: expected text, found a number
              | listen = 4180
              |          ^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"adk-python\"\n",
        expect![[r#"
            rehearsal.toml:3:10: `adk-python` is not a known value; did you mean `adk_python`?
              | source = "adk-python"
              |          ^^^^^^^^^^^^
              Known values: adk_python, native, mcp"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"native\"\nexample = \"maths\"\n",
        expect![[r#"
        rehearsal.toml:4:11: `maths` is not a known value; did you mean `math`?
          | example = "maths"
          |           ^^^^^^^
          Known values: math, travel"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\n",
        expect![[r#"
            rehearsal.toml:1:1: the key `source` is missing
              | [[agent]]
              | ^^^^^^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \" \"\nsource = \"native\"\n",
        expect![[r#"
        rehearsal.toml:2:8: an agent needs a visible name
          | name = " "
          |        ^^^"#]],
    );
    rejected(
        "listen = [\n",
        expect![[r#"
        rehearsal.toml:1:11: unclosed array, expected `]`
          | listen = [
          |           ^"#]],
    );
    rejected(
        "listen = \":1\"\nlisten = \":2\"\n",
        expect![[r#"
        rehearsal.toml:2:1: duplicate key
          | listen = ":2"
          | ^^^^^^"#]],
    );
    rejected(
        "[security]\nallowed_origins = [\"http://localhost:8080/\"]\n",
        expect![[r#"
            rehearsal.toml:2:20: `http://localhost:8080/` is not an origin: write a scheme, a host and an optional port without a path, such as http://127.0.0.1:8080
              | allowed_origins = ["http://localhost:8080/"]
              |                    ^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"native\"\nexample = \"math\"\nstate = { x = nan }\n",
        expect![[r#"
            rehearsal.toml:5:15: state `x`: NaN is not valid in JSON
              | state = { x = nan }
              |               ^^^"#]],
    );
}

#[test]
fn describes_a_value_of_the_wrong_type() {
    let agent = "[[agent]]\nname = \"A\"\nsource = \"native\"\n";
    let server = "[[agent]]\nname = \"A\"\nsource = \"mcp\"\n[[agent.server]]\nname = \"s\"\n";
    let wrong = [
        "[agent]\nname = \"A\"\n".to_owned(),
        "[person]\nname = \"Ann\"\n".to_owned(),
        "[token]\nname = \"ci\"\n".to_owned(),
        format!("{agent}[agent.server]\nname = \"s\"\n"),
        "agent = { name = \"A\" }\n".to_owned(),
        "agent = [\"A\"]\n".to_owned(),
        "[[folders]]\neval_sets = [\"evals\"]\n".to_owned(),
        "[[live]]\ndatabase = \"a\"\n".to_owned(),
        "folders = [\"evals\"]\n".to_owned(),
        "[folders]\neval_sets = \"evals\"\n".to_owned(),
        "[security]\ntrusted_proxies = [5]\n".to_owned(),
        "python = 3.13\n".to_owned(),
        "[[agent]]\nsource = \"native\"\n".to_owned(),
        "[[agent]]\nname = \"A\"\nsource = 5\n".to_owned(),
        format!("{agent}state = 5\n"),
        format!("{server}timeout_seconds = -1\n"),
        format!("{server}timeout_seconds = 1.5\n"),
    ];
    let reported: Vec<String> =
        wrong.iter().map(|text| load(text).expect_err(text).to_string()).collect();
    expect![[r#"
        rehearsal.toml:1:1: this table is a list: write [[agent]]
          | [agent]
          | ^^^^^^^
        rehearsal.toml:1:1: this table is a list: write [[person]]
          | [person]
          | ^^^^^^^^
        rehearsal.toml:1:1: this table is a list: write [[token]]
          | [token]
          | ^^^^^^^
        rehearsal.toml:4:1: this table is a list: write [[agent.server]]
          | [agent.server]
          | ^^^^^^^^^^^^^^
        rehearsal.toml:1:9: expected a list, found a table
          | agent = { name = "A" }
          |         ^^^^^^^^^^^^^^
        rehearsal.toml:1:10: expected a table, found text
          | agent = ["A"]
          |          ^^^
        rehearsal.toml:1:1: only one table of this name is allowed: write [folders]
          | [[folders]]
          | ^^^^^^^^^^^
        rehearsal.toml:1:1: only one table of this name is allowed: write [live]
          | [[live]]
          | ^^^^^^^^
        rehearsal.toml:1:12: expected a list, found text
          | folders = ["evals"]
          |            ^^^^^^^
        rehearsal.toml:2:13: expected a list, found text
          | eval_sets = "evals"
          |             ^^^^^^^
        rehearsal.toml:2:20: expected an IP address, found a number
          | trusted_proxies = [5]
          |                    ^
        rehearsal.toml:1:10: expected text, found a number
          | python = 3.13
          |          ^^^^
        rehearsal.toml:1:1: the key `name` is missing
          | [[agent]]
          | ^^^^^^^^^
        rehearsal.toml:3:10: expected text
          | source = 5
          |          ^
        rehearsal.toml:4:9: expected a table, found a number
          | state = 5
          |         ^
        rehearsal.toml:6:19: expected a whole number of 0 or more, found -1
          | timeout_seconds = -1
          |                   ^^
        rehearsal.toml:6:19: expected a whole number, found a decimal number
          | timeout_seconds = 1.5
          |                   ^^^"#]]
    .assert_eq(&reported.join("\n"));
}

#[test]
fn rejects_a_key_of_another_source() {
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"native\"\nfolder = \"x\"\n",
        expect![[r#"
        rehearsal.toml:4:10: `folder` belongs to agents with source = "adk_python": remove it, or change the source
          | folder = "x"
          |          ^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"A\"\nsource = \"adk_python\"\n",
        expect![[r#"
        rehearsal.toml:1:1: the agent `A` has source = "adk_python" and needs `folder`, such as folder = "agents/weather"
          | [[agent]]
          | ^^^^^^^^^"#]],
    );
}

#[test]
fn rejects_a_file_without_agents() {
    rejected(
        "# nothing yet\n",
        expect![
            "rehearsal.toml contains no agent, no folder and no token: add an [[agent]] table, [folders], or a [[token]] for live sessions, or run `rehearsal init` in an empty folder for an example"
        ],
    );
}

#[test]
fn rejects_names_with_the_same_eval_id() {
    let agent = |name: &str| {
        format!("[[agent]]\nname = \"{name}\"\nsource = \"native\"\nexample = \"math\"\n")
    };
    rejected(
        &format!("{}{}", agent("Math Agent"), agent("math-agent")),
        expect![
            "the agents `Math Agent` and `math-agent` have the same name in addresses and eval ids (`math_agent`): rename one of them"
        ],
    );
}

#[test]
fn folders_of_the_same_name_are_served_beside_each_other() {
    let root = tempfile::tempdir().expect("a folder");
    for name in ["MathAgent", "math_agent"] {
        let folder = root.path().join(name);
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(folder.join("agent.py"), "").expect("written");
    }
    let folders = vec![root.path().to_owned(), root.path().join("math_agent/")];
    let overrides = Overrides { folders, ..Overrides::default() };
    let config = Config::from_text("", Path::new("r.toml"), &overrides, &EXAMPLES).expect("agents");
    let names: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["MathAgent", "math_agent-2"]);
    let file = config.agents[1].eval_set_path.file_name().expect("a name");
    assert!(file.to_string_lossy().starts_with("math_agent_2"), "{file:?}");
}

#[test]
fn reports_the_position_of_an_invalid_base_path() {
    rejected(
        "base_path = \"/my team\"\n",
        expect![[r#"
            rehearsal.toml:1:13: `/my team` is not a base path, because it contains a space: write a path such as /team or /tools/rehearsal
              | base_path = "/my team"
              |             ^^^^^^^^^^"#]],
    );
}

#[test]
fn rejects_public_addresses_without_a_login() {
    rejected(
        "listen = \"0.0.0.0:4180\"\n",
        expect![[r#"
            rehearsal.toml:1:10: listening on 0.0.0.0:4180 requires a login, because anyone who can reach it could run this machine's tools. Add people (`rehearsal user add NAME`), or listen on 127.0.0.1:4180 and use an SSH tunnel (ssh -L 4180:127.0.0.1:4180 this-machine)
              | listen = "0.0.0.0:4180"
              |          ^^^^^^^^^^^^^^"#]],
    );
    for address in ["0.0.0.0:1", "[::]:1", "192.168.1.5:80", "[::ffff:10.0.0.1]:80"] {
        let overrides = Overrides {
            listen: Some(address.parse().expect("an address")),
            ..Overrides::default()
        };
        let error = Config::from_text("", Path::new("r.toml"), &overrides, &EXAMPLES);
        assert!(
            matches!(error, Err(ConfigError::ListenNeedsAuthentication { .. })),
            "{address}: {error:?}"
        );
    }
    for address in ["127.0.0.1:0", "[::1]:1", "127.9.9.9:1", "[::ffff:127.0.0.1]:80", ":9"] {
        let listen: ListenAddress = address.parse().expect("an address");
        assert!(listen.checked(None, false).is_ok(), "{address}");
    }
}

#[test]
fn command_line_overrides_the_file() {
    let overrides = Overrides {
        listen: Some(":4300".parse().expect("an address")),
        base_path: Some("/mine".parse().expect("a base path")),
        python: Some("mine".into()),
        ..Overrides::default()
    };
    let text = "listen = \"0.0.0.0:1\"\nbase_path = \"/theirs\"\npython = \"theirs\"\n[[agent]]\nname = \"A\"\nsource = \"native\"\nexample = \"math\"\n";
    let config = Config::from_text(text, Path::new("r.toml"), &overrides, &EXAMPLES)
        .expect("the file's address is not used");
    assert_eq!(config.listen.port(), 4300);
    assert_eq!(config.base_path.as_str(), "/mine");
    assert_eq!(config.python.as_deref(), Some(Path::new("mine")));
}

#[test]
fn reads_an_agent_from_its_folder() -> std::io::Result<()> {
    let above = tempfile::tempdir()?;
    let folder = above.path().join("weather");
    fs::create_dir(&folder)?;
    let with = |folder: &Path| {
        let overrides = Overrides { folders: vec![folder.to_path_buf()], ..Overrides::default() };
        Config::load(&overrides, &EXAMPLES)
    };

    let error = with(&folder).expect_err("an empty folder");
    assert!(matches!(error, ConfigError::NoAgentInFolder { .. }), "{error:?}");

    fs::write(folder.join("agent.py"), "")?;
    let config = with(&folder).expect("an agent's folder");
    assert_eq!(config.origin, Origin::CommandLine);
    assert_eq!(config.agents[0].name, "weather");
    assert_eq!(config.agents[0].eval_set_path, folder.join("weather_evals.evalset.json"));

    let error = with(&above.path().join("wether")).expect_err("no folder");
    assert!(error.to_string().contains("wether cannot be read: "), "{error}");
    let error = with(&folder.join("agent.py")).expect_err("a file");
    assert!(matches!(error, ConfigError::NotAFolder { .. }), "{error:?}");
    Ok(())
}

#[test]
fn reads_the_agents_of_a_folder_of_agents() -> std::io::Result<()> {
    let parent = tempfile::tempdir()?;
    let parent = parent.path();
    let names = |folder: &Path| -> Vec<String> {
        let overrides = Overrides { folders: vec![folder.to_path_buf()], ..Overrides::default() };
        let config = Config::load(&overrides, &EXAMPLES).expect("there are agents");
        config.agents.into_iter().map(|agent| agent.name).collect()
    };
    for file in [
        "weather/agent.py",
        "weather/helpers/__init__.py",
        "travel/root_agent.yaml",
        "package/__init__.py",
        "notes/readme.md",
        ".hidden/agent.py",
        "__pycache__/agent.py",
    ] {
        let path = parent.join(file);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, "")?;
    }
    assert_eq!(names(parent), ["package", "travel", "weather"]);
    assert_eq!(names(&parent.join("weather")), ["weather"]);
    assert_eq!(names(&parent.join("package")), ["package"]);
    // The parent of agents may be a package too, unless it defines an agent.
    fs::write(parent.join("__init__.py"), "")?;
    assert_eq!(names(parent), ["package", "travel", "weather"]);
    fs::write(parent.join("__init__.py"), "root_agent = ...")?;
    assert_eq!(names(parent).len(), 1);
    Ok(())
}

#[test]
fn agents_come_and_go_with_the_folders_of_a_parent() -> std::io::Result<()> {
    let above = tempfile::tempdir()?;
    let (parent, alone) = (above.path().join("agents"), above.path().join("alone"));
    let add = |folder: &Path| {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("agent.py"), "")
    };
    add(&parent.join("travel"))?;
    add(&parent.join("weather"))?;
    add(&alone)?;
    let folders = vec![parent.clone(), alone.clone()];
    let overrides = Overrides { folders, ..Overrides::default() };
    let config = Config::load(&overrides, &EXAMPLES).expect("there are agents");
    assert_eq!(config.agent_folders, overrides.folders[..1], "the other one is an agent");
    let now = |agents: &[AgentConfig]| agents_now(agents, &config.agent_folders);
    let names = |agents: &[AgentConfig]| -> Vec<String> {
        agents.iter().map(|agent| agent.name.clone()).collect()
    };
    assert_eq!(now(&config.agents)?, config.agents, "nothing has changed");

    // A folder is an agent once it has one of the files.
    fs::create_dir(parent.join("sales"))?;
    assert_eq!(now(&config.agents)?, config.agents);
    add(&parent.join("sales"))?;
    let added = now(&config.agents)?;
    assert_eq!(names(&added), ["sales", "travel", "weather", "alone"]);
    assert_eq!(added[0].eval_set_path, parent.join("sales/sales_evals.evalset.json"));
    assert_eq!(added[1..], config.agents, "the others are as they were");

    // The agent that is there keeps its name, although the new one is before it.
    add(&parent.join("Weather"))?;
    let both = now(&added)?;
    assert_eq!(names(&both), ["Weather-2", "sales", "travel", "weather", "alone"]);
    fs::remove_dir_all(parent.join("weather"))?;
    let one = now(&both)?;
    assert_eq!(names(&one), ["Weather-2", "sales", "travel", "alone"]);

    fs::rename(parent.join("travel"), parent.join("trips"))?;
    fs::remove_dir_all(&alone)?;
    let renamed = now(&one)?;
    assert_eq!(
        names(&renamed),
        ["Weather-2", "sales", "trips", "alone"],
        "one that was named stays"
    );

    // Without the parent, there are none, and they come back with it.
    fs::rename(&parent, above.path().join("elsewhere"))?;
    let none = now(&renamed)?;
    assert_eq!(names(&none), ["alone"]);
    fs::rename(above.path().join("elsewhere"), &parent)?;
    assert_eq!(now(&none)?.len(), 4);
    Ok(())
}

#[test]
fn an_agent_of_the_file_does_not_go_with_its_folder() -> std::io::Result<()> {
    let parent = tempfile::tempdir()?;
    for name in ["travel", "weather"] {
        fs::create_dir(parent.path().join(name))?;
        fs::write(parent.path().join(name).join("agent.py"), "")?;
    }
    let folder = parent.path().join("weather");
    let text = format!(
        "[[agent]]\nname = \"Rain\"\nsource = \"adk_python\"\nfolder = {:?}\n",
        folder.display().to_string()
    );
    let folders = vec![parent.path().to_path_buf()];
    let overrides = Overrides { folders, ..Overrides::default() };
    let config = Config::from_text(&text, Path::new("r.toml"), &overrides, &EXAMPLES);
    let config = config.expect("valid");
    fs::remove_dir_all(folder)?;
    fs::remove_dir_all(parent.path().join("travel"))?;
    let now = agents_now(&config.agents, &config.agent_folders)?;
    assert_eq!(now, config.agents[..1], "the entry is still there");
    Ok(())
}

#[test]
fn reports_a_missing_file() {
    let overrides = Overrides { config: Some("no/such.toml".into()), ..Overrides::default() };
    let error = Config::load(&overrides, &EXAMPLES).expect_err("no such file");
    assert!(error.to_string().contains("no/such.toml"), "{error}");
}

#[test]
fn rejects_a_folder_as_an_eval_set_and_a_timeout_of_zero() {
    rejected(
        "[[agent]]\nname = \"A b\"\nsource = \"native\"\nexample = \"math\"\neval_set_path = \"src\"\n",
        expect![[r#"
            rehearsal.toml:5:17: `eval_set_path` is a folder: name a file, such as "src/a_b_evals.evalset.json"
              | eval_set_path = "src"
              |                 ^^^^^"#]],
    );
    let server = "[[agent]]\nname = \"A\"\nsource = \"mcp\"\ninstruction = \"Go.\"\n\
                  [[agent.server]]\nname = \"s\"\ncommand = \"c\"\n";
    rejected(
        &format!("{server}timeout_seconds = 0\n"),
        expect![[r#"
            rehearsal.toml:8:19: `timeout_seconds` must be at least 1
              | timeout_seconds = 0
              |                   ^"#]],
    );
}

#[test]
fn published_schema_is_current() {
    let schema = serde_json::to_string_pretty(&json_schema()).expect("a schema is JSON");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rehearsal.schema.json");
    // UPDATE_EXPECT=1 updates it.
    expect_test::expect_file![path].assert_eq(&format!("{schema}\n"));
}

#[test]
fn reads_an_mcp_agent() {
    let config = load(
        r#"
[[agent]]
name = "Notes Keeper"
source = "mcp"
instruction = "Look after the notes of {owner}."
model = "gemini-2.5-flash"
output_schema = { type = "object", properties = { files = { type = "array" } } }
state = { owner = "Ada" }

[[agent.server]]
name = "files"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-filesystem", "notes"]
pass_env = ["NODE_OPTIONS"]
tools = ["read_text_file"]
roots = ["notes"]
timeout_seconds = 90

[[agent.server]]
name = "clock"
url = "http://127.0.0.1:3001/mcp"
headers = { X-Team = "a" }
bearer_token_env = "CLOCK_TOKEN"
tool_name_prefix = "clock"
"#,
    )
    .expect("the text is right");
    let agent = &config.agents[0];
    assert_eq!(agent.eval_set_path, Path::new("evals/notes_keeper_evals.evalset.json"));
    let AgentSourceConfig::Mcp(mcp) = &agent.source else { panic!("{:?}", agent.source) };
    assert_eq!(mcp.name, "notes_keeper");
    let schema = mcp.output_schema.as_ref().expect("given");
    assert_eq!(schema.as_str(), r#"{"type":"object","properties":{"files":{"type":"array"}}}"#);
    let [files, clock] = &mcp.servers[..] else { panic!("two servers") };
    assert_eq!(files.tools, Some(vec!["read_text_file".to_owned()]));
    assert_eq!(files.patience.as_secs(), 90);
    assert_eq!(clock.tool_name_prefix.as_deref(), Some("clock"));
}

#[test]
fn reports_missing_keys_of_an_mcp_agent() {
    rejected(
        "[[agent]]\nname = \"N\"\nsource = \"mcp\"\ninstruction = \"x\"\n",
        expect![[r#"
        rehearsal.toml:1:1: the agent `N` has source = "mcp" and needs a server: add an [[agent.server]] table with `command` or `url`, or `servers_file`
          | [[agent]]
          | ^^^^^^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"N\"\nsource = \"mcp\"\ninstruction = \"x\"\n[[agent.server]]\nname = \"s\"\n",
        expect![[r#"
            rehearsal.toml:5:1: the server `s` needs `command`, such as "npx", or `url`, such as "http://127.0.0.1:3001/mcp"
              | [[agent.server]]
              | ^^^^^^^^^^^^^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"N\"\nsource = \"mcp\"\ninstruction = \"x\"\n[[agent.server]]\nname = \"s\"\nurl = \"localhost\"\n",
        expect![[r#"
            rehearsal.toml:5:1: `localhost` is not a server address: write http://… or https://…
              | [[agent.server]]
              | ^^^^^^^^^^^^^^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"N\"\nsource = \"native\"\nexample = \"math\"\ninstruction = \"x\"\n",
        expect![[r#"
            rehearsal.toml:5:15: `instruction` belongs to agents with source = "mcp": remove it, or change the source
              | instruction = "x"
              |               ^^^"#]],
    );
    rejected(
        "[[agent]]\nname = \"N\"\nsource = \"mcp\"\ninstruction = \"x\"\n[[agent.server]]\nname = \"s\"\ncomand = \"npx\"\n",
        expect![[r#"
            rehearsal.toml:7:1: `comand` is not a known key; did you mean `command`?
              | comand = …
              | ^^^^^^
              Known keys: name, command, args, env, pass_env, cwd, url, transport, headers, bearer_token_env, tools, tool_name_prefix, roots, include_instructions, timeout_seconds"#]],
    );
}

#[test]
fn reports_the_position_of_invalid_people_and_tokens() {
    let hash = rehearsal_server::access::SecretHash::of("correct horse").expect("hashes");
    let ann = format!("[[person]]\nname = \"Ann\"\npassword = \"{}\"\n", hash.as_str());
    let agent = "[[agent]]\nname = \"A\"\nsource = \"native\"\nexample = \"math\"\n";
    let read = |text: &str| {
        let path = Path::new("rehearsal.toml");
        Config::from_text(text, path, &Overrides::default(), &["math"])
    };
    let known = read(&format!("listen = \"0.0.0.0:4180\"\n{ann}{agent}")).expect("a login");
    assert!(known.access.is_enabled());
    assert!(!read(agent).expect("no login").access.is_enabled());
    let fault = |text: &str| read(text).expect_err(text).to_string();
    let clear = fault("[[person]]\nname = \"Ann\"\npassword = \"correct horse\"\n");
    assert!(clear.starts_with("rehearsal.toml:3:12: this is not an Argon2 hash"), "{clear}");
    assert!(!clear.contains("correct horse") && clear.contains("| password = …"), "{clear}");
    let token = format!("[[token]]\nname = \"CI\"\nid = \"1\"\nhash = \"{}\"\n", hash.as_str());
    assert!(read(&token).expect("it serves live sessions").agents.is_empty());
    let shown = |text: &str| {
        let fault = fault(text);
        assert!(!fault.contains("argon2") && !fault.contains("correct horse"), "{fault}");
        assert!(fault.contains('…'), "{fault}");
        fault
    };
    shown(token.trim_end_matches("\"\n"));
    // A misspelled key, an unknown one, a table of another name, and a line that is not TOML.
    let misspelled = shown(&token.replace("hash =", "hasj ="));
    assert!(misspelled.contains("  | hasj = …\n  | ^^^^\n"), "{misspelled}");
    shown(&ann.replace("password =", "passwrd ="));
    shown("[[person]]\nname = \"Ann\"\npasswrd = \"correct horse\"\n");
    shown("[[person]]\nname = \"Ann\"\npasswrd = \"correct horse\n");
    shown("person = [{ name = \"Ann\", passwrd = \"correct horse\" }]\n");
    shown(&format!("{token}note = \"{}\"\n", hash.as_str()));
    shown(&format!("note = \"{}\"\n{token}", hash.as_str()));
    shown(
        "[[agent]]\nname = \"A\"\nsource = \"mcp\"\n[[agent.server]]\nname = \"s\"\nenvironment = { KEY = \"correct horse\" }\n",
    );
    assert!(clear.contains("create one with `rehearsal user add NAME`"), "{clear}");
    let twice = fault(&format!("{ann}{ann}"));
    assert!(twice.starts_with("rehearsal.toml:5:8: `Ann` is repeated"), "{twice}");
    let nameless = fault("[[token]]\nname = \" \"\nid = \"1\"\nhash = \"x\"\n");
    assert!(nameless.contains("`name` must not be blank"), "{nameless}");
}

#[test]
fn a_token_responds_to_tokens_that_exist() {
    let hash = rehearsal_server::access::SecretHash::of("correct horse").expect("hashes");
    let token = |name: &str, id: &str, more: &str| {
        let hash = hash.as_str();
        format!("[[token]]\nname = \"{name}\"\nid = \"{id}\"\nhash = \"{hash}\"\n{more}")
    };
    let nightly = token("nightly", "1", "");
    // Also one that comes later in the file, and itself.
    let desk = token("desk", "2", "responds_to = [\"nightly\", \"desk\"]\n");
    let config = load(&format!("{desk}{nightly}")).expect("both exist");
    let silent = load(&format!("{}{nightly}", token("desk", "2", ""))).expect("it only asks");
    assert_eq!(config.access.not_in(&silent.access), ["the token 2 (desk)"]);
    rejected(
        &format!("{nightly}{}", token("desk", "2", "responds_to = [\"nighty\"]\n")),
        expect![[r#"
            rehearsal.toml:9:16: `nighty` is not a known value; did you mean `nightly`?
              | responds_to = ["nighty"]
              |                ^^^^^^^^
              Known values: nightly, desk"#]],
    );
    rejected(
        &format!("{nightly}{}", token("desk", "2", "respond_to = [\"nightly\"]\n")),
        expect![[r#"
            rehearsal.toml:9:1: `respond_to` is not a known key; did you mean `responds_to`?
              | respond_to = …
              | ^^^^^^^^^^
              Known keys: name, id, hash, responds_to"#]],
    );
}

#[test]
fn reads_the_servers_of_a_json_file() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(".mcp.json");
    let agent = |server: &str| {
        format!(
            "[[agent]]\nname = \"N\"\nsource = \"mcp\"\ninstruction = \"x\"\n\
             servers_file = {path:?}\n{server}"
        )
    };
    let error = load(&agent("")).expect_err("there is no file").to_string();
    assert!(error.contains("rehearsal.toml:5:16: the servers in"), "{error}");
    fs::write(&path, r#"{"mcpServers": {"b": {"command": "b"}, "a": {"command": "a"}}}"#)?;
    let own = "[[agent.server]]\nname = \"c\"\ncommand = \"c\"\n";
    let config = load(&agent(own)).expect("the file is right");
    let AgentSourceConfig::Mcp(notes) = &config.agents[0].source else { panic!("an MCP agent") };
    let names: Vec<&str> = notes.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["c", "b", "a"]);
    let error = load(&agent(&own.replace("\"c\"", "\"a\""))).expect_err("a name is repeated");
    assert!(error.to_string().contains("two servers of `N` are called `a`"), "{error}");
    Ok(())
}

/// What editors check: the template of `rehearsal init`, and an agent of each source.
#[test]
fn published_schema_accepts_valid_files() {
    let check = published();
    let agents = r#"
        listen = "127.0.0.1:0"
        [[agent]]
        name = "Maths"
        source = "native"
        example = "math"
        [[agent]]
        name = "Home"
        source = "adk_python"
        folder = "home"
        state = { city = "Lisbon" }
        [[agent]]
        name = "Notes"
        source = "mcp"
        instruction = "Look after the notes."
        output_schema = { type = "object" }
        [[agent.server]]
        name = "files"
        command = "npx"
        [security]
        trusted_proxies = ["127.0.0.1"]
    "#;
    let guide = include_str!("../../../docs/guide/configuration.md");
    let shown = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    for text in [include_str!("../cli/template/rehearsal.toml"), agents].into_iter().chain(shown) {
        let file: serde_json::Value = toml::from_str(text).expect("TOML");
        let violations = check.violations(&JsonText::from_value(&file));
        assert!(violations.is_empty(), "{violations:?}");
    }
}

fn published() -> schema_check::Check {
    let schema = serde_json::to_value(json_schema()).expect("a schema is JSON");
    schema_check::Check::of(&JsonText::from_value(&schema)).expect("a schema")
}

#[test]
fn published_schema_rejects_invalid_files() {
    let agent = |rest: &str| format!("[[agent]]\nname = \"A\"\n{rest}\n");
    let mcp = |rest: &str| agent(&format!("source = \"mcp\"\n{rest}"));
    let server = |rest: &str| {
        mcp(&format!("instruction = \"Help.\"\n[[agent.server]]\nname = \"s\"\n{rest}"))
    };
    let right = agent("source = \"native\"\nexample = \"math\"");
    let reported = |text: &str| {
        let file: serde_json::Value = toml::from_str(text).expect("TOML");
        published().violations(&JsonText::from_value(&file))
    };
    for text in [
        right.clone(),
        server("command = \"npx\""),
        server("url = \"https://a.example/mcp\""),
        format!("listen = \" [::1]:0 \"\n{right}"),
        format!("listen = \":4180\"\n{right}"),
        format!("base_path = \"\"\n{right}"),
        format!("base_path = \"/\"\n{right}"),
        format!("base_path = \"team\"\n{right}"),
        format!("base_path = \"/tools/re-hearsal_1.0~/\"\n{right}"),
        format!("{right}[security]\nallowed_origins = [\"HTTPS://[::1]:8080\"]"),
    ] {
        assert!(load(&text).is_ok(), "{text}");
        assert!(reported(&text).is_empty(), "{text}: {:?}", reported(&text));
    }
    for text in [
        agent("source = \"native\""),
        agent("source = \"native\"\nexample = \"math\"\nfolder = \"a\""),
        agent("source = \"native\"\nexample = \"math\"\npython = \"a\""),
        agent("source = \"native\"\nexample = \"math\"\nmodel = \"a\""),
        agent("source = \"adk_python\""),
        agent("source = \"adk_python\"\nfolder = \"a\"\nexample = \"math\""),
        agent("source = \"adk_python\"\nfolder = \"a\"\ninstruction = \"a\""),
        agent(
            "source = \"adk_python\"\nfolder = \"a\"\n[[agent.server]]\nname = \"s\"\ncommand = \"c\"",
        ),
        mcp("instruction = \"Help.\""),
        mcp("[[agent.server]]\nname = \"s\"\ncommand = \"c\""),
        server(""),
        server("command = \"c\"\nurl = \"http://a.example\""),
        server("command = \"c\"\nheaders = { a = \"b\" }"),
        server("command = \"c\"\nbearer_token_env = \"T\""),
        server("url = \"http://a.example\"\nargs = [\"a\"]"),
        server("url = \"http://a.example\"\ncwd = \"a\""),
        server("url = \"ftp://a.example\""),
        right.replace("\"A\"", "\" \""),
        format!("listen = \"foo\"\n{right}"),
        format!("base_path = \"//team\"\n{right}"),
        format!("base_path = \"/team//\"\n{right}"),
        format!("base_path = \"/team?x\"\n{right}"),
        format!("base_path = \"https://a.example/team\"\n{right}"),
        format!("listen = \"127.0.0.1\"\n{right}"),
        format!("{right}[security]\nallowed_origins = [\"localhost:8080\"]"),
        format!("{right}[security]\nallowed_origins = [\"http://localhost/\"]"),
    ] {
        assert!(load(&text).is_err(), "{text}");
        assert!(!reported(&text).is_empty(), "{text}");
    }
}

#[test]
fn exports_write_results_as_configured() {
    let adk = |text: &str| {
        let text =
            format!("{text}\n[[agent]]\nname = \"M\"\nsource = \"native\"\nexample = \"math\"\n");
        let read =
            Config::from_text(&text, Path::new("rehearsal.toml"), &Overrides::default(), &["math"]);
        read.map(|config| config.adk_tool_responses).map_err(|error| error.to_string())
    };
    assert_eq!(adk(""), Ok(false));
    assert_eq!(adk("[export]\ntool_response = \"result\""), Ok(false));
    assert_eq!(adk("[export]\ntool_response = \"adk\""), Ok(true));
    assert!(adk("[export]\ntool_response = \"raw\"").is_err_and(|error| error.contains("adk")));
}
