//! The command line: parse a command, run it.

use rehearsal::{SimulatedAgentConfig, Simulator, examples};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let agent = |name, agent, path| SimulatedAgentConfig::native(name, agent, path);
    let listen = std::env::var("REHEARSAL_LISTEN").unwrap_or("127.0.0.1:4180".to_owned());
    Simulator::new()
        .agent(agent("Maths", examples::math_agent(), "evals/maths.evalset.json"))
        .agent(agent("Travel desk", examples::travel_agent(), "evals/travel.evalset.json"))
        .agent(agent("Poet", examples::poet_agent(), "evals/poet.evalset.json"))
        .listen(listen.parse()?)
        .serve()
        .await?;
    Ok(())
}
