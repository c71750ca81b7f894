//! What a session must hear again when another process takes over its connection.

use std::time::Instant;

/// Something that the referee said, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeFrame {
    /// When it came.
    pub at: Instant,
    /// Its bytes, framed.
    pub bytes: Vec<u8>,
}

/// The messages of one connection that still count, for protocols that end each with a NUL: the
/// accepted login, the start of the running round, the last request.
#[derive(Debug, Default)]
pub struct ResumeFrames {
    login: Option<ResumeFrame>,
    start: Option<ResumeFrame>,
    request: Option<ResumeFrame>,
}

impl ResumeFrames {
    /// Another connection, or none: nothing counts any more.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The login was accepted by this message.
    pub fn login(&mut self, frame: &[u8], at: Instant) {
        keep(&mut self.login, frame, at);
    }

    /// Records the message that began or repeated a round.
    pub fn start(&mut self, frame: &[u8], at: Instant) {
        keep(&mut self.start, frame, at);
    }

    /// The round is over.
    pub fn end(&mut self) {
        (self.start, self.request) = (None, None);
    }

    /// The agent was asked by this message.
    pub fn request(&mut self, frame: &[u8], at: Instant) {
        keep(&mut self.request, frame, at);
    }

    /// What a fresh session must hear: of the last request only when it `is_open`, and at the end
    /// the `partial` message that has come so far. `None` without a login.
    #[must_use]
    pub fn tell(&self, is_open: bool, partial: &[u8]) -> Option<Vec<ResumeFrame>> {
        let login = self.login.as_ref()?;
        let request = self.request.as_ref().filter(|_| is_open);
        let mut all: Vec<ResumeFrame> = vec![login.clone()];
        all.extend(self.start.clone().into_iter().chain(request.cloned()));
        // When a message is complete counts, not when it began.
        let at = all.iter().map(|heard| heard.at).max().unwrap_or(login.at);
        if !partial.is_empty() {
            all.push(ResumeFrame { at, bytes: partial.to_vec() });
        }
        Some(all)
    }
}

fn keep(place: &mut Option<ResumeFrame>, frame: &[u8], at: Instant) {
    // The space of the last one is used again: requests come every turn.
    let mut bytes = place.take().map(|heard| heard.bytes).unwrap_or_default();
    bytes.clear();
    bytes.reserve(frame.len() + 1);
    bytes.extend_from_slice(frame);
    bytes.push(0);
    *place = Some(ResumeFrame { at, bytes });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resumed(retelling: &ResumeFrames, is_open: bool, partial: &[u8]) -> Option<String> {
        let all = retelling.tell(is_open, partial)?;
        let bytes: Vec<u8> = all.into_iter().flat_map(|heard| heard.bytes).collect();
        Some(String::from_utf8(bytes).unwrap().replace('\0', "|"))
    }

    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn now() -> Instant {
        Instant::now()
    }

    #[test]
    fn only_what_still_counts_is_told_again_and_nothing_before_the_login() {
        let (mut retelling, now) = (ResumeFrames::default(), now());
        retelling.start(b"start 1", now);
        assert_eq!(resumed(&retelling, false, b"hal"), None);
        retelling.login(b"ok", now);
        assert_eq!(resumed(&retelling, false, b"").unwrap(), "ok|start 1|");
        retelling.request(b"request 1", now);
        retelling.request(b"ask 2", now);
        assert_eq!(resumed(&retelling, true, b"").unwrap(), "ok|start 1|ask 2|");
        assert_eq!(resumed(&retelling, false, b"hal").unwrap(), "ok|start 1|hal");
        retelling.end();
        assert_eq!(resumed(&retelling, true, b"").unwrap(), "ok|");
        retelling.clear();
        assert_eq!(resumed(&retelling, true, b""), None);
    }
}
