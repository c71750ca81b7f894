//! Data goes into a VM and comes out of it as it went; too much is refused.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The largest whole number that `Value::as_int` takes for one.
const WHOLE_MAX: i64 = 8_999_999_999_999_999;
const WIDE: PlainLimits = PlainLimits { values: 10_000, text_bytes: 1 << 20, depth: 16 };

fn plain() -> impl Strategy<Value = Plain> {
    let key = prop_oneof![
        any::<bool>().prop_map(Key::Bool),
        (-1e9..1e9).prop_map(Key::Num),
        (1..20_i32).prop_map(|index| Key::Num(f64::from(index))),
        any::<Vec<u8>>().prop_map(Key::Text),
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Plain::Bool),
        any::<f64>().prop_filter("NaN is unlike itself", |num| !num.is_nan()).prop_map(Plain::Num),
        any::<Vec<u8>>().prop_map(Plain::Text),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop::collection::vec((key.clone(), inner), 0..8).prop_map(|mut pairs| {
            pairs.sort_by(|(a, _), (b, _)| order(a, b));
            pairs.dedup_by(|(a, _), (b, _)| a == b);
            Plain::Table(pairs)
        })
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![Just(-WHOLE_MAX), -WHOLE_MAX..=WHOLE_MAX, Just(WHOLE_MAX)].prop_map(Value::Int),
        (-1e6..1e6)
            .prop_filter("whole ones come back as Int", |num: &f64| num.fract() != 0.0)
            .prop_map(Value::Num),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        let named = prop::collection::btree_map(any::<String>(), inner.clone(), 1..8);
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(Value::List),
            named.prop_map(|map: BTreeMap<String, Value>| {
                Value::Map(map.into_iter().map(|(key, item)| (key.into(), item)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn memories_come_back_as_they_went(plain in plain()) {
        let lua = Lua::new();
        let pushed = push_plain(&lua, &plain).unwrap();
        prop_assert_eq!(read(&pushed, WIDE).unwrap(), Some(plain));
    }

    #[test]
    fn values_come_back_as_they_went(value in value()) {
        let lua = Lua::new();
        let pushed = push(&lua, &value).unwrap();
        prop_assert_eq!(read_value(&pushed, WIDE).unwrap(), value);
    }
}

#[test]
fn limits_refuse_what_is_too_much() {
    let lua = Lua::new();
    let limits = PlainLimits { values: 5, text_bytes: 10, depth: 2 };
    for (source, want) in [
        ("return {1, 2, 3, 4, 5}", "at [5]: too many values"),
        ("return {a = 'xxxxxxxxxx'}", "at .a: too much text"),
        ("return {{{}}}", "at [1][1]: tables are nested too deeply"),
        ("return {[{}] = 1}", "a table cannot be a key"),
        ("return setmetatable({}, {})", "a table with a metatable is not plain data"),
        ("return {x = print}", "at .x: a function is not plain data"),
    ] {
        let value: LuaValue = lua.load(source).eval().unwrap();
        assert_eq!(read(&value, limits).unwrap_err().to_string(), want);
    }
}
