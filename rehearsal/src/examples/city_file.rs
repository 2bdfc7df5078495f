//! A city file of the travel desk: a result with Markdown, tables, code, a diff, an image, and JSON in a
//! string.

use base64::Engine as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{FnTool, ToolFault};

/// A small map image.
const MAP: &[u8] = include_bytes!("lisbon.png");

const GUIDE: &str = "## Lisbon in two days\n\n1. **Alfama** by tram 28, early.\n2. Lunch at the river, \
                     `Cais do Sodré`.\n3. *Belém* for the tower and the pastry.\n\n| Month | High | Rain |\n\
                     |---|---|---|\n| May | 22 °C | 5 days |\n| June | 26 °C | 2 days |\n\n\
                     > Mondays the museums are closed.\n";

const CHANGE: &str = "--- a/tariff.txt\n+++ b/tariff.txt\n@@ -1,4 +1,4 @@\n Tram 28\n-single 3.00 EUR\n\
                      +single 3.20 EUR\n Airport line\n-single 1.80 EUR\n+single 1.90 EUR\n";

const SCRIPT: &str = "def cheapest(fares):\n    \"\"\"The fare to offer first.\"\"\"\n    open_ones = [fare \
                      for fare in fares if fare[\"seats\"] > 0]\n    return min(open_ones, key=lambda fare: \
                      fare[\"euros\"], default=None)\n";

/// The arguments: a city.
#[derive(Debug, Deserialize, JsonSchema)]
struct City {
    /// The city's airport, three letters. Only LIS has a file.
    #[schemars(length(min = 3, max = 3))]
    airport: String,
}

/// The file of a city.
#[derive(Debug, Serialize, JsonSchema)]
struct CityFile {
    /// What to tell the traveler, in markdown.
    guide: &'static str,
    /// The fares of the day.
    fares: Vec<Fare>,
    /// The response of a weather service: JSON in a string, encoded twice.
    forecast: String,
    /// What changed in the tariff, as a unified diff.
    tariff_change: &'static str,
    /// How the desk chooses a fare, in Python.
    rule: &'static str,
    /// A map as a data URL.
    map: String,
    /// Links.
    website: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Fare {
    flight: &'static str,
    from: &'static str,
    euros: u32,
    seats: u32,
    direct: bool,
}

/// The tool that reads the file of a city.
pub(super) fn city_file() -> FnTool {
    FnTool::new(
        "city_file",
        "Reads the desk's file on a city: guide, fares, forecast, map.",
        |_, City { airport }: City| async move {
            if airport.eq_ignore_ascii_case("LIS") {
                Ok(lisbon())
            } else {
                Err(ToolFault::not_found(format!("no file on {airport}, only on LIS")))
            }
        },
    )
}

fn lisbon() -> CityFile {
    let forecast = serde_json::json!({
        "station": "LIS",
        "days": [
            {"day": "Monday", "high": 24, "wind": {"from": "NW", "kmh": 18}},
            {"day": "Tuesday", "high": 26, "wind": {"from": "N", "kmh": 12}},
        ],
        "run": 9_007_199_254_740_993_u64,
    });
    let once = forecast.to_string();
    let fare = |flight, from, euros, seats, direct| Fare { flight, from, euros, seats, direct };
    CityFile {
        guide: GUIDE,
        fares: vec![
            fare("RH0112", "HEL", 120, 9, true),
            fare("RH0340", "OSL", 95, 0, false),
            fare("RH0771", "NAP", 64, 31, true),
            fare("RH2048", "YUL", 410, 4, true),
        ],
        forecast: serde_json::Value::String(once).to_string(),
        tariff_change: CHANGE,
        rule: SCRIPT,
        map: format!(
            "data:image/png;base64,{}",
            base64::engine::general_purpose::STANDARD.encode(MAP)
        ),
        website: "https://www.visitlisboa.com/en/places?open=today",
    }
}
