//! Facts about the daemon's own process: version, memory, and its settings without secrets.

use crate::logs::LogControl;
use crate::reload::Reloader;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::{About, Host, LogFilter, LogFilterError, Reloaded};
use phalanx_settings::{
    ControlSettings, LogFormat, RecordingMode, RecordingSettings, Settings, TeamSettings,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

#[derive(Debug)]
pub struct Process {
    log: LogControl,
    instance: String,
    started: SystemTime,
    settings: Settings,
    /// Reads the settings again; set once the teams exist.
    reloader: OnceLock<Arc<Reloader>>,
}

impl Process {
    /// The process that was just started with these settings, from this file.
    #[must_use]
    pub fn new(config: &Path, settings: &Settings, log: LogControl) -> Self {
        let instance = config.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (started, settings) = (SystemTime::now(), settings.clone());
        Self { log, instance, started, settings, reloader: OnceLock::new() }
    }

    /// Enables reloads of the settings.
    pub fn reloads_with(&self, reloader: Arc<Reloader>) {
        // It is set only once.
        drop(self.reloader.set(reloader));
    }
}

impl Host for Process {
    fn about(&self) -> About {
        let kind = if cfg!(debug_assertions) { "debug" } else { "release" };
        About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: format!("{kind}, {}, {}", std::env::consts::ARCH, std::env::consts::OS),
            instance: self.instance.clone(),
            started: self.started,
            settings: self
                .reloader
                .get()
                .map_or_else(|| summary(&self.settings), |reloader| summary(&reloader.settings())),
            resident_bytes: phalanx_metrics::resident_bytes(),
        }
    }

    fn log_filter(&self) -> LogFilter {
        self.log.current()
    }

    fn set_log_filter(
        &self,
        filter: &str,
        life: Option<Duration>,
    ) -> Result<LogFilter, LogFilterError> {
        self.log.set(filter, life)
    }

    fn reload(&self, by: String, validate_only: bool) -> Option<BoxFuture<'static, Reloaded>> {
        let reloader = Arc::clone(self.reloader.get()?);
        Some(async move { reloader.reload(&by, validate_only).await }.boxed())
    }
}

/// The settings in the order of their keys. Only keys that are named here are included, so that a
/// new key with a secret stays out by default.
fn summary(settings: &Settings) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut tell = |key: &str, value: String| all.push((key.to_owned(), value));
    tell("state_dir", path(settings.state_dir.as_ref()));
    let ControlSettings { socket, tcp, loopback_role, tls, origins, metrics_open, page, .. } =
        &settings.control;
    tell("control.socket", path(socket.as_ref()));
    tell("control.tcp", tcp.map_or_else(|| "off".to_owned(), |address| address.to_string()));
    tell("control.loopback_role", loopback_role.clone());
    tell("control.origins", origins.join(", "));
    tell("control.metrics_open", if *metrics_open { "on" } else { "off" }.to_owned());
    tell("control.page", if *page { "on" } else { "off" }.to_owned());
    tell("control.tls.certificate", path(tls.as_ref().map(|tls| &tls.certificate)));
    tell("reload.watch", if settings.reload.watch { "on" } else { "off" }.to_owned());
    let RecordingSettings { mode, folder, .. } = &settings.recordings;
    let mode = match mode {
        RecordingMode::File => "file",
        RecordingMode::Flight => "flight",
        RecordingMode::Off => "off",
    };
    tell("recordings.mode", mode.to_owned());
    tell("recordings.folder", path(folder.as_ref()));
    let listen = settings.foxglove.listen;
    tell("foxglove.listen", listen.map_or_else(|| "off".to_owned(), |address| address.to_string()));
    tell("log.filter", settings.log.filter.clone());
    let format = match settings.log.format {
        LogFormat::Auto => "auto",
        LogFormat::Pretty => "pretty",
        LogFormat::Json => "json",
        LogFormat::Journald => "journald",
    };
    tell("log.format", format.to_owned());
    for TeamSettings { name, game, server, strategy, agents, .. } in &settings.teams {
        tell(&format!("teams.{name}.game"), game.clone());
        tell(&format!("teams.{name}.server"), server.clone());
        tell(&format!("teams.{name}.strategy"), strategy.display().to_string());
        tell(&format!("teams.{name}.agents"), agents.len().to_string());
    }
    all
}

fn path(path: Option<&PathBuf>) -> String {
    path.map_or_else(|| "none".to_owned(), |path| path.display().to_string())
}
