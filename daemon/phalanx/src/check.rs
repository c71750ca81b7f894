//! Everything that can be checked without playing: settings, strategies.

use crate::cli::{CheckArgs, EXIT_USAGE};
use crate::strategy::excerpt;
use crate::{plans, wire};
use phalanx_lua::{Bundle, Diagnostic, LoadError, Severity};
use phalanx_settings::{Environment, Settings, SettingsErrors, Sources, TeamSettings};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// What a check found.
#[derive(Debug)]
pub struct Findings {
    settings: Result<Settings, SettingsErrors>,
    /// The strategy of each team, in order; `None` where it cannot be read.
    pub bundles: Vec<Option<Arc<Bundle>>>,
    strategies: Vec<(String, Vec<Diagnostic>)>,
}

/// `phalanx check`.
#[must_use]
pub fn run(args: &CheckArgs) -> ExitCode {
    let mut findings = load(&args.config, &[]);
    findings.try_all();
    findings.print();
    match findings.playable() {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(EXIT_USAGE),
    }
}

/// Reads settings and strategies; the strategies are still to be tried.
#[must_use]
pub fn load(config: &Path, overrides: &[String]) -> Findings {
    let environment: Environment = std::env::vars_os().collect();
    let games = wire::keys();
    let sources = Sources { file: config, environment: &environment, overrides, games: &games };
    let settings = phalanx_settings::load(&sources);
    let (mut bundles, mut strategies) = (Vec::new(), Vec::new());
    for team in settings.iter().flat_map(|settings| &settings.teams) {
        match plans::bundle(team) {
            Ok(bundle) => bundles.push(Some(Arc::new(bundle))),
            Err(LoadError { diagnostics }) => {
                bundles.push(None);
                strategies.push((team.name.clone(), diagnostics));
            }
        }
    }
    Findings { settings, bundles, strategies }
}

fn tried(team: &TeamSettings, settings: &Settings, bundle: &Arc<Bundle>) -> Vec<Diagnostic> {
    let roles = team.agents.iter().map(|agent| agent.role.clone()).collect();
    let limits = plans::script_limits(&settings.limits);
    let candidate = plans::candidate(&team.game, Arc::new(team.roster()), roles, limits);
    // The settings have refused unknown games.
    candidate
        .map(|candidate| phalanx_trial::run(bundle, &candidate).diagnostics)
        .unwrap_or_default()
}

impl Findings {
    /// Holds the trial of every strategy that was read.
    pub fn try_all(&mut self) {
        self.try_where(|_| true);
    }

    /// The same for the teams that are wanted.
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

    /// What was found about a team's strategy.
    pub fn of_team(&self, team: &str) -> impl Iterator<Item = &Diagnostic> {
        let of = move |(name, _): &&(String, Vec<Diagnostic>)| name == team;
        self.strategies.iter().filter(of).flat_map(|(_, found)| found)
    }

    /// Adds what a trial of a team's strategy found.
    pub fn add(&mut self, team: &str, found: Vec<Diagnostic>) {
        self.strategies.push((team.to_owned(), found));
    }

    /// The settings, when nothing that was found stands against playing with them.
    #[must_use]
    pub fn playable(&self) -> Option<&Settings> {
        let fine = |found: &Diagnostic| found.severity != Severity::Error;
        let all = self.strategies.iter().all(|(_, found)| found.iter().all(fine));
        self.settings.as_ref().ok().filter(|_| all)
    }

    /// Prints every finding, then what would play; mistakes to standard error.
    pub fn print(&self) {
        let mut mistakes = String::new();
        if let Err(errors) = &self.settings {
            line(&mut mistakes, &errors.to_string());
        }
        for (team, found) in &self.strategies {
            for one in found {
                line(&mut mistakes, &format!("team {team}: {}", excerpt(one)));
            }
        }
        // A closed standard error only means that nobody reads it.
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

    /// Logs the warnings of a check that found no error.
    pub fn warn(&self) {
        for (team, found) in &self.strategies {
            for one in found {
                tracing::warn!(team, "strategy: {one}");
            }
        }
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    writeln!(out, "{text}").unwrap_or_default();
}
