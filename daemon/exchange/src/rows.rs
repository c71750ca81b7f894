//! Decisions as rows of a table: one a decision, the same columns always, each of one type. Programs
//! for notebooks read them as CSV or as JSON lines, and make Parquet of them.

use crate::{PlayedAgent, PlayedTurn};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use serde_json::Value as Json;

/// The columns, in order. New ones come at the end; none goes and none changes its type.
pub const COLUMNS: [&str; 24] = [
    "recording",
    "team",
    "game",
    "round",
    "step",
    "time_ms",
    "agent",
    "role",
    "generation",
    "kind",
    "action",
    "reason",
    "reason_data",
    "trouble",
    "file",
    "line",
    "spent_us",
    "late",
    "defaulted",
    "percept",
    "result",
    "result_round",
    "result_step",
    "score",
];

#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRow {
    cells: [RowValue; COLUMNS.len()],
}

/// A value of a column: its type is the same in all rows, or it has none.
#[derive(Clone, Debug, PartialEq)]
enum RowValue {
    Nothing,
    Whole(i64),
    Truth(bool),
    Text(String),
}

impl RowValue {
    /// Nothing where the text is empty.
    fn text(text: &str) -> Self {
        if text.is_empty() { Self::Nothing } else { Self::Text(text.to_owned()) }
    }

    fn maybe(number: Option<impl Into<i64>>) -> Self {
        number.map_or(Self::Nothing, |number| Self::Whole(number.into()))
    }

    fn count(number: impl TryInto<i64>) -> Self {
        Self::Whole(number.try_into().unwrap_or(i64::MAX))
    }

    fn csv(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Whole(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
            // RFC 4180.
            Self::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Self::Text(text) => text.clone(),
        }
    }

    fn json(&self) -> Json {
        match self {
            Self::Nothing => Json::Null,
            Self::Whole(number) => Json::from(*number),
            Self::Truth(truth) => Json::from(*truth),
            Self::Text(text) => Json::from(text.as_str()),
        }
    }
}

impl DecisionRow {
    /// The first line of a CSV file.
    #[must_use]
    pub fn csv_head() -> String {
        COLUMNS.join(",")
    }

    /// A line of a CSV file, without its end; a field may hold line ends in quotes.
    #[must_use]
    pub fn csv(&self) -> String {
        self.cells.iter().map(RowValue::csv).collect::<Vec<_>>().join(",")
    }

    /// A line of a file of JSON lines, its keys in the order of the columns.
    #[must_use]
    pub fn json(&self) -> String {
        let cells = COLUMNS.iter().zip(&self.cells);
        let fields = cells.map(|(name, cell)| format!("{}:{}", Json::from(*name), cell.json()));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    }
}

/// The decisions of a turn of this recording; `begin_ms` is its begin after the Unix epoch.
pub fn rows<'a>(
    info: &'a v1::RecordingInfo,
    begin_ms: i64,
    turn: &'a PlayedTurn,
) -> impl Iterator<Item = DecisionRow> + 'a {
    turn.agents.iter().filter_map(move |agent| row(info, begin_ms, turn, agent))
}

fn row(
    info: &v1::RecordingInfo,
    begin_ms: i64,
    turn: &PlayedTurn,
    agent: &PlayedAgent,
) -> Option<DecisionRow> {
    let deed = agent.deed()?;
    let rests = Rests::of(deed.event);
    let time = begin_ms.saturating_add(turn.nanos / 1_000_000);
    let trouble = if rests.failed { deed.reason } else { "" };
    let reason = if rests.failed { rests.explained } else { deed.reason };
    let cells = [
        RowValue::text(&info.id),
        RowValue::text(&info.team),
        RowValue::text(&info.game),
        RowValue::count(turn.turn.round),
        RowValue::count(turn.turn.step),
        RowValue::Whole(time),
        RowValue::text(&agent.name),
        RowValue::text(&agent.role),
        RowValue::count(deed.event.generation),
        RowValue::text(deed.kind.word()),
        RowValue::text(deed.action),
        RowValue::text(reason),
        RowValue::text(&rests.data),
        RowValue::text(trouble),
        RowValue::text(rests.file),
        RowValue::maybe((rests.line > 0).then_some(rests.line)),
        RowValue::maybe(rests.spent_us),
        RowValue::Truth(deed.late),
        RowValue::Truth(deed.defaulted),
        RowValue::text(&agent.percept),
        RowValue::text(&agent.result),
        RowValue::maybe(agent.answered.map(|turn| turn.round)),
        RowValue::maybe(agent.answered.map(|turn| turn.step)),
        RowValue::maybe(turn.score),
    ];
    Some(DecisionRow { cells })
}

/// What a script's answer rests on.
#[derive(Default)]
struct Rests<'a> {
    failed: bool,
    explained: &'a str,
    data: String,
    file: &'a str,
    line: u32,
    spent_us: Option<i64>,
}

impl<'a> Rests<'a> {
    fn of(event: &'a v1::MatchEvent) -> Self {
        let (grounds, spent) = match &event.kind {
            Some(Kind::Decided(it)) => (it.grounds.as_ref(), it.spent),
            Some(Kind::Fallback(it)) => (it.grounds.as_ref(), it.spent),
            Some(_) | None => return Self::default(),
        };
        let spent_us = spent.map(|spent| {
            spent.seconds.saturating_mul(1_000_000).saturating_add(i64::from(spent.nanos / 1_000))
        });
        let (file, line) = grounds.map_or(("", 0), |it| (it.file.as_str(), it.line));
        let rests = Self { file, line, spent_us, ..Self::default() };
        match &event.kind {
            Some(Kind::Fallback(it)) => Self { failed: true, explained: &it.explained, ..rests },
            Some(Kind::Decided(it)) => {
                let data = it.reason_data.as_ref().map(|data| plain(data).to_string());
                Self { data: data.unwrap_or_default(), ..rests }
            }
            Some(_) | None => rests,
        }
    }
}

/// A value of the API as JSON has it.
fn plain(value: &prost_types::Value) -> Json {
    use prost_types::value::Kind;
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(truth)) => Json::from(*truth),
        Some(Kind::NumberValue(number)) => whole(*number).map_or(Json::from(*number), Json::from),
        Some(Kind::StringValue(text)) => Json::from(text.as_str()),
        Some(Kind::ListValue(list)) => list.values.iter().map(plain).collect(),
        Some(Kind::StructValue(fields)) => {
            fields.fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
    }
}

/// Numbers of scripts are written without a point where they have no fraction.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 is exact")]
    let cut = number as i64;
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(cut)
}
