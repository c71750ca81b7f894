//! Page tokens: where a list continues.

use crate::error::{Reason, refuse_field};
use tonic::Status;

/// Default number of items of a page.
const PAGE_ITEMS_DEFAULT: usize = 100;
/// Most items of a page.
const PAGE_ITEMS_MAX: usize = 1000;
/// The prefix of a token; the name of the last item of its page follows.
const TOKEN: &str = "after/";
/// Longest token, in bytes.
const TOKEN_BYTES_MAX: usize = 512;

/// The requested part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    size: usize,
    after: Option<&'a str>,
}

impl<'a> Page<'a> {
    pub(crate) fn parse(size: i32, token: &'a str) -> Result<Self, Status> {
        let negative =
            || refuse_field(Reason::PageSizeNegative, "page_size", "0 or a positive number");
        let size = usize::try_from(size).map_err(|_| negative())?;
        let size = if size == 0 { PAGE_ITEMS_DEFAULT } else { size.min(PAGE_ITEMS_MAX) };
        let after = match token {
            "" => None,
            token if token.len() > TOKEN_BYTES_MAX => return Err(malformed()),
            token => Some(token.strip_prefix(TOKEN).ok_or_else(malformed)?),
        };
        Ok(Self { size, after })
    }

    /// The page of a list that is sorted by name, and the token of the next one.
    pub(crate) fn cut<T>(&self, items: Vec<T>, name: impl Fn(&T) -> &str) -> (Vec<T>, String) {
        let rest = items.into_iter().filter(|item| self.after.is_none_or(|last| name(item) > last));
        self.fill(rest, |item| name(item).to_owned())
    }

    /// Most items of the page.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The token of the page after the one that ends with this name.
    pub(crate) fn token(last: &str) -> String {
        format!("{TOKEN}{last}")
    }

    /// The name after which the list continues.
    pub(crate) fn after(&self) -> Option<&str> {
        self.after
    }

    /// The number after which a list continues, if its items are named by numbers.
    pub(crate) fn after_number(&self) -> Result<Option<u32>, Status> {
        let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
        self.after.map(|after| number(after).ok_or_else(malformed)).transpose()
    }

    /// A page from the rest of a list, and the token of the next one.
    pub(crate) fn fill<T>(
        &self,
        rest: impl Iterator<Item = T>,
        name: impl Fn(&T) -> String,
    ) -> (Vec<T>, String) {
        let mut page: Vec<_> = rest.take(self.size + 1).collect();
        if page.len() <= self.size {
            return (page, String::new());
        }
        page.truncate(self.size);
        let token = page.last().map(|item| Self::token(&name(item)));
        (page, token.unwrap_or_default())
    }
}

fn malformed() -> Status {
    refuse_field(Reason::PageTokenMalformed, "page_token", "a token of an earlier page")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pages_of_any_size_together_are_the_list(count in 0_usize..30, size in 1_i32..9) {
            let list: Vec<_> = (0..count).map(|number| format!("t{number:02}")).collect();
            let (mut seen, mut token) = (Vec::new(), String::new());
            loop {
                let page = Page::parse(size, &token).expect("our own token");
                let (items, next) = page.cut(list.clone(), |name| name);
                seen.extend(items);
                if next.is_empty() {
                    break;
                }
                token = next;
            }
            prop_assert_eq!(seen, list);
        }

        #[test]
        fn any_token_and_size_is_taken_or_refused(size: i32, token in "\\PC{0,40}") {
            let taken = Page::parse(size, &token).is_ok();
            let good = size >= 0 && (token.is_empty() || token.starts_with(TOKEN));
            prop_assert_eq!(taken, good);
        }
    }
}
