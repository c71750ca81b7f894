//! Declarations live as long as the program, like those of native games. Each version of a folder is
//! declared once: see `Manifest::read`.

pub(super) fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

pub(super) fn leak_list<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Box::leak(items.into_iter().collect::<Vec<_>>().into_boxed_slice())
}
