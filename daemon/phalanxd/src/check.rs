//! Checks settings and strategies without playing.

use crate::{access, plans};
use phalanx_games::GAMES;
use phalanx_lua::{Bundle, Diagnostic, LoadError, Severity};
use phalanx_settings::{Environment, Settings, SettingsErrors, Sources, TeamSettings};
use phalanx_trial::{Candidate, TrialResult};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// What a check found.
#[derive(Debug)]
pub struct Findings {
    settings: Result<Settings, SettingsErrors>,
    /// The strategy of each team, in order; `None` where it cannot be read.
    pub bundles: Vec<Option<Arc<Bundle>>>,
    strategies: Vec<(String, Vec<Diagnostic>)>,
    /// The mistakes of games that are installed, but cannot be played.
    games: Vec<String>,
    /// Why the certificates of the control API cannot be used.
    certificates: Option<String>,
}

/// Reads settings and strategies; [`Findings::try_all`] then tries the strategies.
#[must_use]
pub fn load(config: &Path, overrides: &[String]) -> Findings {
    let environment: Environment = std::env::vars_os().collect();
    let unnamed = Sources { file: config, environment: &environment, overrides, games: &[] };
    let shelf = phalanx_settings::games(&unnamed).path;
    let missing = shelf.as_deref().filter(|shelf| !shelf.is_dir());
    let missing =
        missing.map(|shelf| format!("games.path: there is no folder {}", shelf.display()));
    phalanx_games::search(shelf);
    let games = phalanx_games::keys();
    let sources = Sources { file: config, environment: &environment, overrides, games: &games };
    let settings = phalanx_settings::load(&sources);
    let (mut bundles, mut strategies) = (Vec::new(), Vec::new());
    let teams = settings
        .iter()
        .flat_map(|settings| settings.teams.iter().map(move |team| (settings, team)));
    for (settings, team) in teams {
        match plans::bundle(team, settings) {
            Ok(bundle) => bundles.push(Some(Arc::new(bundle))),
            Err(LoadError { diagnostics }) => {
                bundles.push(None);
                strategies.push((team.name.clone(), diagnostics));
            }
        }
    }
    let games = missing.into_iter().chain(phalanx_games::broken()).collect();
    Findings { settings, bundles, strategies, games, certificates: None }
}

fn tried(team: &TeamSettings, settings: &Settings, bundle: &Arc<Bundle>) -> Vec<Diagnostic> {
    let roles = team.agents.iter().map(|agent| agent.role.clone()).collect();
    let limits = plans::script_limits(&settings.limits);
    let candidate = plans::candidate(&team.game, Arc::new(team.roster()), roles, limits);
    // The settings refuse unknown games.
    candidate.map(|candidate| held(bundle, &candidate).diagnostics).unwrap_or_default()
}

/// Tries a strategy; if it fails but would pass for another game, that is the only finding.
#[must_use]
pub fn held(bundle: &Arc<Bundle>, candidate: &Candidate) -> TrialResult {
    let result = phalanx_trial::run(bundle, candidate);
    if result.passed() {
        return result;
    }
    match other_game(bundle, candidate, &result) {
        Some(finding) => TrialResult { diagnostics: vec![finding], ..result },
        None => result,
    }
}

/// The finding that a strategy is for another game, if it uses what this game does not have and
/// passes the trial for the other one.
pub(crate) fn other_game(
    bundle: &Arc<Bundle>,
    candidate: &Candidate,
    result: &TrialResult,
) -> Option<Diagnostic> {
    let is_foreign = |message: &str| {
        ["act has no ", "world has no "].iter().any(|start| message.starts_with(start))
    };
    if !result.diagnostics.iter().any(|finding| is_foreign(&finding.message)) {
        return None;
    }
    let passes = |game: &&&'static str| {
        let api = phalanx_games::api(game)?;
        let other = Candidate { game, api, view: None, ..candidate.clone() };
        Some(phalanx_trial::run(bundle, &other).passed())
    };
    let others = GAMES.iter().filter(|game| **game != candidate.game);
    let other = others.into_iter().find(|game| passes(game) == Some(true))?;
    let message = format!("this strategy is for {other}, not for {}", candidate.game);
    let help = format!("name its game with --game {other}; in settings, game = \"{other}\"");
    Some(Diagnostic::error("strategy", message).with_help(help))
}

impl Findings {
    /// Tries every strategy that was read, and the certificates.
    pub fn try_all(&mut self) {
        self.try_where(|_| true);
        if let Ok(settings) = &self.settings {
            let found = access::certificates(&settings.control);
            self.certificates = found.err().map(|error| format!("{error:#}"));
        }
    }

    /// Tries the strategies of the teams that `wanted` selects.
    pub fn try_where(&mut self, wanted: impl Fn(&TeamSettings) -> bool) {
        let Ok(settings) = &self.settings else { return };
        for (team, bundle) in settings.teams.iter().zip(&self.bundles) {
            if let Some(bundle) = bundle.as_ref().filter(|_| wanted(team)) {
                self.strategies.push((team.name.clone(), tried(team, settings, bundle)));
            }
        }
    }

    /// The settings, whatever the strategies are like.
    ///
    /// # Errors
    /// All mistakes of the settings.
    pub fn settings(&self) -> Result<&Settings, &SettingsErrors> {
        self.settings.as_ref()
    }

    /// The findings about a team's strategy.
    pub fn of_team(&self, team: &str) -> impl Iterator<Item = &Diagnostic> {
        let of = move |(name, _): &&(String, Vec<Diagnostic>)| name == team;
        self.strategies.iter().filter(of).flat_map(|(_, found)| found)
    }

    /// Adds the findings of a trial of a team's strategy.
    pub fn add(&mut self, team: &str, found: Vec<Diagnostic>) {
        self.strategies.push((team.to_owned(), found));
    }

    /// The settings, if no error was found.
    #[must_use]
    pub fn playable(&self) -> Option<&Settings> {
        let fine = |found: &Diagnostic| found.severity != Severity::Error;
        let all = self.strategies.iter().all(|(_, found)| found.iter().all(fine));
        self.settings.as_ref().ok().filter(|_| all && self.certificates.is_none())
    }

    /// Prints every finding, then the teams that would play; mistakes go to standard error.
    pub fn print(&self) {
        let mut mistakes = String::new();
        if let Err(errors) = &self.settings {
            line(&mut mistakes, &errors.to_string());
        }
        for game in &self.games {
            line(&mut mistakes, game);
        }
        if let Some(error) = &self.certificates {
            line(&mut mistakes, error);
        }
        for (team, found) in &self.strategies {
            for one in found {
                line(&mut mistakes, &format!("team {team}: {}", excerpt(one)));
            }
        }
        // An error only means that standard error is closed.
        std::io::stderr().write_all(mistakes.as_bytes()).unwrap_or_default();
        let Some(settings) = self.playable() else { return };
        let mut out = String::new();
        for (team, bundle) in settings.teams.iter().zip(&self.bundles) {
            let hash = bundle.as_ref().map_or("", |bundle| bundle.hash());
            line(
                &mut out,
                &format!(
                    "team {}: {} agents play {} at {}, strategy {} ({})",
                    team.name,
                    team.agents.len(),
                    team.game,
                    team.server,
                    team.strategy.display(),
                    hash.get(..12).unwrap_or_default(),
                ),
            );
        }
        line(&mut out, "all is well");
        std::io::stdout().write_all(out.as_bytes()).unwrap_or_default();
    }

    /// Logs the warnings of a check without errors.
    pub fn warn(&self) {
        for (team, found) in &self.strategies {
            for one in found {
                tracing::warn!(team, "strategy: {one}");
            }
        }
    }
}

/// A finding with its excerpt, in colour if the output supports it.
#[must_use]
pub fn excerpt(finding: &Diagnostic) -> String {
    format!("{:?}", miette::Report::new(finding.clone()))
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    writeln!(out, "{text}").unwrap_or_default();
}
