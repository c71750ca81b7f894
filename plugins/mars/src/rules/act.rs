//! What an agent wants to do, as the referee takes it from the wire (spec, sections 5 and 8).

use super::words::MarsVerb;

/// An action as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What the game makes of it; `None` for what it does not know.
    pub verb: Option<MarsVerb>,
    /// How a percept names it: as sent, save that `recharge` is always written so.
    pub said: String,
    /// The parameter, as sent.
    pub param: String,
}

impl Act {
    /// An action of that name, in any case of letters.
    #[must_use]
    pub fn new(said: &str, param: &str) -> Self {
        let verb = MarsVerb::parse(said);
        let said = match verb {
            Some(MarsVerb::Recharge) => MarsVerb::Recharge.word(),
            Some(_) => said,
            None => "unknownAction",
        };
        Self { verb, said: said.to_owned(), param: param.to_owned() }
    }

    /// No answer came in time.
    #[must_use]
    pub fn nothing() -> Self {
        Self { verb: None, said: "noAction".to_owned(), param: String::new() }
    }

    /// What the first percept tells of a step that never was.
    #[must_use]
    pub fn before_the_first() -> Self {
        Self { verb: Some(MarsVerb::Skip), said: "skip".to_owned(), param: "null".to_owned() }
    }

    /// Whether it is that verb.
    #[must_use]
    pub fn is(&self, verb: MarsVerb) -> bool {
        self.verb == Some(verb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_told_back() {
        assert_eq!(Act::new("gOtO", "vertex1").said, "gOtO");
        assert!(Act::new("gOtO", "vertex1").is(MarsVerb::Goto));
        assert_eq!(Act::new("RECHARGE", "x").said, "recharge");
        for unknown in ["", "dance", "noAction", "randomFail", "skip "] {
            let act = Act::new(unknown, "x");
            assert_eq!(
                (act.verb, act.said.as_str(), act.param.as_str()),
                (None, "unknownAction", "x")
            );
        }
    }
}
