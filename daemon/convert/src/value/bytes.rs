//! Plain values as bytes of `google.protobuf.Struct`, without building the messages first:
//! recordings contain every percept, and building and measuring messages for them took most of
//! their time.

use super::{CUT, DEPTH_MAX, EXACT_MAX, Room, cut};
use phalanx_game::Value;
use std::borrow::Cow;

/// Keys of fields: number and wire type in one byte.
mod key {
    /// `Struct.fields` and `ListValue.values`.
    pub(super) const ITEMS: u8 = 0x0A;
    /// `Struct.FieldsEntry.key`.
    pub(super) const NAME: u8 = 0x0A;
    /// `Struct.FieldsEntry.value`.
    pub(super) const ITEM: u8 = 0x12;
    /// `Value.null_value` and the kinds after it.
    pub(super) const NULL: u8 = 0x08;
    pub(super) const NUMBER: u8 = 0x11;
    pub(super) const TEXT: u8 = 0x1A;
    pub(super) const BOOL: u8 = 0x20;
    pub(super) const STRUCT: u8 = 0x2A;
    pub(super) const LIST: u8 = 0x32;
}

/// Appends named values as a `google.protobuf.Struct`, each cut as
/// [`whole_to_api`](super::whole_to_api) cuts it.
pub fn put_whole_struct<'a>(
    fields: impl IntoIterator<Item = (&'a str, &'a Value)>,
    out: &mut Vec<u8>,
) {
    for (name, value) in fields {
        put_field(name, out, |out| put(value, 0, &mut Room::whole(), out));
    }
}

/// Appends a length-delimited field: a message or a text. `key`: its number times 8, plus 2; below
/// 128.
pub fn put_nested(key: u8, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    out.push(key);
    let at = out.len();
    // Most lengths fit in one byte.
    out.push(0);
    content(out);
    let length = out.len() - at - 1;
    if let (Ok(short @ 0..0x80), Some(place)) = (u8::try_from(length), out.get_mut(at)) {
        *place = short;
        return;
    }
    let mut long = Vec::with_capacity(8);
    // Writing to a vector does not fail.
    if prost::encode_length_delimiter(length, &mut long).is_ok() {
        out.splice(at..=at, long);
    }
}

fn put_field(name: &str, out: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    put_nested(key::ITEMS, out, |out| {
        put_text(key::NAME, name, out);
        put_nested(key::ITEM, out, value);
    });
}

fn put_text(key: u8, text: &str, out: &mut Vec<u8>) {
    put_nested(key, out, |out| out.extend_from_slice(text.as_bytes()));
}

fn put_number(number: f64, out: &mut Vec<u8>) {
    out.push(key::NUMBER);
    out.extend(number.to_le_bytes());
}

fn put(value: &Value, depth: usize, room: &mut Room, out: &mut Vec<u8>) {
    room.values = room.values.saturating_sub(1);
    match value {
        Value::List(_) | Value::Map(_) if depth >= DEPTH_MAX => put_text(key::TEXT, CUT, out),
        Value::Nil => out.extend([key::NULL, 0]),
        Value::Bool(flag) => out.extend([key::BOOL, u8::from(*flag)]),
        Value::Int(int) if int.unsigned_abs() > EXACT_MAX => {
            put_text(key::TEXT, &int.to_string(), out);
        }
        #[expect(clippy::cast_precision_loss, reason = "larger ones are texts")]
        Value::Int(int) => put_number(*int as f64, out),
        Value::Num(num) if num.is_finite() => put_number(*num, out),
        Value::Num(num) => put_text(key::TEXT, &num.to_string(), out),
        Value::Str(text) => put_text(key::TEXT, &cut(text, room.text_bytes), out),
        Value::List(items) => put_nested(key::LIST, out, |out| put_list(items, depth, room, out)),
        Value::Map(pairs) => put_nested(key::STRUCT, out, |out| put_map(pairs, depth, room, out)),
    }
}

fn put_list(items: &[Value], depth: usize, room: &mut Room, out: &mut Vec<u8>) {
    for item in items {
        if room.values == 0 {
            return put_nested(key::ITEMS, out, |out| put_text(key::TEXT, CUT, out));
        }
        put_nested(key::ITEMS, out, |out| put(item, depth + 1, room, out));
    }
}

fn put_map(pairs: &[(Cow<'static, str>, Value)], depth: usize, room: &mut Room, out: &mut Vec<u8>) {
    for (name, item) in pairs {
        if room.values == 0 {
            return put_field(CUT, out, |out| put_text(key::TEXT, CUT, out));
        }
        let name = cut(name, room.text_bytes);
        put_field(&name, out, |out| put(item, depth + 1, room, out));
    }
}

#[cfg(test)]
mod tests {
    use super::super::whole_to_api;
    use super::*;
    use proptest::prelude::*;
    use prost::Message;
    use prost_types::value::Kind;

    fn read(value: &Value) -> prost_types::Value {
        let mut bytes = Vec::new();
        put_whole_struct([("it", value)], &mut bytes);
        let mut told = prost_types::Struct::decode(bytes.as_slice()).unwrap();
        assert_eq!(told.fields.len(), 1);
        told.fields.remove("it").unwrap()
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            (-9_i64..9).prop_map(Value::Int),
            prop_oneof![Just(f64::NAN), Just(f64::INFINITY), any::<f64>()].prop_map(Value::Num),
            ".{0,300}".prop_map(Value::text),
        ];
        leaf.prop_recursive(5, 60, 8, |inner| {
            let name = ".{0,9}".prop_map(Cow::Owned);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::List),
                prop::collection::vec((name, inner), 0..8).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_the_message_says(value in any_value()) {
            prop_assert_eq!(read(&value), whole_to_api(&value));
        }
    }

    #[test]
    fn what_is_too_deep_or_too_much_is_cut_alike() {
        let deep = (0..40).fold(Value::Nil, |inner, _| Value::List(vec![inner]));
        assert_eq!(read(&deep), whole_to_api(&deep));
        let wide = Value::List(vec![Value::Bool(true); 100_100]);
        let Some(Kind::ListValue(list)) = read(&wide).kind else { panic!("a list") };
        assert_eq!(
            Some(list),
            match whole_to_api(&wide).kind {
                Some(Kind::ListValue(list)) => Some(list),
                _ => None,
            }
        );
        let many = (0..100_100).map(|n| (Cow::Owned(format!("k{n}")), Value::Int(n)));
        let many = Value::Map(many.collect());
        assert_eq!(read(&many), whole_to_api(&many));
    }
}
