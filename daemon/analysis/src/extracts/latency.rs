//! `phalanx recording latency`: where the time of each turn went.

use super::{entries, game_turn, no_turn, open, warn};
use crate::args::recorded::LatencyArgs;
use crate::args::replay::TurnPlace;
use anyhow::Result;
use phalanx_cli::paint::{Ink, Paint};
use phalanx_cli::remote::{Table, counted};
use phalanx_exchange::{Distribution, Latency, TurnStage, TurnTimes};
use phalanx_proto::v1::Turn;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Columns of the longest bar.
const BAR_COLUMNS: u32 = 40;
/// Explains what the figures leave out.
const NOT_MEASURED: &str = "not measured: time in the system before bytes are read, time on the \
                            wire, and what of `referee` is its own, other teams' or the network's";

/// `phalanx recording latency`.
///
/// # Errors
/// When the file cannot be read, or does not have the turn.
pub fn latency(args: &LatencyArgs) -> Result<()> {
    let file = open(&args.file)?;
    let latency = Latency::of(entries(&file));
    warn(&args.file, latency.damage);
    let paint = Paint::stdout();
    let name = file.info().id.as_str();
    if let Some(place) = args.turn {
        let times = one(&latency, place)?;
        let shown = || waterfall(&args.file, times, paint);
        return args.print.tell(&turn_json(times), shown);
    }
    args.print.tell(&json(name, &latency, args.worst), || {
        page(&args.file, name, &latency, args.worst, paint)
    })
}

fn one(latency: &Latency, place: TurnPlace) -> Result<&TurnTimes> {
    let meant = |times: &&TurnTimes| place.is_at(game_turn(times.turn));
    latency.turns.iter().find(meant).ok_or_else(|| {
        let ends = latency.turns.first().zip(latency.turns.last());
        no_turn(ends.map(|(first, last)| (first.turn, last.turn)))
    })
}

/// The report as text.
fn page(path: &Path, name: &str, latency: &Latency, worst: usize, paint: Paint) -> String {
    let turns = counted(latency.turns.len(), "turn");
    let mut text = format!("{}: {turns}\n", paint.ink(Ink::Bold, name));
    if latency.left_out > 0 {
        text.push_str(&format!("({} more turns are not included)\n", latency.left_out));
    }
    let answers = latency.answers();
    if answers.count == 0 {
        return text + "no answer has a time of writing: the match was played on virtual time\n";
    }
    text.push_str(&stages(latency, &answers));
    text.push_str(&usual(latency, paint));
    text.push_str(&histogram(&answers, paint));
    text.push_str(&worst_turns(path, &latency.worst(worst), paint));
    text + NOT_MEASURED
}

fn stages(latency: &Latency, answers: &Distribution) -> String {
    let mut table = Table::new(&["STAGE", "P50", "P90", "P99", "MAX", "TURNS", "WHAT"]);
    let mut row = |name: &str, of: &Distribution, what: &str| {
        let [p50, p90, p99, max] = [of.p50, of.p90, of.p99, of.max].map(shown);
        table.row([name.to_owned(), p50, p90, p99, max, of.count.to_string(), what.to_owned()]);
    };
    for stage in TurnStage::ALL {
        row(stage.word(), &latency.stage(stage), stage.meaning());
    }
    row("answer", answers, "first request to last answer");
    table.shown() + "\n"
}

/// The median of each stage.
fn usual(latency: &Latency, paint: Paint) -> String {
    let medians = TurnStage::ALL.map(|stage| Some(latency.stage(stage).p50));
    format!("\n{}\n{}", paint.ink(Ink::Bold, "a typical turn (medians)"), bars(&medians, paint))
}

/// One bar per stage, each starting where the one before ends. The referee's time is printed, not
/// drawn: it is often a thousand times ours.
fn bars(spans: &[Option<Duration>; TurnStage::ALL.len()], paint: Paint) -> String {
    let ours =
        || spans.iter().zip(TurnStage::ALL).filter(|(_, stage)| *stage != TurnStage::Referee);
    let whole: Duration = ours().filter_map(|(span, _)| *span).sum();
    let mut text = String::new();
    let mut before = Duration::ZERO;
    for (span, stage) in ours() {
        let Some(span) = span else {
            text.push_str(&format!("{:<9} (not recorded)\n", stage.word()));
            continue;
        };
        let from = columns(before, whole);
        before += *span;
        let to = columns(before, whole);
        let bar = "▆".repeat(to.saturating_sub(from).max(usize::from(!span.is_zero())));
        let bar = paint.ink(if stage == TurnStage::Decided { Ink::Green } else { Ink::Cyan }, &bar);
        text.push_str(&format!("{:<9} {}{bar} {}\n", stage.word(), " ".repeat(from), shown(*span)));
    }
    let referee = spans.last().copied().flatten();
    if let Some(span) = referee {
        text.push_str(&format!("{:<9} then {}\n", TurnStage::Referee.word(), shown(span)));
    }
    text
}

/// How many columns of the longest bar a time takes.
fn columns(part: Duration, whole: Duration) -> usize {
    let columns = part.as_nanos() * u128::from(BAR_COLUMNS) / whole.as_nanos().max(1);
    usize::try_from(columns).unwrap_or_default()
}

fn histogram(answers: &Distribution, paint: Paint) -> String {
    let most = answers.ranges.iter().map(|(_, count)| *count).max().unwrap_or_default().max(1);
    let mut text = format!("\n{}\n", paint.ink(Ink::Bold, "answers"));
    for (end, count) in &answers.ranges {
        let bar = u128::from(*count) * u128::from(BAR_COLUMNS) / u128::from(most);
        let bar = usize::try_from(bar).unwrap_or_default().max(usize::from(*count > 0));
        let bar = paint.ink(Ink::Cyan, &"▆".repeat(bar));
        text.push_str(&format!("≤ {:<7} {bar} {count}\n", shown(*end)));
    }
    text
}

fn worst_turns(path: &Path, worst: &[&TurnTimes], paint: Paint) -> String {
    if worst.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint.ink(Ink::Bold, "slowest turns"));
    for times in worst {
        let answer = times.answer.map(shown).unwrap_or_default();
        let longest = TurnStage::ALL
            .into_iter()
            .filter(|stage| *stage != TurnStage::Referee)
            .max_by_key(|stage| times.span(*stage));
        let longest = longest.map_or(String::new(), |stage| {
            let span = times.span(stage).map(shown).unwrap_or_default();
            format!("most of it {} ({span})", stage.word())
        });
        text.push_str(&format!("{:<8} {answer:<8} {longest}\n", game_turn(times.turn).to_string()));
        for command in commands(path, times) {
            text.push_str(&format!("    {command}\n"));
        }
    }
    text + "\n"
}

/// Commands that show more of a turn.
fn commands(path: &Path, times: &TurnTimes) -> Vec<String> {
    let (turn, file) = (game_turn(times.turn), quoted(path));
    let mut commands = vec![
        format!("phalanx recording latency {file} --turn {turn}"),
        format!("phalanx replay {file} --at {turn}"),
    ];
    let why = times.slowest.as_ref();
    commands.extend(why.map(|(who, _)| format!("phalanx why {who}@{turn} --file {file}")));
    commands
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// One turn as text.
fn waterfall(path: &Path, times: &TurnTimes, paint: Paint) -> String {
    let Turn { round, step } = times.turn;
    let agents = counted(times.agents, "agent");
    let head = paint.ink(Ink::Bold, &format!("turn {round}:{step}"));
    let answer = times.answer.map_or("no answer".to_owned(), |span| shown(span) + " to answer");
    let mut text = format!("{head}, {agents}, {answer}\n{}", bars(&times.spans, paint));
    if let Some((who, spent)) = &times.slowest {
        text.push_str(&format!("{who} thought longest: {}\n", shown(*spent)));
    }
    let shows = commands(path, times).into_iter().skip(1);
    text + &shows.map(|command| format!("    {command}\n")).collect::<String>()
}

/// Three digits and a unit.
fn shown(span: Duration) -> String {
    let micros = span.as_secs_f64() * 1e6;
    let (number, unit) = match micros {
        micros if micros < 1_000.0 => (micros, "µs"),
        micros if micros < 1_000_000.0 => (micros / 1e3, "ms"),
        micros => (micros / 1e6, "s"),
    };
    let digits = if number == 0.0 || number >= 100.0 { 0 } else { usize::from(number < 10.0) + 1 };
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    format!("{text} {unit}")
}

/// The report as JSON; times are in microseconds.
fn json(name: &str, latency: &Latency, worst: usize) -> Value {
    let stages = TurnStage::ALL.map(|stage| {
        let mut output = distribution(&latency.stage(stage));
        if let Value::Object(fields) = &mut output {
            fields.insert("stage".into(), stage.word().into());
            fields.insert("meaning".into(), stage.meaning().into());
        }
        output
    });
    json!({
        "recording": name, "turns": latency.turns.len(), "left_out": latency.left_out,
        "damage": latency.damage, "stages": stages,
        "answer": distribution(&latency.answers()),
        "worst": latency.worst(worst).into_iter().map(turn_json).collect::<Vec<_>>(),
        "not_measured": NOT_MEASURED,
    })
}

fn distribution(of: &Distribution) -> Value {
    let ranges = of.ranges.iter().map(|(end, count)| json!({ "us_max": us(*end), "count": count }));
    json!({
        "count": of.count, "p50_us": us(of.p50), "p90_us": us(of.p90), "p99_us": us(of.p99),
        "max_us": us(of.max), "histogram": ranges.collect::<Vec<_>>(),
    })
}

fn turn_json(times: &TurnTimes) -> Value {
    let spans =
        TurnStage::ALL.map(|stage| (format!("{}_us", stage.word()), times.span(stage).map(us)));
    let spans: serde_json::Map<_, _> =
        spans.into_iter().map(|(name, span)| (name, span.into())).collect();
    let slowest = times.slowest.as_ref();
    json!({
        "round": times.turn.round, "step": times.turn.step, "nanos": times.nanos,
        "agents": times.agents, "answer_us": times.answer.map(us), "stages": spans,
        "slowest_agent": slowest.map(|(who, _)| who),
        "slowest_us": slowest.map(|(_, spent)| us(*spent)),
    })
}

/// Microseconds, with three decimals.
fn us(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(micros: [u64; 8]) -> TurnTimes {
        let spans = micros.map(|micros| Some(Duration::from_micros(micros)));
        let answer = Some(Duration::from_micros(micros.iter().take(7).sum()));
        let turn = Turn { round: 0, step: 118 };
        let slowest = Some(("agentA7".to_owned(), Duration::from_micros(300)));
        TurnTimes { turn, spans, answer, slowest, agents: 15, ..TurnTimes::default() }
    }

    #[test]
    fn a_waterfall_shows_each_stage_where_the_one_before_ends() {
        let text = waterfall(
            Path::new("a b.mcap"),
            &times([0, 100, 0, 100, 0, 200, 0, 5_000]),
            Paint::none(),
        );
        let expected = "\
turn 0:118, 15 agents, 400 µs to answer
received   0 µs
parsed    ▆▆▆▆▆▆▆▆▆▆ 100 µs
handed               0 µs
settled             ▆▆▆▆▆▆▆▆▆▆ 100 µs
planned                        0 µs
decided                       ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 200 µs
written                                            0 µs
referee   then 5 ms
agentA7 thought longest: 300 µs
    phalanx replay 'a b.mcap' --at 0:118
    phalanx why agentA7@0:118 --file 'a b.mcap'
";
        assert_eq!(text, expected);
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let all = [0, 7, 1_500, 41_000, 1_234_567, 999_999_999, 1_000_000_000, 83_000_000_000];
        let shown: Vec<_> = all.map(|nanos| shown(Duration::from_nanos(nanos))).into();
        let expected = ["0 µs", "0.01 µs", "1.5 µs", "41 µs", "1.23 ms", "1000 ms", "1 s", "83 s"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_turn_that_is_not_there_is_refused_with_those_that_are() {
        let latency = Latency { turns: vec![times([1; 8])], ..Latency::default() };
        let one = |place: &str| one(&latency, place.parse().unwrap());
        assert!(one("118").is_ok() && one("0.118").is_ok());
        let error = one("1.118").unwrap_err().to_string();
        assert_eq!(error, "the recording does not have this turn; it has 0:118 to 0:118");
    }
}
