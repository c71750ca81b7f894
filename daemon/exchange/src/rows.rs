//! Decisions as rows of a table: one a decision, the same columns always, each of one type. Programs
//! for notebooks read them as CSV, as JSON lines and as Parquet.

use crate::{PlayedAgent, PlayedTurn};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use serde_json::Value as Json;

/// A column of a table. Every value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub holds: ColumnType,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Whole,
    Truth,
}

impl Column {
    #[must_use]
    pub const fn text(name: &'static str) -> Self {
        Self { name, holds: ColumnType::Text }
    }

    #[must_use]
    pub const fn whole(name: &'static str) -> Self {
        Self { name, holds: ColumnType::Whole }
    }

    #[must_use]
    pub const fn truth(name: &'static str) -> Self {
        Self { name, holds: ColumnType::Truth }
    }
}

/// The columns, in order. New ones come at the end; none goes and none changes its type.
pub const COLUMNS: [Column; 24] = [
    Column::text("recording"),
    Column::text("team"),
    Column::text("game"),
    Column::whole("round"),
    Column::whole("step"),
    Column::whole("time_ms"),
    Column::text("agent"),
    Column::text("role"),
    Column::whole("generation"),
    Column::text("kind"),
    Column::text("action"),
    Column::text("reason"),
    Column::text("reason_data"),
    Column::text("trouble"),
    Column::text("file"),
    Column::whole("line"),
    Column::whole("spent_us"),
    Column::truth("late"),
    Column::truth("defaulted"),
    Column::text("percept"),
    Column::text("result"),
    Column::whole("result_round"),
    Column::whole("result_step"),
    Column::whole("score"),
];

#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRow {
    cells: [RowValue; COLUMNS.len()],
}

/// A value of a column: its type is the same in all rows, or it is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum RowValue {
    Nothing,
    Whole(i64),
    Truth(bool),
    Text(String),
}

impl RowValue {
    /// Nothing where the text is empty.
    #[must_use]
    pub fn text(text: &str) -> Self {
        if text.is_empty() { Self::Nothing } else { Self::Text(text.to_owned()) }
    }

    #[must_use]
    pub fn maybe(number: Option<impl Into<i64>>) -> Self {
        number.map_or(Self::Nothing, |number| Self::Whole(number.into()))
    }

    #[must_use]
    pub fn count(number: impl TryInto<i64>) -> Self {
        Self::Whole(number.try_into().unwrap_or(i64::MAX))
    }

    /// How much text it has.
    pub(crate) fn bytes(&self) -> usize {
        if let Self::Text(text) = self { text.len() } else { 0 }
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
        COLUMNS.map(|column| column.name).join(",")
    }

    /// A line of a CSV file, without its end; a field may hold line ends in quotes.
    #[must_use]
    pub fn csv(&self) -> String {
        self.cells.iter().map(RowValue::csv).collect::<Vec<_>>().join(",")
    }

    /// The values, in the order of the columns.
    #[must_use]
    pub fn into_values(self) -> [RowValue; COLUMNS.len()] {
        self.cells
    }

    /// A line of a file of JSON lines, its keys in the order of the columns.
    #[must_use]
    pub fn json(&self) -> String {
        let cells = COLUMNS.iter().zip(&self.cells);
        let field = |(column, cell): (&Column, &RowValue)| {
            format!("{}:{}", Json::from(column.name), cell.json())
        };
        let fields = cells.map(field);
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
pub(crate) fn plain(value: &prost_types::Value) -> Json {
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
