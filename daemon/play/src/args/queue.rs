//! The command lines of matches on many machines.

use clap::Args;
use phalanx_cli::args::duration;
use phalanx_cli::failure::misused;
use phalanx_queue::QueueAddress;
use std::path::PathBuf;
use std::time::Duration;

/// How to reach the server of a queue.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "NATS")]
pub struct NatsArgs {
    /// User at the NATS server.
    #[arg(long, value_name = "NAME", env = "PHALANX_NATS_USER")]
    pub nats_user: Option<String>,
    /// File with that user's password.
    #[arg(long, value_name = "FILE", env = "PHALANX_NATS_PASSWORD_FILE")]
    pub nats_password_file: Option<PathBuf>,
    /// Certificate authority of the NATS server's certificate, in PEM; connect with TLS only
    /// [default: the system's authorities].
    #[arg(long, value_name = "FILE", env = "PHALANX_NATS_CA")]
    pub nats_ca: Option<PathBuf>,
    /// Client certificate for the NATS server, in PEM.
    #[arg(long, value_name = "FILE", env = "PHALANX_NATS_CERTIFICATE")]
    pub nats_certificate: Option<PathBuf>,
    /// The key of that certificate, in PEM.
    #[arg(long, value_name = "FILE", env = "PHALANX_NATS_KEY")]
    pub nats_key: Option<PathBuf>,
}

impl NatsArgs {
    /// The server at this address, with the credentials.
    ///
    /// # Errors
    /// When half of the credentials is missing.
    pub fn address(&self, url: &str) -> anyhow::Result<QueueAddress> {
        let user = both(
            (&self.nats_user, &self.nats_password_file),
            "--nats-user and --nats-password-file",
        )?;
        let certificate =
            both((&self.nats_certificate, &self.nats_key), "--nats-certificate and --nats-key")?;
        Ok(QueueAddress { url: url.to_owned(), user, ca: self.nats_ca.clone(), certificate })
    }
}

/// Both of two options, or neither.
fn both<A: Clone, B: Clone>(
    options: (&Option<A>, &Option<B>),
    names: &str,
) -> anyhow::Result<Option<(A, B)>> {
    match options {
        (Some(one), Some(other)) => Ok(Some((one.clone(), other.clone()))),
        (None, None) => Ok(None),
        (_, _) => Err(misused(format!("{names} belong together"))),
    }
}

/// Where the matches of a league or a tune run are played.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "NATS")]
pub struct QueueArgs {
    /// Put the matches on a queue of this NATS server, for `phalanx worker` on other machines; the
    /// results are the same bytes. For example nats://host:4222, or tls://host:4222.
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    #[command(flatten)]
    pub server: NatsArgs,
}

/// `phalanx worker`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx worker --nats nats://lab1:4222 --threads 8
  phalanx league run --nats nats://lab1:4222 --strategy mine --strategy shipped --seeds 1..2000

A worker needs no strategies and no settings: it fetches what plays from the server. Each match runs
in a process of its own with limits for time and memory, and scripts cannot open files. Stop it at
any time: other workers play what it had.")]
pub struct WorkerArgs {
    /// The NATS server, for example nats://host:4222, or tls://host:4222.
    #[arg(long, value_name = "URL", env = "PHALANX_NATS")]
    pub nats: String,
    /// Matches that run at once [default: the number of cores less one].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub limits: LimitArgs,
    // Last: what follows would be under its heading.
    #[command(flatten)]
    pub server: NatsArgs,
}

/// Limits of each match, for strategies of other people.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Longest time of a match, at least 1s; one that takes longer has failed.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = match_time)]
    pub match_time: Duration,
    /// Most memory of a match, in MiB; one that needs more ends. A worker's match that ended so
    /// twice is set aside.
    #[arg(long, value_name = "MIB", default_value_t = 1_024,
        value_parser = clap::value_parser!(u64).range(16..=1_048_576))]
    pub match_memory: u64,
}

/// Shortest limit: below it, a busy machine fails every match.
const MATCH_TIME_MIN: Duration = Duration::from_secs(1);

fn match_time(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    if time < MATCH_TIME_MIN {
        return Err(format!("expected at least {}", humantime::format_duration(MATCH_TIME_MIN)));
    }
    Ok(time)
}

/// The process of one match at a time, for `phalanx worker`.
#[derive(Args, Clone, Copy, Debug)]
pub struct PlayerArgs {
    /// Most memory, in MiB.
    #[arg(long, value_name = "MIB")]
    pub memory: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_at_least_a_second() {
        for short in ["0s", "1ms", "999ms"] {
            assert_eq!(match_time(short), Err("expected at least 1s".to_owned()), "{short}");
        }
        assert_eq!(match_time("1s"), Ok(Duration::from_secs(1)));
    }
}
