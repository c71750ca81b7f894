//! The rules, one by one, on a small map: the worked example of the specification (section 9), and
//! every way in which an action can end (section 8).

mod deeds;
mod table;
mod zones;
