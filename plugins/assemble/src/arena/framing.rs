//! Packets out of a client's bytes: each ends with a NUL (spec, section 2).

/// One connection's unfinished packet.
#[derive(Clone, Debug, Default)]
pub(super) struct Framing {
    buffer: Vec<u8>,
    discarding: bool,
}

impl Framing {
    /// Adds bytes and calls `packet` for each packet that they finish, until it returns false. A
    /// packet longer than `limit` is discarded up to its NUL. Returns the bytes not yet looked at.
    pub(super) fn feed<'b>(
        &mut self,
        bytes: &'b [u8],
        limit: usize,
    ) -> (Option<Vec<u8>>, &'b [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(end) = rest.iter().position(|byte| *byte == 0) else {
                self.keep(rest, limit);
                return (None, &[]);
            };
            let (head, tail) = rest.split_at(end);
            self.keep(head, limit);
            rest = tail.split_first().map_or(&[][..], |(_, after)| after);
            let packet = std::mem::take(&mut self.buffer);
            if !std::mem::take(&mut self.discarding) {
                return (Some(packet), rest);
            }
        }
        (None, &[])
    }

    fn keep(&mut self, bytes: &[u8], limit: usize) {
        if self.discarding || self.buffer.len() + bytes.len() > limit {
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

    fn packets(chunks: &[&[u8]], limit: usize) -> Vec<Vec<u8>> {
        let mut framing = Framing::default();
        let mut all = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (packet, after) = framing.feed(rest, limit);
                all.extend(packet);
                rest = after;
            }
        }
        all
    }

    #[test]
    fn any_cut_gives_the_same_packets_and_long_ones_are_dropped() {
        let stream = b"ab\0\0cde\0toolongpacket\0f\0rest";
        let whole = packets(&[stream], 5);
        assert_eq!(whole, [&b"ab"[..], b"", b"cde", b"f"]);
        for cut in 0..stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(packets(&[head, tail], 5), whole, "cut at {cut}");
        }
    }
}
