//! The cases: eval sets in ADK's layout, with generated conversations.
//!
//! They are as large as the cases in Google's own eval files: on average 1.6 turns, 1.2 calls with
//! two arguments, and 21 words of response in a turn.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Stems and endings whose pairs are the vocabulary: some 2,500 words that a stemmer works on.
const STEMS: [&str; 60] = [
    "book",
    "flight",
    "hotel",
    "arriv",
    "depart",
    "cancel",
    "confirm",
    "price",
    "travel",
    "ticket",
    "weather",
    "temperat",
    "rain",
    "cloud",
    "forecast",
    "degree",
    "order",
    "deliver",
    "pay",
    "account",
    "balanc",
    "transfer",
    "secur",
    "sett",
    "updat",
    "remov",
    "select",
    "prefer",
    "restaur",
    "reserv",
    "table",
    "guest",
    "friend",
    "famili",
    "medic",
    "doctor",
    "appoint",
    "symptom",
    "patient",
    "treat",
    "relat",
    "nation",
    "organ",
    "general",
    "public",
    "addit",
    "option",
    "request",
    "respon",
    "inform",
    "detail",
    "avail",
    "requir",
    "possib",
    "recommend",
    "suggest",
    "compar",
    "connect",
    "operat",
    "commun",
];
const ENDINGS: [&str; 40] = [
    "", "s", "ed", "ing", "er", "ers", "ation", "ations", "ment", "ments", "able", "ible", "ly",
    "ness", "ful", "fulness", "ive", "iveness", "al", "ally", "ality", "ize", "izing", "ization",
    "ional", "ionally", "ous", "ously", "ousness", "ate", "ated", "ating", "ator", "ance", "ence",
    "ant", "ent", "ently", "y", "ies",
];
const PLAIN: [&str; 24] = [
    "the", "a", "is", "to", "of", "and", "in", "for", "on", "with", "your", "you", "at", "it",
    "that", "this", "are", "was", "from", "by", "not", "we", "have", "will",
];
const TOOLS: [&str; 6] =
    ["search_flights", "get_weather", "book_hotel", "send_email", "lookup_account", "create_event"];

/// Numbers that look random and are the same at every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).unwrap_or(0);
        high % limit.max(1)
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }

    fn word(&mut self) -> String {
        match self.below(20) {
            0..9 => self.of(&PLAIN).to_owned(),
            9 => format!("{}", self.below(2_000)),
            // Some words are much more frequent than others.
            10..14 => format!("{}{}", self.of(&STEMS[..12]), self.of(&ENDINGS[..8])),
            _ => format!("{}{}", self.of(&STEMS), self.of(&ENDINGS)),
        }
    }

    fn sentence(&mut self, words: usize) -> String {
        let mut text = String::new();
        for place in 0..words {
            if place > 0 {
                text.push_str(if self.below(12) == 0 { ", " } else { " " });
            }
            text.push_str(&self.word());
        }
        text.push('.');
        // A few answers are not plain ASCII.
        if self.below(10) == 0 { format!("{text} 22 °C, naïve café.") } else { text }
    }

    /// A number from 0, chosen by its percentage.
    fn spread(&mut self, shares: &[usize]) -> usize {
        let mut drawn = self.below(100);
        shares
            .iter()
            .position(|share| drawn.checked_sub(*share).map(|rest| drawn = rest).is_none())
            .unwrap_or(shares.len())
    }

    fn call(&mut self) -> Value {
        let mut args = serde_json::Map::new();
        for name in ["city", "days", "notes"].into_iter().take(1 + self.spread(&[30, 40, 30])) {
            let value = match name {
                "city" => self.word().into(),
                "days" => self.below(14).into(),
                _ if self.below(4) == 0 => json!({ "tags": [self.word(), self.word()] }),
                _ => self.word().into(),
            };
            args.insert(name.to_owned(), value);
        }
        json!({ "args": args, "name": self.of(&TOOLS) })
    }
}

/// The pairs of files with so many cases together, expected first.
pub(super) fn files(folder: &Path, cases: usize, per_file: usize) -> Vec<(PathBuf, PathBuf)> {
    let path = |side: &str, begin: usize| folder.join(format!("{side}_{begin}.evalset.json"));
    let begins = (0..cases).step_by(per_file);
    begins.map(|begin| (path("expected", begin), path("actual", begin))).collect()
}

/// Writes them.
pub(super) fn write(folder: &Path, cases: usize, per_file: usize) -> io::Result<()> {
    let mut chance = Chance(2_026);
    let begins = (0..cases).step_by(per_file);
    for (begin, paths) in begins.zip(files(folder, cases, per_file)) {
        let pairs: Vec<(Value, Value)> =
            (begin..cases.min(begin + per_file)).map(|number| pair(&mut chance, number)).collect();
        let (expected, actual): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        for (path, cases) in [(&paths.0, expected), (&paths.1, actual)] {
            let mut file = BufWriter::new(File::create(path)?);
            let set = json!({ "eval_set_id": "bench", "name": "bench", "eval_cases": cases });
            serde_json::to_writer_pretty(&mut file, &set)?;
            file.flush()?;
        }
    }
    Ok(())
}

/// Writes all cases of the files into one file of each side, unchanged, and gives their paths.
pub(super) fn joined(
    folder: &Path,
    files: &[(PathBuf, PathBuf)],
) -> io::Result<(PathBuf, PathBuf)> {
    let join = |name: &str, files: &mut dyn Iterator<Item = &PathBuf>| -> io::Result<PathBuf> {
        let path = folder.join(name);
        let mut out = BufWriter::new(File::create(&path)?);
        write!(
            out,
            "{{\n  \"eval_set_id\": \"bench\",\n  \"name\": \"bench\",\n  \"eval_cases\": ["
        )?;
        for (place, file) in files.enumerate() {
            let text = std::fs::read_to_string(file)?;
            let cases =
                text.split_once("\"eval_cases\": [").and_then(|(_, it)| it.rsplit_once("\n  ]"));
            let (cases, _) = cases.ok_or_else(|| io::Error::other("no cases"))?;
            write!(out, "{}{cases}", if place > 0 { "," } else { "" })?;
        }
        write!(out, "\n  ]\n}}")?;
        out.flush()?;
        Ok(path)
    };
    let expected = join("expected.evalset.json", &mut files.iter().map(|(expected, _)| expected))?;
    Ok((expected, join("actual.evalset.json", &mut files.iter().map(|(_, actual)| actual))?))
}

/// A case and an actual run of it: often equal, sometimes with another call or other words.
fn pair(chance: &mut Chance, number: usize) -> (Value, Value) {
    let (mut expected, mut actual) = (Vec::new(), Vec::new());
    for turn in 0..=chance.spread(&[60, 25, 15]) {
        let words = 6 + chance.below(14);
        let user = chance.sentence(words);
        let calls: Vec<Value> =
            (0..chance.spread(&[25, 45, 20, 10])).map(|_| chance.call()).collect();
        let words = 6 + chance.below(30);
        let response = chance.sentence(words);
        let mut made = calls.clone();
        if chance.below(4) == 0 {
            made.push(chance.call());
        } else if chance.below(6) == 0 {
            made.reverse();
        }
        let texts: Vec<String> = response
            .split(' ')
            .map(|word| if chance.below(4) == 0 { chance.word() } else { word.to_owned() })
            .collect();
        expected.push(invocation(turn, &user, &calls, &response));
        actual.push(invocation(turn, &user, &made, &texts.join(" ")));
    }
    let case = |conversation: Vec<Value>| {
        json!({
            "eval_id": format!("case_{number}"),
            "conversation": conversation,
            "session_input": { "app_name": "bench", "user_id": "user" },
            "creation_timestamp": 1_763_700_000.5,
        })
    };
    (case(expected), case(actual))
}

fn invocation(turn: usize, user: &str, calls: &[Value], response: &str) -> Value {
    json!({
        "invocation_id": format!("e-{turn}"),
        "user_content": { "parts": [{ "text": user }], "role": "user" },
        "final_response": { "parts": [{ "text": response }], "role": "model" },
        "intermediate_data": { "tool_uses": calls },
        "creation_timestamp": 1_763_700_000.25,
    })
}
