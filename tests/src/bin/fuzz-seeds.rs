//! Writes what our sessions and referees say to each other into the fuzzers' corpus: the first
//! words of each target. Existing files of other names stay.
//!   cargo run -p phalanx-e2e --bin fuzz-seeds

use phalanx_e2e::fuzz::{conversations, first_words};
use phalanx_e2e::root;
use std::fs;
use std::io::Result;

fn main() -> Result<()> {
    for (target, bytes) in conversations().into_iter().chain(first_words()) {
        // Whose harmless action is to say nothing says nothing.
        if bytes.is_empty() {
            continue;
        }
        let folder = root().join("tests/fuzz/corpus").join(target);
        fs::create_dir_all(&folder)?;
        // Several of a target differ in their first byte.
        let name = match bytes.first() {
            Some(first) if target == "grpc" => format!("method-{first}"),
            Some(_) | None => "conversation".to_owned(),
        };
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
