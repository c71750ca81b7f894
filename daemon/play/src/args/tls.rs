//! The command line of `phalanx tls`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `phalanx tls`.
#[derive(Debug, Subcommand)]
pub enum TlsVerb {
    /// Make a certificate authority, and a certificate for a daemon that callers reach over the
    /// network.
    Create(CreateArgs),
}

/// `phalanx tls create`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx tls create room.example 10.0.0.5           a folder tls with ca.pem, server.pem and keys
  phalanx tls create room.example --renew            another server certificate, the same authority
  phalanx tls create room.example --out tls --days 30

Give ca.pem to callers (--ca, `phalanx context add`); keep ca.key and server.key to yourself. The
certificate is also valid for localhost, 127.0.0.1 and ::1.")]
pub struct CreateArgs {
    /// Host names and IP addresses under which callers reach the daemon.
    #[arg(required = true, value_name = "HOST")]
    pub hosts: Vec<String>,
    /// The folder to make; existing files are never replaced without --renew.
    #[arg(long, value_name = "DIR", default_value = "tls")]
    pub out: PathBuf,
    /// How long the server certificate is valid, in days. The authority is valid for ten years.
    #[arg(long, value_name = "N", default_value_t = 397,
          value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub days: u16,
    /// Replace the server certificate in the folder by another one of the same authority; callers
    /// need no other ca.pem.
    #[arg(long)]
    pub renew: bool,
}
