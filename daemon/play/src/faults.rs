//! Plans of faults on the command line: `--faults`.

use anyhow::{Context, Result};
use phalanx_chaos::{FAULT_PLANS, FaultPlan};
use phalanx_cli::failure::misused;

/// Reads a plan: a file, or one that comes with the program by its name. Says which of its faults
/// are left out.
pub(crate) fn plan(given: &str, game: &str) -> Result<FaultPlan> {
    let text = text(given)?;
    let plan = FaultPlan::read(&text, given, game).map_err(misused)?;
    let mut kinds: Vec<_> = plan.left_out().map(|fault| fault.kind.word()).collect();
    kinds.dedup();
    if !kinds.is_empty() {
        let kinds = kinds.join(", ");
        crate::say(&format!(
            "{given}: only faults of the network happen here, not {kinds}; `phalanx chaos play` \
             knows all kinds"
        ));
    }
    Ok(plan)
}

/// The text of a plan.
pub(crate) fn text(given: &str) -> Result<String> {
    if let Some((_, text)) = FAULT_PLANS.iter().find(|(name, _)| *name == given) {
        return Ok((*text).to_owned());
    }
    std::fs::read_to_string(given).with_context(|| {
        let names: Vec<_> = FAULT_PLANS.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        format!("cannot read the plan {given} (plans that come with the program: {names})")
    })
}
