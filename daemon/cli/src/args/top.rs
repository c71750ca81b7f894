//! The command line of `top`.

use super::Remote;
use clap::Args;

/// `phalanx top`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx top              the daemon of this machine, or of the context in use
  phalanx top B            begin with team B; t switches to the next one
  phalanx top --control https://host:7420 --ca ca.pem --token-file operator.token
                           a daemon elsewhere; with a viewer's token you can watch but not steer
  ssh -t host phalanx top  over SSH; -t gives it a terminal there

Panes, from the top: the teams, with the number of decisions, fallbacks and late answers; alerts,
and the time left before the deadline when answers were sent in the last minute; the agents with the
outcome of their last turns, in red where no script decided; the map as the team believes it;
events.

Keys:
  up down, j k        choose an agent; scroll in map and events, with PgUp PgDn Home End further
  Tab, 1 2 3          switch to agents, map, events; z or Enter maximises one of them
  t T                 the next team, the previous one
  p                   pause the agent, or hand it back to its script
  r                   change the agent's role
  R                   roll the strategy back to the previous generation; asks first
  left right, h l     move the map; f follows the agent again; m next layer, w next part
  e                   show events, problems, script log, or everything with each decision
  o /                 show only this agent's events; filter events by text
  ? q                 help; quit (also ctrl-c)

Letters of turns: ▪ decided, o ordered, - held by an operator, F fallback, D no answer in time, L
too late. The last line shows what the daemon refused. If the daemon goes away, the first line says
so and the view waits for it; events that you missed follow, as far as the daemon still has them. A
terminal of 80 columns and 24 rows shows everything, one of 36 and 8 shows one pane at a time.")]
pub struct TopArgs {
    /// The team to show first [default: the first one].
    pub team: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
}
