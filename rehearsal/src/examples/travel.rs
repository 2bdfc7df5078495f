//! The travel desk: structured input and output, and tools that fail, wait, need confirmation
//! or return large results.

use std::time::Duration;

use adk_core::{Part, ToolContext};
use agents::native::NativeAgent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{FnTool, ToolFault};

/// What the traveler wants.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the value goes to the person")]
struct TravelRequest {
    /// What the traveler says.
    query: String,
    /// How many proposals at most.
    max_results: u8,
    /// Whether the dates can move.
    #[serde(default)]
    flexible: bool,
}

/// What the desk answers.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the value comes from the person")]
struct TravelAnswer {
    /// The answer in one or two sentences.
    answer: String,
    /// How sure the desk is, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    confidence: f64,
    /// The fares that the answer rests on.
    #[serde(default)]
    fares: Vec<String>,
}

/// Class of travel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Cabin {
    #[default]
    Economy,
    Premium,
    Business,
}

/// Text search.
#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// What to look for.
    query: String,
    /// How many results at most.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    limit: u8,
}

fn ten() -> u8 {
    10
}

/// One traveler.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Traveler {
    /// Name as in the passport.
    #[schemars(length(min = 1))]
    name: String,
    /// Age in years.
    #[schemars(range(max = 130))]
    age: u8,
    /// Seat wish, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seat: Option<Seat>,
}

/// Where to sit.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Seat {
    Window,
    Aisle,
}

/// A trip to quote.
#[derive(Debug, Deserialize, JsonSchema)]
struct Trip {
    /// Airport of departure, three letters.
    #[schemars(length(min = 3, max = 3))]
    from: String,
    /// Airport of arrival, three letters.
    #[schemars(length(min = 3, max = 3))]
    to: String,
    /// Class of travel.
    #[serde(default)]
    cabin: Cabin,
    /// Who travels.
    #[schemars(length(min = 1))]
    travelers: Vec<Traveler>,
    /// Highest price in euros; none when left out.
    #[serde(default)]
    budget: Option<f64>,
}

/// A price.
#[derive(Debug, Serialize, JsonSchema)]
struct Quote {
    fare: String,
    cabin: Cabin,
    travelers: usize,
    euros: f64,
    within_budget: bool,
}

/// A reservation to hold.
#[derive(Debug, Deserialize, JsonSchema)]
struct Hold {
    /// The fare's code.
    fare: String,
    /// How long to hold it.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 72))]
    hours: u8,
}

fn one() -> u8 {
    1
}

/// How long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
struct Wait {
    /// Seconds until the timetable answers.
    #[serde(default = "thirty")]
    #[schemars(range(max = 120))]
    seconds: u8,
}

fn thirty() -> u8 {
    30
}

/// Which archive.
#[derive(Debug, Deserialize, JsonSchema)]
struct Archive {
    /// How many megabytes of it.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 64))]
    megabytes: u8,
}

fn five() -> u8 {
    5
}

/// One line of the archive.
#[derive(Debug, Serialize, JsonSchema)]
struct Flight {
    number: String,
    from: &'static str,
    to: &'static str,
    minutes: u32,
}

const PLACES: [(&str, &str); 6] = [
    ("LIS", "Lisbon: trams, tiles and the Atlantic."),
    ("HEL", "Helsinki: saunas, ferries, light nights."),
    ("KIX", "Osaka: street food and the gate to Kyoto."),
    ("OSL", "Oslo: fjords from the opera's roof."),
    ("NAP", "Naples: pizza, Pompeii, a volcano."),
    ("YUL", "Montréal: bagels, jazz, two languages."),
];

/// A travel desk whose tools cover all kinds of arguments and behavior.
#[must_use]
pub fn travel_agent() -> NativeAgent {
    NativeAgent::new("travel_agent")
        .description("A travel desk: searches, quotes, holds. Structured input and output.")
        .model("gemini-2.5-pro")
        .initial_state("agency", "Far & Away")
        .instruction(
            "You work at the travel desk of {agency}. The traveler's request comes as structured \
             input.\n\n1. `search_places` first, unless the traveler names an airport.\n2. Quote \
             before you hold, and never hold without being asked.\n3. When a tool fails, say so \
             and lower your **confidence**.\n\nThe last fare quoted was: {last_fare?}",
        )
        .input::<TravelRequest>()
        .output::<TravelAnswer>()
        .tool(FnTool::new("search_places", "Finds places to travel to.", search_places))
        .tool(FnTool::new("quote_trip", "Prices a trip and remembers its fare.", quote_trip))
        .confirmed_tool(FnTool::new("hold_fare", "Holds a quoted fare for some hours.", hold_fare))
        .tool(super::booking::book_trip())
        .tool(super::city_file::city_file())
        .tool(FnTool::new(
            "book_hotel",
            "Books a hotel. The hotel partner is down, so this fails.",
            |_, Search { query, .. }: Search| async move {
                Err::<String, _>(ToolFault::unavailable(format!(
                    "the hotel partner does not answer (asked for {query:?})"
                )))
            },
        ))
        .tool(FnTool::new(
            "slow_timetable",
            "Asks the timetable service, which takes its time.",
            |_, Wait { seconds }: Wait| async move {
                tokio::time::sleep(Duration::from_secs(seconds.into())).await;
                Ok(format!("The timetable answered after {seconds} s."))
            },
        ))
        .tool(FnTool::new(
            "flight_archive",
            "Returns the flight archive, several megabytes of it.",
            |_, Archive { megabytes }: Archive| async move { Ok(archive(megabytes)) },
        ))
}

async fn search_places(
    _context: std::sync::Arc<dyn ToolContext>,
    Search { query, limit }: Search,
) -> Result<Vec<String>, ToolFault> {
    let wanted = query.to_lowercase();
    let found = PLACES.iter().filter(|(code, text)| {
        text.to_lowercase().contains(&wanted) || code.to_lowercase() == wanted
    });
    Ok(found.take(limit.into()).map(|(code, text)| format!("{code} {text}")).collect())
}

async fn quote_trip(
    context: std::sync::Arc<dyn ToolContext>,
    trip: Trip,
) -> Result<Quote, ToolFault> {
    if trip.from.eq_ignore_ascii_case(&trip.to) {
        return Err(ToolFault::invalid_input("a trip needs two different airports"));
    }
    let known = |code: &str| PLACES.iter().any(|(it, _)| it.eq_ignore_ascii_case(code));
    if !known(&trip.to) {
        return Err(ToolFault::not_found(format!("no flights to {}", trip.to)));
    }
    let each = match trip.cabin {
        Cabin::Economy => 120.0,
        Cabin::Premium => 210.0,
        Cabin::Business => 640.0,
    };
    let people: f64 = trip.travelers.iter().map(|it| if it.age < 2 { 0.1 } else { 1.0 }).sum();
    let euros = each * people;
    let fare = format!("{}{}-{}", trip.from, trip.to, trip.travelers.len()).to_uppercase();
    let mut actions = context.actions();
    actions.state_delta.insert("last_fare".to_owned(), fare.clone().into());
    context.set_actions(actions);
    if let Some(artifacts) = context.artifacts() {
        let receipt = Part::Text { text: format!("{fare}: {euros} euros") };
        artifacts
            .save("quote.txt", &receipt)
            .await
            .map_err(|error| ToolFault::unavailable(error.message))?;
    }
    Ok(Quote {
        fare,
        cabin: trip.cabin,
        travelers: trip.travelers.len(),
        euros,
        within_budget: trip.budget.is_none_or(|budget| euros <= budget),
    })
}

async fn hold_fare(
    context: std::sync::Arc<dyn ToolContext>,
    Hold { fare, hours }: Hold,
) -> Result<String, ToolFault> {
    let last = context.session().and_then(|session| session.state().get("last_fare"));
    if last.as_ref().and_then(|fare| fare.as_str()) != Some(fare.as_str()) {
        return Err(ToolFault::not_found(format!("{fare} was not quoted in this session")));
    }
    Ok(format!("{fare} is held for {hours} h."))
}

fn archive(megabytes: u8) -> Vec<Flight> {
    // One line takes about 64 bytes of JSON.
    let lines = usize::from(megabytes) * 1024 * 1024 / 64;
    (0..lines)
        .map(|line| {
            let from = PLACES[line % PLACES.len()].0;
            let to = PLACES[(line / PLACES.len() + line + 1) % PLACES.len()].0;
            let minutes = 60 + u32::try_from(line % 600).unwrap_or(0);
            Flight { number: format!("RH{line:06}"), from, to, minutes }
        })
        .collect()
}
