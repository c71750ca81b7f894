//! Actions as they are asked for, and their result codes.

/// What an agent asked for in a step, as it said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What it means.
    pub verb: ActionKind,
    /// The name that it gave; percepts and replays repeat it.
    pub name: String,
    /// The parameters that it gave; percepts and replays repeat them.
    pub params: Vec<String>,
}

impl Act {
    /// An action of that name.
    #[must_use]
    pub fn new(name: &str, params: Vec<String>) -> Self {
        Self { verb: ActionKind::of(name), name: name.to_owned(), params }
    }

    /// What a silent agent does.
    #[must_use]
    pub fn nothing() -> Self {
        Self::new("no_action", Vec::new())
    }

    pub(crate) fn param(&self, index: usize) -> Option<&str> {
        self.params.get(index).map(String::as_str)
    }

    /// The parameter as an integer: an optional sign and digits, nothing else.
    pub(crate) fn int(&self, index: usize) -> Option<i32> {
        self.param(index)?.parse().ok()
    }

    /// The parameter as a direction.
    pub(crate) fn direction(&self) -> Option<(i32, i32)> {
        match self.param(0)? {
            "n" => Some((0, -1)),
            "s" => Some((0, 1)),
            "e" => Some((1, 0)),
            "w" => Some((-1, 0)),
            _ => None,
        }
    }
}

/// The actions (spec, section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// `skip` and `no_action`.
    Skip,
    /// `move(dir)`.
    Move,
    /// `attach(dir)`.
    Attach,
    /// `detach(dir)`.
    Detach,
    /// `rotate(cw|ccw)`.
    Rotate,
    /// `connect(agent, x, y)`.
    Connect,
    /// `disconnect(x1, y1, x2, y2)`.
    Disconnect,
    /// `request(dir)`.
    Request,
    /// `submit(task)`.
    Submit,
    /// `clear(x, y)`.
    Clear,
    /// `accept(task)`.
    Accept,
    /// Any other name.
    Unknown,
}

impl ActionKind {
    /// The action of that name; names are case sensitive.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "skip" | "no_action" => Self::Skip,
            "move" => Self::Move,
            "attach" => Self::Attach,
            "detach" => Self::Detach,
            "rotate" => Self::Rotate,
            "connect" => Self::Connect,
            "disconnect" => Self::Disconnect,
            "request" => Self::Request,
            "submit" => Self::Submit,
            "clear" => Self::Clear,
            "accept" => Self::Accept,
            _ => Self::Unknown,
        }
    }
}

/// Result codes (spec, section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCode {
    /// It worked.
    Success,
    /// See the action.
    Failed,
    /// Bad luck.
    FailedRandom,
    /// Missing or unusable parameter.
    FailedParameter,
    /// The way is blocked.
    FailedPath,
    /// The partner does not play along.
    FailedPartner,
    /// Wrong target.
    FailedTarget,
    /// The dispenser's cell is taken.
    FailedBlocked,
    /// Disabled.
    FailedStatus,
    /// Too little energy.
    FailedResources,
    /// No task board near.
    FailedLocation,
    /// No such action.
    UnknownAction,
}

impl ResultCode {
    /// As on the wire.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::FailedRandom => "failed_random",
            Self::FailedParameter => "failed_parameter",
            Self::FailedPath => "failed_path",
            Self::FailedPartner => "failed_partner",
            Self::FailedTarget => "failed_target",
            Self::FailedBlocked => "failed_blocked",
            Self::FailedStatus => "failed_status",
            Self::FailedResources => "failed_resources",
            Self::FailedLocation => "failed_location",
            Self::UnknownAction => "unknown_action",
        }
    }
}
