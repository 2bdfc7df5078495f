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
fn options_about_the_machine_have_an_environment_variable() {
    const OF_THE_MACHINE: [&str; 7] =
        ["allow-origin", "base-path", "config", "listen", "live-database", "log-format", "python"];
    for command in CommandLine::command().get_subcommands() {
        for option in command.get_opts() {
            let name = option.get_long().unwrap_or_default();
            let variable = option.get_env().map(|name| name.to_string_lossy().into_owned());
            // There the file is the config of criteria.
            let is_of_criteria = name == "config"
                && ["score", "eval", "fork", "diagnose"].contains(&command.get_name());
            let wanted = (OF_THE_MACHINE.contains(&name) && !is_of_criteria)
                .then(|| format!("REHEARSAL_{}", name.to_uppercase().replace('-', "_")));
            assert_eq!(variable, wanted, "--{name} of {}", command.get_name());
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
