//! Numbers and texts in the records of an MCAP file, with all lengths checked.

/// The rest of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn short(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.word()?).ok()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// Pairs of texts.
    pub(crate) fn pairs(&mut self) -> Option<Vec<(String, String)>> {
        let length = usize::try_from(self.word()?).ok()?;
        let mut inner = Bytes(self.take(length)?);
        let mut pairs = Vec::new();
        while !inner.0.is_empty() {
            pairs.push((inner.text()?.to_owned(), inner.text()?.to_owned()));
        }
        Some(pairs)
    }
}
