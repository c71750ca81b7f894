//! The verbs around the daemon itself.

mod reload;

use super::{Shown, look, run};
use crate::args::daemon::DaemonVerb;
use crate::args::{Look, Remote};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_proto::v1;
use phalanx_proto::v1::daemon_client::DaemonClient;
use reload::reload;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// `phalanx daemon …`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn daemon(verb: DaemonVerb) -> Result<()> {
    match verb {
        DaemonVerb::Show(look) => show(&look),
        DaemonVerb::Reload { dry_run, remote } => reload(dry_run, &remote),
        DaemonVerb::LogLevel { filter, life, reset, remote } => match (filter, reset) {
            (None, false) => log_level(&remote),
            (filter, _) => set_log_level(filter.unwrap_or_default(), life, &remote),
        },
    }
}

fn show(args: &Look) -> Result<()> {
    look(args, async |channel| {
        let answer = DaemonClient::new(channel).get_daemon(v1::GetDaemonRequest {}).await;
        let daemon = answer.map_err(|status| refused(&status))?.into_inner().daemon;
        let daemon = daemon.context("the daemon's answer is empty")?;
        Ok(Shown { json: as_json(&daemon), text: as_text(&daemon) })
    })
}

fn log_level(remote: &Remote) -> Result<()> {
    run(remote, async |channel| {
        let answer = DaemonClient::new(channel).get_log_filter(v1::GetLogFilterRequest {}).await;
        let log = answer.map_err(|status| refused(&status))?.into_inner().log_filter;
        tell(remote, &log.unwrap_or_default())
    })
}

fn set_log_level(filter: String, life: Option<Duration>, remote: &Remote) -> Result<()> {
    run(remote, async |channel| {
        let life = life.map(prost_types::Duration::try_from).transpose();
        let life = life.map_err(|_| misused("--for: too long"))?;
        let request = v1::SetLogFilterRequest { filter, life };
        let answer = DaemonClient::new(channel).set_log_filter(request).await;
        let log = answer.map_err(|status| refused(&status))?.into_inner().log_filter;
        tell(remote, &log.unwrap_or_default())
    })
}

fn tell(remote: &Remote, log: &v1::LogFilter) -> Result<()> {
    remote.print.tell(&filter_json(log), || filter_text(log))
}

fn filter_text(log: &v1::LogFilter) -> String {
    match &log.expire_time {
        Some(at) => format!("{} until {}, then {}", log.filter, time(at), log.configured),
        None if log.filter == log.configured => log.filter.clone(),
        None => format!("{}; the filter of the settings is {}", log.filter, log.configured),
    }
}

fn filter_json(log: &v1::LogFilter) -> Value {
    json!({
        "filter": log.filter,
        "configured": log.configured,
        "expires": log.expire_time.as_ref().map(time),
    })
}

fn as_json(daemon: &v1::DaemonInfo) -> Value {
    let settings: serde_json::Map<_, _> = daemon
        .settings
        .iter()
        .map(|setting| (setting.key.clone(), setting.value.clone().into()))
        .collect();
    json!({
        "version": daemon.version,
        "build": daemon.build,
        "instance": daemon.instance,
        "started": daemon.start_time.as_ref().map(time),
        "uptime_s": uptime(daemon).as_secs(),
        "process": daemon.process_id,
        "resident_bytes": daemon.resident_bytes,
        "listeners": daemon.listeners,
        "settings": settings,
        "log": filter_json(&daemon.log_filter.clone().unwrap_or_default()),
    })
}

fn as_text(daemon: &v1::DaemonInfo) -> String {
    let mut text = format!(
        "phalanxd {} ({}), instance {}, process {}\n",
        daemon.version, daemon.build, daemon.instance, daemon.process_id
    );
    let started = daemon.start_time.as_ref().map(time).unwrap_or_default();
    let uptime = humantime::format_duration(Duration::from_secs(uptime(daemon).as_secs()));
    let mebibytes = daemon.resident_bytes >> 20;
    text.push_str(&format!("started {started}, up {uptime}, {mebibytes} MiB in memory\n"));
    text.push_str(&format!("listens at {}\n", daemon.listeners.join(" and ")));
    let log = daemon.log_filter.clone().unwrap_or_default();
    text.push_str(&format!("logs {}\n", filter_text(&log)));
    let width = daemon.settings.iter().map(|setting| setting.key.chars().count()).max();
    for setting in &daemon.settings {
        let (key, value, width) = (&setting.key, &setting.value, width.unwrap_or_default());
        text.push_str(&format!("  {key:width$}  {value}\n"));
    }
    text
}

fn uptime(daemon: &v1::DaemonInfo) -> Duration {
    daemon.uptime.and_then(|uptime| uptime.try_into().ok()).unwrap_or_default()
}

fn time(at: &prost_types::Timestamp) -> String {
    let since = Duration::from_secs(u64::try_from(at.seconds).unwrap_or_default());
    let at = SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH);
    humantime::format_rfc3339_seconds(at).to_string()
}
