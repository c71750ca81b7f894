//! `phalanx why`: an agent's action in a turn, with its reasons.

use super::agents::shown::agent_name;
use super::life::answer;
use super::values::{self, micros};
use super::{Shown, counted, events, look, short};
use crate::args::OutputArgs;
use crate::args::why::{TurnWord, WhyArgs};
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{
    BoardLook, BoardLookKind, ExplainDecisionRequest, Explanation, Grounds, MatchEvent, Turn,
};
use serde_json::{Value, json};

/// Width of the labels.
const LABEL: usize = 9;

/// `phalanx why`.
///
/// # Errors
/// When no daemon answers, or it keeps nothing of that turn.
pub fn why(args: &WhyArgs) -> Result<()> {
    look(&args.look, async |link| {
        let name = agent_name(&link, &args.what.agent).await?;
        let request = match args.what.turn {
            TurnWord::Ago(ago) => ExplainDecisionRequest { name, ago, step: None, round: None },
            TurnWord::Step(round, step) => {
                ExplainDecisionRequest { name, ago: 0, step: Some(step), round }
            }
        };
        let explanation =
            answer(MatchesClient::new(link).explain_decision(request).await)?.explanation;
        let explanation = explanation.context("the daemon's answer has no explanation")?;
        Ok(Shown { json: json(&explanation), text: page(&explanation, Paint::stdout()) })
    })
}

/// Prints an explanation, wherever it comes from.
///
/// # Errors
/// When it cannot be printed.
pub fn explain(explanation: &Explanation, print: &OutputArgs) -> Result<()> {
    print.tell(&json(explanation), || page(explanation, Paint::stdout()))
}

/// An explanation as text without colours.
#[must_use]
pub fn explanation_text(explanation: &Explanation) -> String {
    page(explanation, Paint::none())
}

/// The explanation as text, from a daemon or a recording.
fn page(explanation: &Explanation, paint: Paint) -> String {
    let mut lines = Lines { text: String::new(), paint };
    let head = format!("{} in turn {}", person(&explanation.agent), turn(explanation.turn));
    lines.text.push_str(&paint.ink(Ink::Bold, &head));
    lines.text.push_str(&format!(", generation {}", explanation.generation));
    lines.add(
        "knew",
        if explanation.percept.is_empty() { "(not kept)" } else { &explanation.percept },
    );
    for event in &explanation.events {
        happened(&mut lines, event);
    }
    let answer = match (explanation.result.as_str(), explanation.result_turn) {
        ("", _) => "nothing yet".to_owned(),
        (result, Some(at)) => format!("{result} (in turn {})", turn(Some(at))),
        (result, None) => result.to_owned(),
    };
    lines.add("answer", &answer);
    lines.text
}

/// Labelled lines below a head.
struct Lines {
    text: String,
    paint: Paint,
}

impl Lines {
    fn add(&mut self, label: &str, text: &str) {
        let label = self.paint.ink(Ink::Dim, &format!("{label:<LABEL$}"));
        self.text.push_str(&format!("\n{label} {text}"));
    }

    fn grounds(&mut self, what: &str, grounds: Option<&Grounds>) {
        let Some(grounds) = grounds else { return };
        if !grounds.file.is_empty() {
            self.add(what, &format!("{}:{}", grounds.file, grounds.line));
        }
        let looks = grounds.board.iter().map(looked);
        let more = (grounds.board_more > 0)
            .then(|| format!("… and {}", counted(grounds.board_more, "more read")));
        for (index, line) in looks.chain(more).enumerate() {
            self.add(if index == 0 { "read" } else { "" }, &line);
        }
    }
}

fn happened(lines: &mut Lines, event: &MatchEvent) {
    match &event.kind {
        Some(Kind::Decided(decided)) => {
            let action = lines.paint.ink(Ink::Green, &decided.action);
            let spent = micros(decided.spent);
            lines.add("decided", &format!("{action} ({}, {spent} µs)", decided.role));
            reasoned(lines, &decided.reason, decided.reason_data.as_ref());
            lines.grounds("made in", decided.grounds.as_ref());
        }
        Some(Kind::Fallback(fallback)) => {
            let reason = lines.paint.ink(Ink::Red, &fallback.reason);
            let spent = micros(fallback.spent);
            lines.add("fell back", &format!("{reason} ({}, {spent} µs)", fallback.role));
            reasoned(lines, &fallback.explained, None);
            lines.grounds("failed in", fallback.grounds.as_ref());
        }
        Some(Kind::ScriptLog(log)) => lines.add("logged", &format!("{}: {}", log.level, log.text)),
        Some(_) | None => lines.add("then", &events::describe(event, lines.paint)),
    }
}

/// A reason, with the fields of its data below it; those that are empty are left out.
fn reasoned(lines: &mut Lines, reason: &str, data: Option<&prost_types::Value>) {
    match (reason, data.map(|data| values::json(Some(data)))) {
        ("", _) => {}
        (reason, None) => lines.add("reason", reason),
        (reason, Some(Value::Object(fields))) => {
            lines.add("reason", reason);
            let fields = fields.iter().map(|(name, value)| (name, rows(value)));
            let fields: Vec<_> = fields.filter(|(_, rows)| !rows.is_empty()).collect();
            let wide = fields.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, rows) in fields {
                for (index, text) in rows.iter().enumerate() {
                    let name = if index == 0 { name } else { "" };
                    lines.add("", &format!("{name:<wide$}  {text}"));
                }
            }
        }
        (reason, Some(data)) => lines.add("reason", format!("{reason} {}", brief(&data)).trim()),
    }
}

/// A value in lines: one for each table of a list, none for what is empty.
fn rows(value: &Value) -> Vec<String> {
    let tables = value.as_array().filter(|items| items.iter().all(Value::is_object));
    let rows = tables.map_or_else(|| vec![brief(value)], |items| items.iter().map(brief).collect());
    rows.into_iter().filter(|row| !row.is_empty()).collect()
}

/// A value in one line, without quotes and with numbers as long as people need them.
fn brief(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or_else(|| number.to_string(), rounded)
        }
        Value::String(text) => text.replace(['\n', '\r'], " "),
        Value::Array(items) => items.iter().map(brief).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name, brief(value)));
            let fields = fields.filter(|(_, value)| !value.is_empty());
            fields.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A number with two places after the point, four where it is smaller than one.
fn rounded(num: f64) -> String {
    let text = match num.abs() {
        size if size >= 1.0 || size == 0.0 => format!("{num:.2}"),
        size if size >= 0.001 => format!("{num:.4}"),
        _ => return format!("{num:.2e}"),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn looked(look: &BoardLook) -> String {
    let BoardLook { key, got, cut, .. } = look;
    let value = values::json(got.as_ref());
    let nothing = value.is_null();
    match look.kind() {
        BoardLookKind::Holder if nothing => format!("{key}: no agent holds it"),
        BoardLookKind::Holder => format!("{key}: {} holds it", values::text(got.as_ref())),
        BoardLookKind::Claim if value == json!(true) => format!("{key}: got the claim"),
        BoardLookKind::Claim => format!("{key}: another agent has the claim"),
        BoardLookKind::Value | BoardLookKind::Unspecified if nothing => format!("{key}: nothing"),
        BoardLookKind::Value | BoardLookKind::Unspecified if *cut => {
            format!("{key} = {}", values::text(got.as_ref()))
        }
        BoardLookKind::Value | BoardLookKind::Unspecified => format!("{key} = {value}"),
    }
}

/// The explanation as JSON, from a daemon or a recording.
fn json(explanation: &Explanation) -> Value {
    let Turn { round, step } = explanation.turn.unwrap_or_default();
    let events: Vec<_> = explanation.events.iter().map(events::json).collect();
    json!({
        "agent": person(&explanation.agent), "round": round, "step": step,
        "generation": explanation.generation, "percept": explanation.percept, "events": events,
        "result": explanation.result,
        "result_turn": explanation.result_turn.map(values::turn_json),
    })
}

/// `A/agentA1`.
fn person(agent: &str) -> String {
    short(agent).replacen("/agents/", "/", 1)
}

fn turn(turn: Option<Turn>) -> String {
    let Turn { round, step } = turn.unwrap_or_default();
    format!("{round}:{step}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{Decided, Defaulted, Fallback};
    use prost_types::Duration;

    fn explanation(kinds: Vec<Kind>) -> Explanation {
        let event = |kind| MatchEvent { kind: Some(kind), ..MatchEvent::default() };
        Explanation {
            agent: "teams/A/agents/agentA1".into(),
            turn: Some(Turn { round: 0, step: 118 }),
            generation: 3,
            percept: "at (3, 4)".into(),
            events: kinds.into_iter().map(event).collect(),
            result: "failed_path".into(),
            result_turn: Some(Turn { round: 0, step: 119 }),
        }
    }

    fn looked_at(key: &str, kind: BoardLookKind, got: &str) -> BoardLook {
        let got = Some(values::from_word(got).unwrap());
        BoardLook { key: key.into(), kind: kind.into(), got, cut: false }
    }

    #[test]
    fn a_decision_is_told_with_all_that_it_rests_on() {
        let decided = Decided {
            action: "move(n)".into(),
            role: "worker".into(),
            generation: 3,
            spent: Some(Duration { seconds: 0, nanos: 41_000 }),
            reason: "north is free".into(),
            reason_data: values::from_word("3").ok(),
            grounds: Some(Grounds {
                file: "worker.luau".into(),
                line: 7,
                board: vec![
                    looked_at("goal", BoardLookKind::Value, r#"{"x":3}"#),
                    looked_at("home", BoardLookKind::Value, "null"),
                    looked_at("dig", BoardLookKind::Holder, "agentA2"),
                    looked_at("dig", BoardLookKind::Claim, "false"),
                ],
                board_more: 2,
                ..Grounds::default()
            }),
        };
        let page = page(&explanation(vec![Kind::Decided(decided)]), Paint::none());
        let expected = "\
A/agentA1 in turn 0:118, generation 3
knew      at (3, 4)
decided   move(n) (worker, 41 µs)
reason    north is free 3
made in   worker.luau:7
read      goal = {\"x\":3}
          home: nothing
          dig: agentA2 holds it
          dig: another agent has the claim
          … and 2 more reads
answer    failed_path (in turn 0:119)";
        assert_eq!(page, expected);
    }

    #[test]
    fn numbers_of_a_reason_are_as_long_as_people_need_them() {
        let numbers = [0.0, -0.0, 12.0, 53.638_482, -1e6, 0.25, 0.001_234, -0.000_012_3];
        let shown = numbers.map(rounded);
        assert_eq!(shown, ["0", "0", "12", "53.64", "-1000000", "0.25", "0.0012", "-1.23e-5"]);
    }

    #[test]
    fn each_field_of_a_reason_has_its_line() {
        let data = r#"{"value":53.638482,"line":"2 up","nothing_is_here":"","others":[
            {"action":"move","args":["down"],"value":38.8234},
            {"action":"bomb","args":[],"value":-7}]}"#;
        let decided = Decided {
            action: "wait()".into(),
            role: "hunter".into(),
            reason: "search".into(),
            reason_data: values::from_word(data).ok(),
            ..Decided::default()
        };
        let page = page(&explanation(vec![Kind::Decided(decided)]), Paint::none());
        let expected = "\
reason    search
          line    2 up
          others  action move, args down, value 38.82
                  action bomb, value -7
          value   53.64";
        let shown: Vec<&str> = page.lines().skip(3).take(5).collect();
        assert_eq!(shown, expected.lines().collect::<Vec<_>>());
    }

    #[test]
    fn what_went_wrong_is_told_in_order() {
        let fallback = Fallback {
            reason: "worker.luau:9: no".into(),
            role: "worker".into(),
            explained: "trying".into(),
            grounds: Some(Grounds { file: "worker.luau".into(), line: 9, ..Grounds::default() }),
            ..Fallback::default()
        };
        let kinds = vec![Kind::Fallback(fallback), Kind::Defaulted(Defaulted { cause: 1 })];
        let mut explanation = explanation(kinds);
        (explanation.result, explanation.result_turn) = (String::new(), None);
        explanation.percept.clear();
        let page = page(&explanation, Paint::none());
        let expected = "\
A/agentA1 in turn 0:118, generation 3
knew      (not kept)
fell back worker.luau:9: no (worker, 0 µs)
reason    trying
failed in worker.luau:9
then      defaulted: cause=nobody decided
answer    nothing yet";
        assert_eq!(page, expected);
        assert_eq!(json(&explanation)["events"][0]["details"]["place"], "worker.luau:9");
    }
}
