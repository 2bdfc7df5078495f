//! Tests of the command line as a person types it.

use clap::{CommandFactory as _, Parser as _};

use super::*;

fn parse(line: &str) -> Result<CommandLine, clap::Error> {
    CommandLine::try_parse_from(line.split(' '))
}

#[test]
fn command_definition_is_valid() {
    CommandLine::command().debug_assert();
}

#[test]
fn serve_takes_folders_and_options() {
    let line = parse(
        "rehearsal serve a b --config c.toml --listen :4200 --base-path team/ --python .venv --allow-origin http://h:8080 --live-database l.sqlite",
    );
    let Ok(CommandLine { command: Command::Serve(arguments) }) = line else {
        panic!("{line:?}");
    };
    assert_eq!(
        arguments.overrides(),
        Overrides {
            config: Some("c.toml".into()),
            folders: vec!["a".into(), "b".into()],
            listen: Some("127.0.0.1:4200".parse().expect("an address")),
            base_path: Some("/team".parse().expect("a base path")),
            python: Some(".venv".into()),
            allowed_origins: vec!["http://h:8080".parse().expect("an origin")],
            live_database: Some("l.sqlite".into()),
        }
    );
}

#[test]
fn rejects_an_invalid_address_with_an_example() {
    let error = parse("rehearsal serve --listen everywhere").expect_err("no address");
    assert!(error.to_string().contains("such as 127.0.0.1:4180"), "{error}");
}

#[test]
fn rejects_an_invalid_base_path_with_an_example() {
    let error = parse("rehearsal serve --base-path /a/../b").expect_err("no base path").to_string();
    assert!(error.contains("--base-path"), "{error}");
    assert!(error.contains("write a path such as /team"), "{error}");
}

#[test]
fn suggests_the_nearest_command() {
    let error = parse("rehearsal sreve").expect_err("no such command");
    assert!(error.to_string().contains("'serve'"), "{error}");
}

#[test]
fn every_option_has_an_environment_variable() {
    for command in CommandLine::command().get_subcommands() {
        // Hidden ones are for programs, which write them out.
        for option in command.get_opts().filter(|option| !option.is_hide_set()) {
            let name = option.get_long().unwrap_or_default();
            let variable = option.get_env().map(|name| name.to_string_lossy().into_owned());
            // Options of the same name mean other things there.
            let prefix = match (command.get_name(), name) {
                ("score", _) => "SCORE_",
                // The interpreter is the same for every command.
                ("eval", "python") => "",
                ("eval", _) => "EVAL_",
                _ => "",
            };
            let wanted = format!("REHEARSAL_{prefix}{}", name.to_uppercase().replace('-', "_"));
            assert_eq!(variable.as_deref(), Some(wanted.as_str()), "--{name}");
        }
    }
}

#[test]
fn every_command_and_argument_has_help() {
    for command in CommandLine::command().get_subcommands() {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
        }
    }
}

#[test]
fn completions_contain_the_commands() {
    for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Fish, clap_complete::Shell::Zsh]
    {
        let mut written = Vec::new();
        write_completions(shell, &mut written).expect("a buffer takes everything");
        let written = String::from_utf8(written).expect("a script is text");
        for command in ["serve", "agents", "init", "completions"] {
            assert!(written.contains(command), "{shell} lacks {command}");
        }
    }
}
