//! Frames out of a client's bytes: each ends with a NUL (spec, sections 2 and 5).

/// What came up to a NUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A frame, without its NUL.
    Whole(Vec<u8>),
    /// One that was longer than allowed; its bytes are gone.
    TooLong,
}

/// One connection's unfinished frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Framing {
    buffer: Vec<u8>,
    discarding: bool,
}

impl Framing {
    /// Adds bytes up to and with the first NUL. Returns the frame that it ends and the bytes not
    /// yet looked at.
    pub(super) fn feed<'b>(&mut self, bytes: &'b [u8], limit: usize) -> (Option<Frame>, &'b [u8]) {
        let Some(end) = bytes.iter().position(|byte| *byte == 0) else {
            self.keep(bytes, limit);
            return (None, &[]);
        };
        let (head, tail) = bytes.split_at(end);
        self.keep(head, limit);
        let rest = tail.split_first().map_or(&[][..], |(_, after)| after);
        (Some(self.take()), rest)
    }

    /// What a client that is gone left without a NUL.
    pub(super) fn rest(&mut self) -> Option<Frame> {
        (self.discarding || !self.buffer.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> Frame {
        let buffer = std::mem::take(&mut self.buffer);
        if std::mem::take(&mut self.discarding) { Frame::TooLong } else { Frame::Whole(buffer) }
    }

    fn keep(&mut self, bytes: &[u8], limit: usize) {
        if self.discarding || self.buffer.len().saturating_add(bytes.len()) > limit {
            self.discarding = true;
            self.buffer = Vec::new();
        } else {
            self.buffer.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(chunks: &[&[u8]], limit: usize) -> (Vec<Frame>, Option<Frame>) {
        let mut framing = Framing::default();
        let mut all = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (frame, after) = framing.feed(rest, limit);
                all.extend(frame);
                rest = after;
            }
        }
        (all, framing.rest())
    }

    #[test]
    fn any_cut_gives_the_same_frames() {
        let stream = b"ab\0\0cde\0toolong\0f\0rest";
        let whole = |text: &[u8]| Frame::Whole(text.to_vec());
        let expected = vec![whole(b"ab"), whole(b""), whole(b"cde"), Frame::TooLong, whole(b"f")];
        for cut in 0..stream.len() {
            let (head, tail) = stream.split_at(cut);
            let (all, rest) = frames(&[head, tail], 5);
            assert_eq!((all, rest), (expected.clone(), Some(whole(b"rest"))), "cut at {cut}");
        }
        assert_eq!(frames(&[b"a\0"], 5).1, None);
    }
}
