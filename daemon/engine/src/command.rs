//! Everything that can be asked of a running team: one [`Command`], the same value from the caller
//! to the recording.
//!
//! A new command is a struct with a row in the call of `commands!` below; the compiler names the
//! other place: what the team does with it ([`Team`](crate::Team)).

use crate::{
    BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, BrainError, BrainErrorKind,
    Carry, Drawing, Enrolled, Fault, Keep, ParamError, Profile, Ran, Scope, Staged, Steer,
    Steering, StrategyOrigin, TeamOptions, View,
};
use phalanx_game::{AgentId, OrderError, Value, did_you_mean};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// Identifies the answer to a command; the caller chooses it.
pub type Ticket = u64;

/// The ticket of a command that repeats an operator's change for a team that was made anew.
pub const REPEATED_TICKET: Ticket = Ticket::MAX;

/// The result of a command.
pub type Answer = Result<CommandReply, CommandError>;

/// A command on its way to the team.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRequest {
    /// Identifies the answer.
    pub ticket: Ticket,
    /// The caller, for the journal; empty where the command changes nothing.
    pub by: String,
    /// What the team is to do.
    pub command: Command,
}

impl CommandRequest {
    /// A request of this caller.
    pub fn new(ticket: Ticket, by: impl Into<String>, command: impl Into<Command>) -> Self {
        Self { ticket, by: by.into(), command: command.into() }
    }
}

/// One kind of command, with the type of its reply.
pub trait TeamCommand: Into<Command> {
    /// What the team returns if it does not refuse.
    type Reply;

    /// The reply as one of those to all commands.
    fn reply(reply: Self::Reply) -> CommandReply;

    /// The answer to this command. An answer to another one counts as lost.
    ///
    /// # Errors
    /// Why the team refused.
    fn answer(answer: Answer) -> Result<Self::Reply, CommandError>;
}

/// When the team handles a command. It never does while its agents decide, except for
/// [`Arrival`](Self::Arrival).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandMoment {
    /// At once. What takes time happens later, and is answered then.
    Arrival,
    /// Between turns and while percepts arrive: it runs no script and copies nothing.
    Border,
    /// The same, but only one such command a turn: it copies data.
    Copy,
    /// The same, if the turn has enough time left to draw the world.
    Drawing,
    /// The same, if the turn has enough time left to run a script.
    Script,
}

/// Changes an agent's role from the next turn on. Returns the role before.
#[derive(Clone, Debug, PartialEq)]
pub struct SetRole {
    /// Whose role.
    pub agent: AgentId,
    /// The new role; the active generation must have it.
    pub role: String,
    /// What happens to the agent's memory if the new role declares another version of it.
    pub carry: Carry,
}

/// Pauses an agent, pins an order to it, pilots it, or hands it back to its script. Returns how the
/// agent is steered from then on.
#[derive(Clone, Debug, PartialEq)]
pub struct SteerAgent {
    /// Which agent.
    pub agent: AgentId,
    /// What it is to do.
    pub steer: Steer,
}

/// Adds an agent, or readmits one that was removed. Its seat has to be opened then.
#[derive(Clone, Debug, PartialEq)]
pub struct AddAgent {
    /// Its name, 1 to [`AGENT_NAME_CHARS_MAX`](crate::AGENT_NAME_CHARS_MAX) characters without
    /// slashes and control characters.
    pub name: String,
    /// Its role; the active generation must have it.
    pub role: String,
}

/// Removes an agent. Its seat has to be closed then.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveAgent {
    /// Which agent.
    pub agent: AgentId,
}

/// Takes the team away from its referee. Answered when the last seat has hung up and the team has
/// cleared what it is not to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveReferee {
    /// The address where it goes, for the journal; `None`: it is stopped.
    pub to: Option<String>,
    /// What the team keeps.
    pub keep: Keep,
}

/// The seats of a stopped team dial again.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnToReferee {
    /// The address, for the journal.
    pub to: String,
}

/// Activates another generation at the next moment at which loading it costs no turn its time.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallStrategy {
    /// The generation.
    pub staged: Staged,
    /// It is not on probation, and never taken back.
    pub pinned: bool,
}

/// Writes to the journal that a strategy did not pass its trial. Not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct RefuseStrategy {
    /// Where the strategy came from.
    pub origin: StrategyOrigin,
    /// All findings of the trial.
    pub faults: Vec<Fault>,
}

/// Sets a parameter from the next turn on, or resets it with `None`. Returns the value before in
/// that scope.
#[derive(Clone, Debug, PartialEq)]
pub struct SetParam {
    /// Which parameter.
    pub name: String,
    /// For which agents.
    pub scope: Scope,
    /// The value.
    pub value: Option<Value>,
}

/// Changes the team's time limits and alert limits from the next turn on. The seed stays.
#[derive(Clone, Debug, PartialEq)]
pub struct RetuneTeam {
    /// The new options.
    pub options: TeamOptions,
}

/// Copies everything that scripts can see.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyView;

/// Draws the world.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawWorld;

/// Runs a piece of script in the live VM.
#[derive(Clone, Debug, PartialEq)]
pub struct RunScript {
    /// The agent as which it runs.
    pub agent: AgentId,
    /// An expression or statements.
    pub code: String,
}

/// Measures the scripts. Answered after that many turns, or when the match is over.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileScripts {
    /// How many turns.
    pub turns: u32,
}

macro_rules! commands {
    (
        messages { $($command:ident => $reply:ty, $moment:ident, urgent = $urgent:literal;)* }
        plain { $($plain:ident => $answer:ty, $when:ident, urgent = $hurry:literal;)* }
    ) => {
        /// Everything that can be asked of a team.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Command {
            $(#[doc = concat!("See [`", stringify!($command), "`].")] $command($command),)*
            /// One that is plain data.
            Plain(PlainCommand),
        }

        /// A command that is plain data: recordings have all of these in one form, with the names
        /// of the command and its fields. So a name stays once it is released, and a new field of
        /// an old command needs `#[serde(default)]`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum PlainCommand {
            $(#[doc = concat!("See [`", stringify!($plain), "`].")] $plain($plain),)*
        }

        /// The reply to each command.
        #[derive(Clone, Debug)]
        pub enum CommandReply {
            $(#[doc = concat!("To [`", stringify!($command), "`].")] $command($reply),)*
            $(#[doc = concat!("To [`", stringify!($plain), "`].")] $plain($answer),)*
        }

        impl Command {
            /// When the team handles it.
            #[must_use]
            pub fn moment(&self) -> CommandMoment {
                match self {
                    $(Self::$command(_) => CommandMoment::$moment,)*
                    Self::Plain(plain) => match *plain {
                        $(PlainCommand::$plain(_) => CommandMoment::$when,)*
                    },
                }
            }

            /// An operator waits for it, and it changes something or is needed for a change: a
            /// thread that does not respond is replaced early because of it.
            #[must_use]
            pub fn is_urgent(&self) -> bool {
                match self {
                    $(Self::$command(_) => $urgent,)*
                    Self::Plain(plain) => match *plain {
                        $(PlainCommand::$plain(_) => $hurry,)*
                    },
                }
            }
        }

        $(command!($command => $reply, it, Self::$command(it));)*
        $(command!($plain => $answer, it, Self::Plain(PlainCommand::$plain(it)));)*
    };
}

macro_rules! command {
    ($command:ident => $reply:ty, $it:ident, $wrapped:expr) => {
        impl From<$command> for Command {
            fn from($it: $command) -> Self {
                $wrapped
            }
        }

        impl TeamCommand for $command {
            type Reply = $reply;

            fn reply(reply: $reply) -> CommandReply {
                CommandReply::$command(reply)
            }

            fn answer(answer: Answer) -> Result<$reply, CommandError> {
                let answer = answer?;
                if let CommandReply::$command(reply) = answer {
                    Ok(reply)
                } else {
                    Err(CommandError::busy())
                }
            }
        }
    };
}

// Each command: its reply, when the team handles it, whether it is urgent.
commands! {
    // A recording has a message of its own for each of them.
    messages {
        SetRole => String, Script, urgent = true;
        SteerAgent => Steering, Border, urgent = true;
        AddAgent => Enrolled, Border, urgent = true;
        RemoveAgent => (), Border, urgent = true;
        LeaveReferee => (), Arrival, urgent = true;
        ReturnToReferee => (), Arrival, urgent = true;
        InstallStrategy => (), Arrival, urgent = true;
        RefuseStrategy => Infallible, Arrival, urgent = false;
        SetParam => Option<Value>, Border, urgent = true;
        RetuneTeam => (), Border, urgent = true;
        CopyView => Box<View>, Copy, urgent = true;
        DrawWorld => Box<Drawing>, Drawing, urgent = false;
        BoardRead => BoardPage, Copy, urgent = false;
        BoardWrite => Option<BoardItem>, Border, urgent = true;
        RunScript => Ran, Script, urgent = false;
        ProfileScripts => Profile, Arrival, urgent = false;
    }
    // New commands go here.
    plain {}
}

impl Command {
    /// What its caller learns if the team panicked and was made anew before it answered. What may
    /// have caused the panic is not repeated.
    #[must_use]
    pub fn lost(&self) -> CommandError {
        let panicked = |what: &str| {
            let text = format!("the team panicked and restarted before {what}");
            BrainError::without_place(BrainErrorKind::Script, text).into()
        };
        if let Self::InstallStrategy(_) = self {
            panicked("this generation was installed; the one before plays on")
        } else if let Self::RunScript(_) = self {
            panicked("it answered")
        } else {
            CommandError::busy()
        }
    }
}

/// Why a command was refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No agent of the team has this id.
    #[error("there is no agent with the id {id}")]
    NoSuchAgent {
        /// Which id.
        id: u16,
    },
    /// The active generation has no such role.
    #[error("there is no role {role:?}; there are {}{}", .known.join(", "), did_you_mean(.meant))]
    NoSuchRole {
        /// The role asked for.
        role: String,
        /// All roles, in alphabetical order.
        known: Vec<String>,
        /// The role that was probably meant.
        meant: Option<String>,
    },
    /// The new role does not take the agent's memory.
    #[error("{0}; it can begin with an empty memory instead")]
    Memory(BrainError),
    /// The order is malformed, or the world does not take it.
    #[error("{0}")]
    Order(#[from] OrderError),
    /// A number of turns is out of its range.
    #[error("expected 1 to {max} turns, got {got}")]
    Turns {
        /// What was asked for.
        got: u32,
        /// The largest.
        max: u32,
    },
    /// An order came for an agent without a pilot.
    #[error("{agent} has no pilot")]
    NotPiloted {
        /// The agent's name.
        agent: String,
    },
    /// An order came from another operator than the pilot.
    #[error("{agent} is piloted by {by}")]
    Piloted {
        /// The agent's name.
        agent: String,
        /// The pilot.
        by: String,
    },
    /// A new agent's name is malformed.
    #[error(
        "{name:?} is no name for an agent: expected 1 to 64 characters without slashes and control \
         characters"
    )]
    Name {
        /// What was asked for, without control characters and cut.
        name: String,
    },
    /// An agent of the team has this name already.
    #[error("there is an agent {name:?} already")]
    NameTaken {
        /// Which name.
        name: String,
    },
    /// The team has as many agents as it may, those that were removed included.
    #[error("a team has at most {max} agents, those that were removed included")]
    TooManyAgents {
        /// The largest number.
        max: usize,
    },
    /// The game's teams do not change during a match.
    #[error("teams of {game} do not change while they play: {reason}")]
    Fixed {
        /// The game.
        game: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The agent is the last one.
    #[error("{name} is the team's last agent: stop the team instead, or delete it")]
    LastAgent {
        /// The agent's name.
        name: String,
    },
    /// The parameter is unknown or does not take the value.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The board does not take the value.
    #[error(transparent)]
    Board(#[from] BoardWriteError),
    /// A script failed, or was not run.
    #[error(transparent)]
    Script(#[from] BrainError),
    /// The address is malformed, or does not fit the team's game.
    #[error("{0}")]
    Server(String),
    /// The team is drained.
    #[error("the team is leaving")]
    Leaving,
    /// The match is over for every seat.
    #[error("the match is over")]
    Over,
    /// Too many commands wait, the team lost this one in a restart, or a later one replaced it.
    #[error("{0}")]
    Busy(String),
    /// The team's thread does not respond and cannot be replaced.
    #[error(
        "the team's thread does not respond, and {abandoned} abandoned ones still run: it is not \
         replaced, its seats answer by themselves; restart the daemon"
    )]
    Stuck {
        /// How many threads were abandoned before.
        abandoned: u32,
    },
    /// The team has ended.
    #[error("the team has ended")]
    Ended,
}

impl CommandError {
    /// The command was not handled; the caller may try again.
    #[must_use]
    pub fn busy() -> Self {
        Self::Busy("the team is busy; try again".to_owned())
    }
}
