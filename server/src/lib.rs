//! The host behind the page: owns the agents, runs their tools, writes eval cases to disk.

pub mod agents;
