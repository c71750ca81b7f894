//! Opens the page in the user's browser.

use phalanx_cli::remote::say;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The desktop's own opener, by system.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens an address. A failure is only reported: the address is on the terminal.
pub(super) fn open(address: String) {
    // Some openers run until the browser is closed.
    tokio::task::spawn_blocking(move || {
        let mut opener = Command::new(OPENER);
        opener.arg(&address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A ctrl-c for the demo is not one for the browser.
        opener.process_group(0);
        let trouble = match opener.status() {
            Ok(status) if status.success() => return,
            Ok(status) => format!("{OPENER}: {status}"),
            Err(error) => format!("{OPENER}: {error}"),
        };
        say(&format!("cannot open a browser ({trouble}): open {address} yourself"));
    });
}
