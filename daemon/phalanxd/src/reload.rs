//! Reads the settings again while teams play: all changes take effect, or none.
//!
//! ```text
//! read ─► compare ─► may each key change? do the strategies pass? ─► step by step ─► new settings
//!            └──── a mistake, a refusal ────► nothing ◄─── undo ◄────────┘ a step that fails
//! ```
//!
//! Only what differs in the files changes: what operators changed meanwhile stays.

mod steps;

use crate::check;
use crate::directory::Directory;
use crate::logs::LogControl;
use phalanx_control::{Reloaded, SettingChange, SettingRefusal};
use phalanx_lua::Severity;
use phalanx_settings::{
    Change, SettingDifference, Settings, SettingsErrors, TeamSettings, differences, unchanged,
};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use steps::Step;
use tokio::sync::Mutex;
use tracing::{error, info, warn};

/// Where settings come from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file.
    pub config: PathBuf,
    /// `--set` on the command line.
    pub overrides: Vec<String>,
    /// False if the command line forbids watching folders.
    pub watch: bool,
}

/// Reads the settings again and applies the changes.
#[derive(Debug)]
pub struct Reloader {
    origin: Origin,
    directory: Directory,
    log: LogControl,
    settings: RwLock<Arc<Settings>>,
    /// Held during a reload, so that two cannot run at once.
    alone: Mutex<()>,
}

/// The consequences of new settings for running teams.
#[derive(Debug)]
struct Plan {
    changed: Vec<SettingDifference>,
    refused: Vec<SettingRefusal>,
    unchanged: usize,
    settings: Arc<Settings>,
}

impl Reloader {
    /// For teams that play with these settings.
    #[must_use]
    pub fn new(origin: Origin, directory: Directory, log: LogControl, settings: Settings) -> Self {
        let settings = RwLock::new(Arc::new(settings));
        Self { origin, directory, log, settings, alone: Mutex::default() }
    }

    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the settings again; `by` names the caller. With `validate_only` nothing changes. The
    /// outcome is logged.
    pub async fn reload(&self, by: &str, validate_only: bool) -> Reloaded {
        let _alone = self.alone.lock().await;
        let before = self.settings();
        let mut plan = match self.plan(&before).await {
            Ok(plan) => plan,
            Err(errors) => Plan {
                changed: Vec::new(),
                refused: mistakes(&errors),
                unchanged: 0,
                settings: Arc::clone(&before),
            },
        };
        let may = plan.refused.is_empty();
        if may && !validate_only && !plan.changed.is_empty() {
            match self.carry_out(&before, &plan.settings, by).await {
                Ok(()) => {
                    let settings = Arc::clone(&plan.settings);
                    *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
                }
                Err(refusal) => plan.refused.push(refusal),
            }
        }
        if !validate_only {
            log_plan(&plan, by);
        }
        let change =
            |SettingDifference { key, before, after, .. }| SettingChange { key, before, after };
        Reloaded {
            changed: plan.changed.into_iter().map(change).collect(),
            refused: plan.refused,
            unchanged: plan.unchanged,
        }
    }

    async fn plan(&self, before: &Arc<Settings>) -> Result<Plan, SettingsErrors> {
        let (origin, before) = (self.origin.clone(), Arc::clone(before));
        // Reading files and trying strategies blocks.
        let planned = tokio::task::spawn_blocking(move || plan(&origin, &before)).await;
        planned.unwrap_or_else(|panic| {
            let mistake = phalanx_settings::SettingsMistake {
                file: "reload".to_owned(),
                key: String::new(),
                got: panic.to_string(),
                expected: "a reload that ends; please report this".to_owned(),
            };
            Err(SettingsErrors { mistakes: vec![mistake] })
        })
    }

    /// Applies one step after the other; if one fails, the earlier ones are undone.
    async fn carry_out(
        &self,
        before: &Settings,
        after: &Settings,
        by: &str,
    ) -> Result<(), SettingRefusal> {
        let steps = steps::between(before, after, self.origin.watch);
        let mut back: Vec<Step> = Vec::new();
        for (step, undo) in steps {
            let key = step.key();
            if let Err(reason) = step.take(&self.directory, &self.log, by).await {
                for undo in back.into_iter().rev() {
                    let key = undo.key();
                    if let Err(reason) = undo.take(&self.directory, &self.log, by).await {
                        error!(key, reason, "cannot undo a step of the reload");
                    }
                }
                return Err(SettingRefusal { key, reason });
            }
            back.push(undo);
        }
        Ok(())
    }
}

/// Reads, compares, and checks for each key whether it may change now.
fn plan(origin: &Origin, before: &Settings) -> Result<Plan, SettingsErrors> {
    let mut findings = check::load(&origin.config, &origin.overrides);
    let after = findings.settings().map_err(Clone::clone)?.clone();
    let changed = differences(before, &after);
    let mut refused: Vec<_> = changed.iter().filter_map(fixed).collect();
    for team in &after.teams {
        let Some(old) = before.teams.iter().find(|old| old.name == team.name) else { continue };
        refused.extend(bridged(old, team));
    }
    if refused.is_empty() {
        findings.try_where(|team| {
            let old = before.teams.iter().find(|old| old.name == team.name);
            old.is_some_and(|old| is_other_play(old, team))
        });
        refused.extend(after.teams.iter().filter_map(|team| faulty(&findings, team)));
    }
    let unchanged = unchanged(before, &after);
    Ok(Plan { changed, refused, unchanged, settings: Arc::new(after) })
}

/// Strategy or roster differ, so the strategy needs a trial.
fn is_other_play(old: &TeamSettings, new: &TeamSettings) -> bool {
    old.strategy != new.strategy || old.roster() != new.roster()
}

/// A key that needs a restart.
fn fixed(difference: &SettingDifference) -> Option<SettingRefusal> {
    let Change::Restart(reason) = difference.change else { return None };
    let reason = format!("{reason}; restart to change it");
    Some(SettingRefusal { key: difference.key.clone(), reason })
}

/// A team that changes between a referee's address and bridges.
fn bridged(old: &TeamSettings, new: &TeamSettings) -> Option<SettingRefusal> {
    (old.is_awaited() != new.is_awaited()).then(|| SettingRefusal {
        key: format!("teams[{}].server", new.name),
        reason: "a running team cannot change to or from bridges; restart to change it".to_owned(),
    })
}

/// A team whose strategy does not pass its trial.
fn faulty(findings: &check::Findings, team: &TeamSettings) -> Option<SettingRefusal> {
    let fault = findings.of_team(&team.name).find(|one| one.severity == Severity::Error)?;
    Some(SettingRefusal {
        key: format!("teams[{}].strategy", team.name),
        reason: format!("{fault}; correct it, then reload"),
    })
}

/// The outcome of a reload for the status line; `None` if nothing changed.
#[must_use]
pub fn in_words(reloaded: &Reloaded) -> Option<String> {
    let keys: Vec<_> = reloaded.refused.iter().map(|refusal| refusal.key.as_str()).collect();
    match (keys.is_empty(), reloaded.changed.len()) {
        (false, _) => Some(format!("settings refused: {}", keys.join(", "))),
        (true, 0) => None,
        (true, changed) => Some(format!("{changed} settings changed")),
    }
}

fn mistakes(errors: &SettingsErrors) -> Vec<SettingRefusal> {
    let refusal = |mistake: &phalanx_settings::SettingsMistake| {
        let phalanx_settings::SettingsMistake { file, key, got, expected } = mistake;
        let named = if key.is_empty() { file } else { key };
        let reason = format!("{got}; expected {expected} (in {file})");
        SettingRefusal { key: named.clone(), reason }
    };
    errors.mistakes.iter().map(refusal).collect()
}

fn log_plan(plan: &Plan, by: &str) {
    if plan.refused.is_empty() {
        for change in &plan.changed {
            info!(by, "settings: {change}");
        }
        let (changed, unchanged) = (plan.changed.len(), plan.unchanged);
        info!(by, changed, unchanged, "reloaded the settings");
        return;
    }
    for SettingRefusal { key, reason } in &plan.refused {
        warn!(by, key, reason, "refused new settings");
    }
    error!(by, refused = plan.refused.len(), "the settings stay unchanged");
}
