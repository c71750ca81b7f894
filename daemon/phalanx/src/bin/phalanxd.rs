//! The daemon. Its life is in `phalanxd::daemon`.

use std::process::ExitCode;

fn main() -> ExitCode {
    phalanxd::daemon::main()
}
