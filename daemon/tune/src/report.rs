//! What a run found: as a table, as JSON, as a page in Markdown.

use crate::influence::{Influence, influences};
use crate::plan::{Objective, TunePlan};
use crate::progress::{Fate, FinalTest, TuneProgress, TuneVerdict};
use crate::scores::{CandidateScores, PairedLead};
use crate::space::{DimensionKind, shown};
use phalanx_league::{ParamValues, cell, rounded};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Quantile of the normal distribution for 95 % on both sides.
const TWO_SIDED: f64 = 1.96;

/// A table of texts, which both forms of the report draw.
struct Rows {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                let longest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
                longest.max(self.head.get(column).map_or(0, |head| head.chars().count()))
            })
            .collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let head: Vec<String> = self.head.iter().map(|head| head.to_uppercase()).collect();
        let mut text = line(&mut head.iter().map(String::as_str));
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        text
    }

    fn markdown(&self) -> String {
        let row = |cells: &mut dyn Iterator<Item = &str>| {
            format!("| {} |\n", cells.map(cell).collect::<Vec<_>>().join(" | "))
        };
        let mut text = row(&mut self.head.iter().copied());
        text.push_str(&format!("|{}\n", "---|".repeat(self.head.len())));
        for cells in &self.rows {
            text.push_str(&row(&mut cells.iter().map(String::as_str)));
        }
        text
    }
}

/// The report for terminals, many lines.
#[must_use]
pub fn table(plan: &TunePlan, progress: &TuneProgress) -> String {
    let mut out = format!("{}\n", summary(plan, progress));
    if !progress.improvements.is_empty() {
        out.push_str(&format!("\n{}", improvements(plan, progress).text()));
    }
    out.push_str(&format!("\n{}", parameters(plan, progress).text()));
    out.push_str(&format!("\n{}\n", verdict_text(plan, progress)));
    out
}

/// A page in Markdown.
#[must_use]
pub fn markdown(plan: &TunePlan, progress: &TuneProgress) -> String {
    let mut out = format!("# Tune run {}: {}\n\n", plan.id(), cell(&plan.strategy.name));
    let mut add = |text: String| out.push_str(&text);
    add(format!("{}.\n\n", summary(plan, progress)));
    add(format!("**Result:** {}.\n\n", verdict_text(plan, progress)));
    add("## Best so far\n\n".to_owned());
    if progress.improvements.is_empty() {
        add("No candidate was better than the values at the start.\n\n".to_owned());
    } else {
        add(format!("{}\n", improvements(plan, progress).markdown()));
    }
    add(format!(
        "The lead is that over the values at the start on the seeds of the search, in {}. The best \
         of many candidates looks better than it is: what counts is the final test on fresh \
         seeds.\n\n",
        unit(plan)
    ));
    add("## Parameters\n\n".to_owned());
    add(format!("{}\n", parameters(plan, progress).markdown()));
    add("The influence is the rank correlation between a parameter and the lead of the candidates, \
         from 0 to 1, with its interval of 95 % confidence. An interval that includes 0 means that \
         the run cannot tell whether the parameter matters.\n\n"
        .to_owned());
    add("## How it was played\n\n".to_owned());
    for line in conditions(plan) {
        add(format!("- {}\n", cell(&line)));
    }
    out
}

/// Everything for programs. As in leagues, an `error` is that of 95 of 100 cases.
#[must_use]
pub fn json(plan: &TunePlan, progress: &TuneProgress) -> Value {
    let improvements = progress.improvements.iter().map(|one| {
        let values = progress.candidates.get(one.candidate).map(|candidate| &candidate.values);
        json!({
            "matches": one.played, "candidate": one.candidate, "lead": rounded(one.lead.value),
            "error": rounded(TWO_SIDED * one.lead.error), "seeds": one.lead.seeds, "values": values,
        })
    });
    let influences = influences(plan, progress);
    let influence = |one: &Influence| {
        json!({
            "name": one.parameter, "better": one.better, "correlation": rounded(one.correlation),
            "interval": one.interval.map(|(low, high)| [rounded(low), rounded(high)]),
            "certain": one.is_certain(),
        })
    };
    json!({
        "run": plan.id(), "game": plan.game, "setup": plan.setup, "strategy": plan.strategy.name,
        "opponents": plan.opponents.iter().map(|one| &one.player.name).collect::<Vec<_>>(),
        "objective": plan.objective.word(), "budget": plan.budget, "played": progress.played,
        "failed": progress.failed, "candidates": progress.candidates.len(),
        "over": progress.verdict.is_some(), "verdict": progress.verdict.map(verdict_word),
        "start": plan.start, "best": progress.best_values(),
        "improvements": improvements.collect::<Vec<_>>(),
        "parameters": influences.iter().map(influence).collect::<Vec<_>>(),
        "test": progress.test.as_ref().map(|test| test_json(plan, test)),
    })
}

fn test_json(plan: &TunePlan, test: &FinalTest) -> Value {
    let (state, (share, error)) = (test.sprt.state(), test.share());
    json!({
        "seeds": test.shares.len(), "share": rounded(share), "error": rounded(TWO_SIDED * error),
        "llr": rounded(state.llr), "lower": rounded(state.lower), "upper": rounded(state.upper),
        "tuned": rounded(test.tuned.strength(plan, &test.start)),
        "start": rounded(test.start.strength(plan, &test.start)),
        "tuned_score_mean": rounded(test.tuned.score_mean()),
        "start_score_mean": rounded(test.start.score_mean()),
    })
}

/// How far it got, one line.
fn summary(plan: &TunePlan, progress: &TuneProgress) -> String {
    let TuneProgress { played, failed, candidates, .. } = progress;
    let finished = candidates.iter().filter(|one| one.fate == Fate::Finished).count();
    let broken = candidates.iter().filter(|one| one.fate == Fate::Failed).count();
    let mut text = format!(
        "run {} of {} ({}): {played} of {} matches, {} candidates of which {finished} played all \
         seeds",
        plan.id(),
        plan.strategy.name,
        plan.game,
        plan.budget,
        candidates.len(),
    );
    if *failed > 0 {
        write!(text, ", {failed} matches failed and are not counted").unwrap_or_default();
    }
    if broken > 0 {
        write!(text, ", {broken} candidates could not play").unwrap_or_default();
    }
    text
}

fn improvements(plan: &TunePlan, progress: &TuneProgress) -> Rows {
    let row = |one: &crate::Improvement| {
        let values = progress.candidates.get(one.candidate).map(|candidate| &candidate.values);
        vec![
            one.played.to_string(),
            one.candidate.to_string(),
            lead_text(plan, &one.lead),
            values.map(values_text).unwrap_or_default(),
        ]
    };
    let head = vec!["matches", "candidate", "lead ± 95 %", "values"];
    Rows { head, rows: progress.improvements.iter().map(row).collect() }
}

fn parameters(plan: &TunePlan, progress: &TuneProgress) -> Rows {
    let best = progress.best_values();
    let value = |values: Option<&ParamValues>, name: &str| {
        values.and_then(|values| values.get(name)).map(shown).unwrap_or_default()
    };
    let row = |(influence, dimension): (Influence, &crate::Dimension)| {
        let name = &dimension.name;
        let interval = influence.interval.map_or_else(
            || "too few candidates".to_owned(),
            |(low, high)| format!("{low:.2} to {high:.2}"),
        );
        vec![
            name.clone(),
            value(Some(&plan.start), name),
            value(best, name),
            range(&dimension.kind),
            format!("{:.2}", influence.correlation),
            interval,
            if influence.is_certain() { influence.better } else { "unclear".to_owned() },
        ]
    };
    let head = vec!["parameter", "start", "best", "range", "influence", "95 %", "better"];
    let rows = influences(plan, progress).into_iter().zip(&plan.dimensions).map(row).collect();
    Rows { head, rows }
}

/// The values that a parameter may have.
#[must_use]
pub fn range(kind: &DimensionKind) -> String {
    match kind {
        DimensionKind::Bool => "true or false".to_owned(),
        DimensionKind::Choice(words) => words.join(", "),
        DimensionKind::Num { min, max, step, log } => {
            let step = step.map(|step| format!(" by {step}")).unwrap_or_default();
            let log = if *log { ", by ratios" } else { "" };
            format!("{min} to {max}{step}{log}")
        }
    }
}

/// What was decided, one sentence without its end.
#[must_use]
pub fn verdict_text(plan: &TunePlan, progress: &TuneProgress) -> String {
    let test = progress.test.as_ref().map(|test| format!(" ({})", test_text(plan, test)));
    let test = test.unwrap_or_default();
    match progress.verdict {
        None if progress.test.is_some() => format!("the final test is not over{test}"),
        None => "the search is not over".to_owned(),
        Some(TuneVerdict::NothingFound) => {
            "no improvement: no candidate was better than the values at the start".to_owned()
        }
        Some(TuneVerdict::Better) => format!("better, proved on fresh seeds{test}"),
        Some(TuneVerdict::NotBetter) => {
            format!("no improvement: the best candidate is not better on fresh seeds{test}")
        }
        Some(TuneVerdict::Undecided) => format!(
            "no proof: the budget or the seeds ended before the final test was decided{test}; try a \
             larger --budget"
        ),
    }
}

fn test_text(plan: &TunePlan, test: &FinalTest) -> String {
    let (state, (share, error)) = (test.sprt.state(), test.share());
    format!(
        "on {} seeds {} against {} with the values at the start; better in {:.1} ± {:.1} % of the \
         comparisons; LLR {:.2}, bounds {:.2} to {:.2}",
        test.shares.len(),
        strength_text(plan, test, &test.tuned),
        strength_text(plan, test, &test.start),
        share * 100.0,
        TWO_SIDED * error * 100.0,
        state.llr,
        state.lower,
        state.upper,
    )
}

/// What a side of the final test achieved, in the unit of the objective.
#[must_use]
pub fn strength_text(plan: &TunePlan, test: &FinalTest, scores: &CandidateScores) -> String {
    let value = scores.strength(plan, &test.start);
    match plan.objective {
        Objective::Win => format!("{:.1} %", value * 100.0),
        Objective::Score => format!("{value:.2}"),
        Objective::Rating => format!("{value:+.0}"),
    }
}

fn verdict_word(verdict: TuneVerdict) -> &'static str {
    match verdict {
        TuneVerdict::NothingFound => "nothing_found",
        TuneVerdict::Better => "better",
        TuneVerdict::NotBetter => "not_better",
        TuneVerdict::Undecided => "undecided",
    }
}

/// How a run is played, one line each.
#[must_use]
pub fn conditions(plan: &TunePlan) -> Vec<String> {
    let seeds = |seeds: phalanx_league::Seeds| {
        let last = seeds.first.saturating_add(u64::from(seeds.count).saturating_sub(1));
        format!("{}..{last}", seeds.first)
    };
    let opponents: Vec<_> = plan
        .opponents
        .iter()
        .map(|one| format!("{} (weight {})", one.player.name, one.weight))
        .collect();
    let sprt = plan.sprt;
    let mut lines = vec![
        format!("Game: {}", plan.game),
        format!("Objective: {}", plan.objective.word()),
        format!(
            "Seeds of the search: {}; random numbers of the search: {}",
            seeds(plan.seeds),
            plan.seed
        ),
        format!(
            "Final test: seeds from {}, SPRT of {} against {} Elo points, error probabilities {} \
             and {}",
            plan.test.first, sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta
        ),
    ];
    if !opponents.is_empty() {
        let sides = if plan.swap { "on both sides" } else { "on the first side" };
        lines.push(format!("Opponents, {sides}: {}", opponents.join(", ")));
    }
    lines.extend(plan.setup.iter().map(|(key, value)| format!("{key}: {value}")));
    lines
}

/// The unit of a lead.
#[must_use]
pub fn unit(plan: &TunePlan) -> &'static str {
    match plan.objective {
        Objective::Win => "per cent of the points",
        Objective::Score => "points of the referee per match",
        Objective::Rating => "Elo points",
    }
}

/// A lead in its unit, and how far the true one may be from it in 95 of 100 cases, if that is known.
#[must_use]
pub fn lead_with_error(plan: &TunePlan, lead: &PairedLead) -> (f64, Option<f64>) {
    let scale = if plan.objective == Objective::Win { 100.0 } else { 1.0 };
    let error = TWO_SIDED * lead.error * scale;
    (lead.value * scale, Some(error).filter(|error| error.is_finite()))
}

fn lead_text(plan: &TunePlan, lead: &PairedLead) -> String {
    match lead_with_error(plan, lead) {
        (lead, Some(error)) => format!("{lead:+.2} ± {error:.2}"),
        (lead, None) => format!("{lead:+.2}"),
    }
}

/// Values of parameters, one line.
fn values_text(values: &ParamValues) -> String {
    let pairs: Vec<_> =
        values.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
    pairs.join(", ")
}
