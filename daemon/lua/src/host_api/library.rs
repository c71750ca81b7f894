//! Luau's own library, as far as the sandbox leaves it to scripts.

use super::{Function, Module, Type};

/// Name, parameters, results.
type LibraryFunctionRow = (&'static str, &'static str, &'static str);

const BASE: &[LibraryFunctionRow] = &[
    ("assert", "value: any, message: any?, ...", "any"),
    ("error", "message: any, level: number?", ""),
    ("getmetatable", "value: any", "any"),
    ("ipairs", "list: table", "function, table, number"),
    ("next", "map: table, key: any?", "any, any"),
    ("pairs", "map: table", "function, table, any"),
    ("pcall", "call: function, ...", "boolean, any"),
    ("print", "...", ""),
    ("rawequal", "a: any, b: any", "boolean"),
    ("rawget", "map: table, key: any", "any"),
    ("rawlen", "value: any", "number"),
    ("rawset", "map: table, key: any, value: any", "table"),
    ("select", "index: any, ...", "any"),
    ("setmetatable", "map: table, meta: any", "table"),
    ("tonumber", "value: any, base: number?", "number?"),
    ("tostring", "value: any", "string"),
    ("type", "value: any", "string"),
    ("typeof", "value: any", "string"),
    ("unpack", "list: table, first: number?, last: number?", "any"),
    ("xpcall", "call: function, handler: function, ...", "boolean, any"),
];

const MATH: &[LibraryFunctionRow] = &[
    ("abs", "x: number", "number"),
    ("acos", "x: number", "number"),
    ("asin", "x: number", "number"),
    ("atan", "x: number", "number"),
    ("atan2", "y: number, x: number", "number"),
    ("ceil", "x: number", "number"),
    ("clamp", "x: number, min: number, max: number", "number"),
    ("cos", "x: number", "number"),
    ("cosh", "x: number", "number"),
    ("deg", "x: number", "number"),
    ("exp", "x: number", "number"),
    ("floor", "x: number", "number"),
    ("fmod", "x: number, y: number", "number"),
    ("frexp", "x: number", "number, number"),
    ("isfinite", "x: number", "boolean"),
    ("isinf", "x: number", "boolean"),
    ("isnan", "x: number", "boolean"),
    ("ldexp", "x: number, exponent: number", "number"),
    ("lerp", "a: number, b: number, t: number", "number"),
    ("log", "x: number, base: number?", "number"),
    ("log10", "x: number", "number"),
    ("map", "x: number, low: number, high: number, to_low: number, to_high: number", "number"),
    ("max", "x: number, ...", "number"),
    ("min", "x: number, ...", "number"),
    ("modf", "x: number", "number, number"),
    ("noise", "x: number, y: number?, z: number?", "number"),
    ("pow", "x: number, y: number", "number"),
    ("rad", "x: number", "number"),
    ("random", "low: number?, high: number?", "number"),
    ("randomseed", "...", ""),
    ("round", "x: number", "number"),
    ("sign", "x: number", "number"),
    ("sin", "x: number", "number"),
    ("sinh", "x: number", "number"),
    ("sqrt", "x: number", "number"),
    ("tan", "x: number", "number"),
    ("tanh", "x: number", "number"),
];

const STRING: &[LibraryFunctionRow] = &[
    ("byte", "text: string, first: number?, last: number?", "number"),
    ("char", "...", "string"),
    ("find", "text: string, pattern: string, init: number?, plain: boolean?", "number?, number?"),
    ("format", "pattern: string, ...", "string"),
    ("gmatch", "text: string, pattern: string", "function"),
    ("gsub", "text: string, pattern: string, by: any, most: number?", "string, number"),
    ("len", "text: string", "number"),
    ("lower", "text: string", "string"),
    ("match", "text: string, pattern: string, init: number?", "string?"),
    ("pack", "format: string, ...", "string"),
    ("packsize", "format: string", "number"),
    ("rep", "text: string, count: number", "string"),
    ("reverse", "text: string", "string"),
    ("split", "text: string, separator: string?", "{string}"),
    ("sub", "text: string, first: number, last: number?", "string"),
    ("unpack", "format: string, text: string, init: number?", "any"),
    ("upper", "text: string", "string"),
];

const TABLE: &[LibraryFunctionRow] = &[
    ("clear", "map: table", ""),
    ("clone", "map: table", "table"),
    ("concat", "list: table, separator: string?, first: number?, last: number?", "string"),
    ("create", "count: number, value: any?", "table"),
    ("find", "list: table, value: any, init: number?", "number?"),
    ("foreach", "map: table, call: function", "any"),
    ("foreachi", "list: table, call: function", "any"),
    ("freeze", "map: table", "table"),
    ("getn", "list: table", "number"),
    ("insert", "list: table, position: any, value: any?", ""),
    ("isfrozen", "map: table", "boolean"),
    ("maxn", "map: table", "number"),
    ("move", "from: table, first: number, last: number, to: number, target: table?", "table"),
    ("pack", "...", "table"),
    ("remove", "list: table, position: number?", "any"),
    ("sort", "list: table, less: function?", ""),
    ("unpack", "list: table, first: number?, last: number?", "any"),
];

const BIT32: &[LibraryFunctionRow] = &[
    ("arshift", "x: number, by: number", "number"),
    ("band", "...", "number"),
    ("bnot", "x: number", "number"),
    ("bor", "...", "number"),
    ("btest", "...", "boolean"),
    ("bxor", "...", "number"),
    ("byteswap", "x: number", "number"),
    ("countlz", "x: number", "number"),
    ("countrz", "x: number", "number"),
    ("extract", "x: number, field: number, width: number?", "number"),
    ("lrotate", "x: number, by: number", "number"),
    ("lshift", "x: number, by: number", "number"),
    ("replace", "x: number, by: number, field: number, width: number?", "number"),
    ("rrotate", "x: number, by: number", "number"),
    ("rshift", "x: number, by: number", "number"),
];

const UTF8: &[LibraryFunctionRow] = &[
    ("char", "...", "string"),
    ("codepoint", "text: string, first: number?, last: number?", "number"),
    ("codes", "text: string", "function, string, number"),
    ("len", "text: string, first: number?, last: number?", "number?, number?"),
    ("offset", "text: string, n: number, init: number?", "number?"),
];

const COROUTINE: &[LibraryFunctionRow] = &[
    ("close", "routine: thread", "boolean, any"),
    ("create", "call: function", "thread"),
    ("isyieldable", "", "boolean"),
    ("resume", "routine: thread, ...", "boolean, any"),
    ("running", "", "thread"),
    ("status", "routine: thread", "string"),
    ("wrap", "call: function", "function"),
    ("yield", "...", "any"),
];

const BUFFER: &[LibraryFunctionRow] = &[
    ("copy", "target: buffer, at: number, source: buffer, from: number?, count: number?", ""),
    ("create", "size: number", "buffer"),
    ("fill", "target: buffer, at: number, value: number, count: number?", ""),
    ("fromstring", "text: string", "buffer"),
    ("len", "source: buffer", "number"),
    ("readbits", "source: buffer, at: number, count: number", "number"),
    ("readf32", "source: buffer, at: number", "number"),
    ("readf64", "source: buffer, at: number", "number"),
    ("readi16", "source: buffer, at: number", "number"),
    ("readi32", "source: buffer, at: number", "number"),
    ("readi8", "source: buffer, at: number", "number"),
    ("readstring", "source: buffer, at: number, count: number", "string"),
    ("readu16", "source: buffer, at: number", "number"),
    ("readu32", "source: buffer, at: number", "number"),
    ("readu8", "source: buffer, at: number", "number"),
    ("tostring", "source: buffer", "string"),
    ("writebits", "target: buffer, at: number, count: number, value: number", ""),
    ("writef32", "target: buffer, at: number, value: number", ""),
    ("writef64", "target: buffer, at: number, value: number", ""),
    ("writei16", "target: buffer, at: number, value: number", ""),
    ("writei32", "target: buffer, at: number, value: number", ""),
    ("writei8", "target: buffer, at: number, value: number", ""),
    ("writestring", "target: buffer, at: number, text: string, count: number?", ""),
    ("writeu16", "target: buffer, at: number, value: number", ""),
    ("writeu32", "target: buffer, at: number, value: number", ""),
    ("writeu8", "target: buffer, at: number, value: number", ""),
];

const VECTOR: &[LibraryFunctionRow] = &[
    ("abs", "v: vector", "vector"),
    ("angle", "a: vector, b: vector, axis: vector?", "number"),
    ("ceil", "v: vector", "vector"),
    ("clamp", "v: vector, min: vector, max: vector", "vector"),
    ("create", "x: number, y: number, z: number?", "vector"),
    ("cross", "a: vector, b: vector", "vector"),
    ("dot", "a: vector, b: vector", "number"),
    ("floor", "v: vector", "vector"),
    ("lerp", "a: vector, b: vector, t: number", "vector"),
    ("magnitude", "v: vector", "number"),
    ("max", "v: vector, ...", "vector"),
    ("min", "v: vector, ...", "vector"),
    ("normalize", "v: vector", "vector"),
    ("sign", "v: vector", "vector"),
];

/// What plain Lua 5.1 has too: editors that know Lua know these.
pub(crate) const LUA51: &[&str] = &[
    "assert error getmetatable ipairs next pairs pcall print rawequal rawget rawset select",
    "setmetatable tonumber tostring type unpack xpcall _G _VERSION",
    "math.abs math.acos math.asin math.atan math.atan2 math.ceil math.cos math.cosh math.deg",
    "math.exp math.floor math.fmod math.frexp math.huge math.ldexp math.log math.log10 math.max",
    "math.min math.modf math.pi math.pow math.rad math.random math.randomseed math.sin math.sinh",
    "math.sqrt math.tan math.tanh string.byte string.char string.find string.format string.gmatch",
    "string.gsub string.len string.lower string.match string.rep string.reverse string.sub",
    "string.upper table.concat table.foreach table.foreachi table.getn table.insert table.maxn",
    "table.remove table.sort coroutine.create coroutine.resume coroutine.running coroutine.status",
    "coroutine.wrap coroutine.yield",
];

pub(super) fn modules() -> Vec<Module> {
    let module = |name,
                  rows: &'static [LibraryFunctionRow],
                  constants: &[(&'static str, &'static str)]| {
        let functions =
            rows.iter().map(|(name, args, returns)| Function::read(name, args, returns));
        let constants = constants.iter().map(|(name, kind)| (*name, Type::read(kind))).collect();
        let doc = "Luau's own library.";
        Module { name, doc, functions: functions.collect(), constants, library: true }
    };
    let numbers =
        ["e", "huge", "nan", "phi", "pi", "sqrt2", "tau"].map(|constant| (constant, "number"));
    vec![
        module("", BASE, &[("_G", "table"), ("_VERSION", "string")]),
        module("math", MATH, &numbers),
        module("string", STRING, &[]),
        module("table", TABLE, &[]),
        module("bit32", BIT32, &[]),
        module("utf8", UTF8, &[("charpattern", "string")]),
        module("coroutine", COROUTINE, &[]),
        module("buffer", BUFFER, &[]),
        module("vector", VECTOR, &[("one", "vector"), ("zero", "vector")]),
    ]
}
