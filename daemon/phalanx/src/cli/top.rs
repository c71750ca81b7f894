//! The command line of `top`.

use super::Remote;
use clap::Args;

/// `phalanx top`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx top              the daemon of this machine, or of the context in use
  phalanx top B            begins with team B; t turns to the next one
  phalanx top --control https://host:7420 --ca ca.pem --token-file operator.token
                           a daemon elsewhere; with a viewer's token you look and do not steer
  ssh -t host phalanx top  over SSH; -t gives it a terminal there

Panes, from the top: the teams, with what scripts decided, what fell back and what came late; alerts,
and how much time was left when answers had been sent in the last minute; the agents with what became
of their last turns, in red where it was not decided; the map as the team believes it; events.

Keys:
  up down, j k        an agent; in the map and the events they move, PgUp PgDn Home End further
  Tab, 1 2 3          agents, map, events; z or Enter shows one of them alone
  t T                 the next team, the previous one
  p                   pause the agent, or hand it back to its script
  r                   give it another role
  R                   roll the strategy back to the generation before, after a question
  left right, h l     move the map; f follows the agent again, or all; m another layer, w another part
  e                   events, trouble, lines of scripts, or all with every decision
  o /                 events of this agent alone; events with a text in them
  ? q                 help; leave (ctrl-c, too)

Letters of turns: ▪ decided, o ordered, - held by an operator, F fallback, D nobody answered in time,
L too late. What the daemon refuses stands in the last line. A daemon that goes stands in the first
one, and is waited for; what happened meanwhile comes after, as far as it is still kept. 80 columns
and 24 rows show everything, 36 and 8 one pane at a time.")]
pub struct TopArgs {
    /// The team to begin with [default: the first one].
    pub team: Option<String>,
    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}
