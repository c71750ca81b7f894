//! Everything that can be checked without playing: settings, strategies.

use crate::cli::{CheckArgs, EXIT_USAGE};
use crate::{plans, wire};
use phalanx_lua::{Bundle, Diagnostic, Limits, LoadError, Severity};
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
    let findings = load(&args.config, &[]);
    findings.print();
    match findings.playable() {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(EXIT_USAGE),
    }
}

/// Reads settings and strategies and checks all of them.
#[must_use]
pub fn load(config: &Path, overrides: &[String]) -> Findings {
    let environment: Environment = std::env::vars_os().collect();
    let sources =
        Sources { file: config, environment: &environment, overrides, games: wire::GAMES };
    let settings = phalanx_settings::load(&sources);
    let (mut bundles, mut strategies) = (Vec::new(), Vec::new());
    for team in settings.iter().flat_map(|settings| &settings.teams) {
        let (bundle, found) = strategy(team);
        bundles.push(bundle);
        strategies.push((team.name.clone(), found));
    }
    Findings { settings, bundles, strategies }
}

fn strategy(team: &TeamSettings) -> (Option<Arc<Bundle>>, Vec<Diagnostic>) {
    let bundle = match plans::bundle(team) {
        Ok(bundle) => Arc::new(bundle),
        Err(LoadError { diagnostics }) => return (None, diagnostics),
    };
    let roles: Vec<_> = team.agents.iter().map(|agent| agent.role.clone()).collect();
    let found = wire::api(&team.game)
        .map(|api| phalanx_lua::check_bundle(api, bundle.clone(), &roles, Limits::default()))
        .unwrap_or_default();
    (Some(bundle), found)
}

impl Findings {
    /// The settings, when nothing stands against playing with them.
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
                line(
                    &mut mistakes,
                    &format!("team {team}: {:?}", miette::Report::new(one.clone())),
                );
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
