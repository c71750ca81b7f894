//! Frames out of a client's bytes, on the referee's side: each ends with a NUL.

/// What came up to a NUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientFrame {
    /// A frame, without its NUL.
    Whole(Vec<u8>),
    /// One that was longer than allowed; its bytes are gone.
    TooLong,
}

/// One connection's unfinished frame.
#[derive(Clone, Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    discarding: bool,
}

impl FrameReader {
    /// Returns the frames that these bytes complete. A frame of more than `limit` bytes is discarded
    /// up to its NUL.
    pub fn feed(&mut self, bytes: &[u8], limit: usize) -> Vec<ClientFrame> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (head, tail) = rest.split_at(end);
            self.keep(head, limit);
            frames.push(self.take());
            rest = tail.get(1..).unwrap_or_default();
        }
        self.keep(rest, limit);
        frames
    }

    /// What a client that disconnected left without a NUL.
    pub fn rest(&mut self) -> Option<ClientFrame> {
        (self.discarding || !self.buffer.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> ClientFrame {
        let buffer = std::mem::take(&mut self.buffer);
        let too_long = std::mem::take(&mut self.discarding);
        if too_long { ClientFrame::TooLong } else { ClientFrame::Whole(buffer) }
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

    fn frames(chunks: &[&[u8]], limit: usize) -> (Vec<ClientFrame>, Option<ClientFrame>) {
        let mut reader = FrameReader::default();
        let mut all = Vec::new();
        for chunk in chunks {
            all.extend(reader.feed(chunk, limit));
        }
        (all, reader.rest())
    }

    #[test]
    fn any_cut_gives_the_same_frames_and_long_ones_are_dropped() {
        let stream = b"ab\0\0cde\0toolongframe\0f\0rest";
        let whole = |text: &[u8]| ClientFrame::Whole(text.to_vec());
        let expected =
            vec![whole(b"ab"), whole(b""), whole(b"cde"), ClientFrame::TooLong, whole(b"f")];
        for cut in 0..stream.len() {
            let (head, tail) = stream.split_at(cut);
            let (all, rest) = frames(&[head, tail], 5);
            assert_eq!((all, rest), (expected.clone(), Some(whole(b"rest"))), "cut at {cut}");
        }
        assert_eq!(frames(&[b"a\0"], 5).1, None);
    }
}
