//! No native function keeps the thread: every function that a script can reach is called with
//! arguments that make it work hard, and the call ends soon after its budget.

use crate::stage::{AMPLE, SKIP, Stage};
use phalanx_engine::{Brain, BrainErrorKind, Plain, PlainKey, TimeReads};
use phalanx_lua::Limits;
use rstest::rstest;
use std::time::{Duration, Instant};

/// The budget of each call.
const BUDGET: Duration = Duration::from_millis(10);
/// A call that takes longer is not bounded: the pieces between two interrupts take a few
/// milliseconds, a collection of the whole VM some dozens. What is not bounded takes seconds.
const LONGEST: Duration = Duration::from_millis(250);
/// Another process may have had the core: only a call that is slow each time counts.
const TRIES: u32 = 4;
/// Slow calls after which the test stops, since each takes seconds.
const SLOW_MAX: usize = 8;

/// Calls function number `me.turn // #arguments` with arguments number `me.turn % #arguments`.
const CALLER: &str = include_str!("bounded_caller.luau");

#[test]
fn every_function_that_a_script_reaches_stays_within_its_budget() {
    // A VM that the script's own data fills would be built anew after each failure.
    let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
    let files = [("worker.luau", CALLER), ("scout.luau", SKIP)];
    let mut stage = Stage::try_new(&files, limits).unwrap_or_else(|error| panic!("{error}"));
    stage.run(0, "memory.names = true").unwrap();
    stage.say(0);
    let (functions, arguments) = names(&mut stage);
    assert!(functions.len() > 180 && arguments.len() > 40, "{functions:?} {arguments:?}");
    let mut slow = Vec::new();
    stage.budget = BUDGET;
    for (call, function) in functions.iter().enumerate() {
        for (index, given) in arguments.iter().enumerate() {
            stage.tick = (call * arguments.len() + index) as u64 + 1;
            let took = fastest(&mut stage);
            if took > LONGEST {
                slow.push(format!("{function} with {given} took {took:?}"));
            }
            assert!(slow.len() < SLOW_MAX, "{slow:#?}");
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The time of a decision, the shortest of some tries.
fn fastest(stage: &mut Stage) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..TRIES {
        let began = Instant::now();
        // What comes of it is all the same.
        drop(stage.decide(0));
        best = best.min(began.elapsed());
        if best <= LONGEST {
            break;
        }
    }
    best
}

/// The names of the functions and of the arguments, as the script keeps them in its memory.
fn names(stage: &mut Stage) -> (Vec<String>, Vec<String>) {
    let memories = stage.brain.memories();
    let Some(Ok(Plain::Table(memory))) = memories.first().map(|memory| &memory.data) else {
        panic!("the script keeps no names: {memories:?}");
    };
    let list = |name: &str| {
        let named = memory.iter().find(|(key, _)| *key == PlainKey::Text(name.into()));
        let Some((_, Plain::Table(list))) = named else { panic!("there are no {name}") };
        let text = |(_, item): &(PlainKey, Plain)| {
            let Plain::Text(bytes) = item else { panic!("{item:?} is no name") };
            String::from_utf8_lossy(bytes).into_owned()
        };
        list.iter().map(text).collect()
    };
    (list("functions"), list("arguments"))
}

#[rstest]
#[case::a_match("string.match(('b'):rep(5e4), '[^' .. ('a'):rep(5e4) .. ']*')")]
#[case::a_find("('b'):rep(5e4):find('[^' .. ('a'):rep(5e4) .. ']*')")]
#[case::a_replacement("('b'):rep(5e4):gsub('[^' .. ('a'):rep(5e4) .. ']*', '')")]
#[case::an_iteration("for _ in ('b'):rep(5e4):gmatch('[^' .. ('a'):rep(5e4) .. ']*') do end")]
fn a_search_that_could_not_be_stopped_is_refused_with_its_sizes(#[case] search: &str) {
    let mut stage = Stage::worker(search);
    let error = stage.decide(0).unwrap_err();
    assert_eq!(error.kind, BrainErrorKind::Script);
    let said = error.to_string();
    assert!(said.starts_with("worker.luau:2: string."), "{said}");
    assert!(said.contains("the pattern has 50004 bytes, at most 10000"), "{said}");
}

#[test]
fn a_long_text_and_a_long_set_are_refused_with_both_sizes_and_the_limit() {
    let mut stage = Stage::worker("local _ = string.match(('b'):rep(5e5), '[^aeiou]*')");
    let said = stage.say(0);
    let want = "string.match: the text has 500000 bytes, and the longest set of the pattern 7; one \
                times the other is at most 2000000: search the text in pieces";
    assert!(said.ends_with(want), "{said}");
}

/// Each must be true: what the library's own functions promise, on both sides of their bounds.
#[rstest]
#[case::find("same({('abcabc'):find('c')}, {3, 3})")]
#[case::find_from(
    "same({('abcabc'):find('c', 4)}, {6, 6}) and same({('abc'):find('c', -1)}, {3, 3})"
)]
#[case::find_captures("same({('key=value'):find('(%w+)=(%w+)')}, {1, 9, 'key', 'value'})")]
#[case::find_plain(
    "same({('a.b'):find('.', 1, true)}, {2, 2}) and same({('a.b'):find('.')}, {1, 1})"
)]
#[case::find_nothing("select('#', ('abc'):find('x')) == 1 and ('abc'):find('x') == nil")]
#[case::find_beyond("('abc'):find('', 4) == 4 and ('abc'):find('', 5) == nil")]
#[case::find_numbers("same({string.find(12345, 34)}, {3, 4})")]
#[case::find_nils("same({string.find('abc', 'b', nil, nil)}, {2, 2})")]
#[case::match_captures("same({('2026-11'):match('(%d+)-(%d+)')}, {'2026', '11'})")]
#[case::match_positions("same({('ab'):match('()b()')}, {2, 3})")]
#[case::match_from("('key'):match('%w', 2) == 'e' and ('key'):match('^%w', -1) == 'y'")]
#[case::match_numbers("string.match(3.5, '%d') == '3'")]
#[case::gsub_text("same({('abc'):gsub('%w', '<%0>')}, {'<a><b><c>', 3})")]
#[case::gsub_table("same({('a b'):gsub('%w', { a = 1, b = false })}, {'1 b', 2})")]
#[case::gsub_function("same({('abc'):gsub('b', function(x) return x:upper() end)}, {'aBc', 1})")]
#[case::gsub_most("same({('aaa'):gsub('a', 'b', 2)}, {'bba', 2})")]
#[case::gsub_anchor("same({('aaa'):gsub('^a', 'b')}, {'baa', 1})")]
#[case::gsub_error_value("({pcall(string.gsub, 'a', 'a', function() error(same) end)})[2] == same")]
#[case::gmatch(
    "(function() local t = {} for k, v in ('a=1,b=2'):gmatch('(%w)=(%w)') do t[k] = v end return t.a == '1' and t.b == '2' end)()"
)]
#[case::gmatch_empty(
    "(function() local n = 0 for _ in ('abc'):gmatch('x*') do n += 1 end return n == 4 end)()"
)]
#[case::split(
    "same(('a,b,,c'):split(','), {'a', 'b', '', 'c'}) and same(('a,b'):split(), {'a', 'b'})"
)]
#[case::split_ends("same((','):split(','), {'', ''}) and same((''):split(','), {''})")]
#[case::split_long_marks("same(('a--b---c'):split('--'), {'a', 'b', '-c'})")]
#[case::split_characters("same(('abc'):split(''), {'a', 'b', 'c'}) and same((''):split(''), {})")]
#[case::split_numbers("same(string.split(1.5, '.'), {'1', '5'})")]
#[case::split_zeros("same(('a\\0b\\0c'):split('\\0'), {'a', 'b', 'c'})")]
#[case::long_find("same({long:find('needle', 1, true)}, {500001, 500006})")]
#[case::long_find_without_specials("same({long:find('needle')}, {500001, 500006})")]
#[case::long_find_from(
    "long:find('needle', 500002) == nil and same({long:find('xx', 700000)}, {700000, 700001})"
)]
#[case::long_find_from_the_end("same({long:find('xx', -5, true)}, {1000002, 1000003})")]
#[case::long_find_of_nothing(
    "same({long:find('', 3, true)}, {3, 2}) and long:find('no', 1, true) == nil"
)]
#[case::long_find_beyond("long:find('xx', #long + 2, true) == nil")]
#[case::long_find_of_a_huge_text("same({(long .. long):find(long, 2, true)}, {1000007, 2000012})")]
#[case::long_split(
    "(function() local p = long:split('needle') return #p == 2 and #p[1] == 5e5 and #p[2] == 5e5 end)()"
)]
#[case::long_match("#long:match('x+') == 5e5 and long:match('n%w-e') == 'ne'")]
#[case::sets_in_patterns(
    "('x'):rep(3e5):match('[x]+[%]y]*$') ~= nil and #('x'):rep(3e5):match('[]x]+') == 3e5"
)]
#[case::insert(
    "(function() local t = table.create(60000, 1) table.insert(t, 2, 7) return #t == 60001 and t[1] == 1 and t[2] == 7 and t[3] == 1 and t[60001] == 1 end)()"
)]
#[case::insert_order(
    "(function() local t = {} for i = 1, 60000 do t[i] = i end table.insert(t, 1, 0) for i = 1, 60001 do if t[i] ~= i - 1 then return false end end return true end)()"
)]
#[case::insert_at_the_end(
    "(function() local t = {1} table.insert(t, 2) table.insert(t, 2, 9) return same(t, {1, 9, 2}) end)()"
)]
#[case::remove(
    "(function() local t = {} for i = 1, 60000 do t[i] = i end local r = table.remove(t, 1) for i = 1, 59999 do if t[i] ~= i + 1 then return false end end return r == 1 and #t == 59999 end)()"
)]
#[case::remove_from_nothing("select('#', table.remove({})) == 0 and table.remove({1, 2}) == 2")]
#[case::move_up(
    "(function() local t = {} for i = 1, 50000 do t[i] = i end table.move(t, 1, 50000, 5) for i = 1, 50000 do if t[i + 4] ~= i then return false end end return t[4] == 4 end)()"
)]
#[case::move_down(
    "(function() local t = {} for i = 1, 50000 do t[i] = i end table.move(t, 5, 50000, 1) for i = 1, 49996 do if t[i] ~= i + 4 then return false end end return t[50000] == 50000 end)()"
)]
#[case::move_away(
    "(function() local t, u = table.create(50000, 1), {} return table.move(t, 1, 50000, 3, u) == u and u[2] == nil and u[3] == 1 and u[50002] == 1 end)()"
)]
#[case::concat(
    "(function() local t = {} for i = 1, 45000 do t[i] = i end local s = table.concat(t, ',') return s == table.concat(t, ',', 1, 30000) .. ',' .. table.concat(t, ',', 30001) end)()"
)]
#[case::concat_nothing("table.concat({}) == '' and table.concat({1, 2, 3}, '-', 2) == '2-3'")]
#[case::sort_native_comparators(
    "(function() local t = {} for i = 1, 3000 do t[i] = i end table.sort(t, rawequal) return #t == 3000 end)()"
)]
#[case::foreach("table.foreach({ a = 1 }, function(k, v) return k .. v end) == 'a1'")]
#[case::foreachi(
    "table.foreachi({ 5, 6 }, function(i, v) return if i == 2 then v else nil end) == 6"
)]
#[case::upper(
    "('abc'):upper() == 'ABC' and ('AbC'):lower() == 'abc' and ('abc'):reverse() == 'cba'"
)]
#[case::pack("string.unpack('<i4', string.pack('<i4', 77)) == 77 and string.packsize('i4i4') == 8")]
#[case::utf8("utf8.len('äb') == 2 and utf8.codepoint('ä') == 228 and utf8.offset('äb', 2) == 3")]
#[case::format("string.format('%s %5.1f %q', 'a', 1.25, 'b') == 'a   1.2 \"b\"'")]
fn a_bounded_function_means_what_it_means_in_luau(#[case] promise: &str) {
    let mut stage = Stage::worker(&format!(
        "local long = ('x'):rep(5e5) .. 'needle' .. ('x'):rep(5e5)
         local function same(a, b)
             if #a ~= #b then return false end
             for i = 1, #a do if a[i] ~= b[i] then return false end end
             return true
         end
         assert({promise}, 'it does not hold')
         return act.skip()"
    ));
    stage.budget = AMPLE;
    assert_eq!(stage.say(0), "skip()");
}

#[rstest]
#[case::a_text(
    "('x'):rep(2e6):upper()",
    "string.upper: the text has 2000000 bytes, at most 1000000"
)]
#[case::a_replacement(
    "('x'):gsub('x', ('y'):rep(2e5))",
    "the replacement has 200000 bytes, at most 100000"
)]
#[case::a_pattern("('x'):match(('a'):rep(5e6))", "the pattern has 5000000 bytes, at most 10000")]
#[case::a_format("string.format(('x'):rep(2e5))", "the format has 200000 bytes, at most 100000")]
#[case::a_pack_format("string.pack(('x'):rep(2e4))", "the format has 20000 bytes, at most 10000")]
#[case::a_pack_size("string.pack('c2000000', '')", "a size in the format is at most 999999")]
#[case::a_plain_search(
    "('x'):rep(4e6):find(('x'):rep(2e6), 1, true)",
    "the text to find has 2000000 bytes, at most 1048576"
)]
#[case::a_move("table.move({}, 1, 2e6, 1)", "moves at most 1000000 elements, not 2000000")]
#[case::arguments("act.skip(table.unpack(table.create(500, 1)))", "act.skip: got 500 arguments")]
fn a_refusal_says_what_is_too_much_and_where(#[case] call: &str, #[case] want: &str) {
    let mut stage = Stage::worker(&format!("local _ = {call}"));
    let said = stage.say(0);
    assert!(said.starts_with("Script worker.luau:2: ") && said.contains(want), "{said}");
}

/// The host hands texts over in pieces: each new text may be slow, where a script chose texts that
/// the VM's table of texts keeps in one place.
#[rstest]
#[case::a_value("board.get('k1')")]
#[case::values("board.each('k')")]
#[case::letters("team.inbox()")]
fn a_script_can_be_stopped_while_the_host_hands_it_texts(#[case] read: &str) {
    let write = "local list = {} for i = 1, 3000 do list[i] = 'text ' .. i end
                 board.set('k1', list) team.send('a1', list)";
    let source =
        format!("if me.turn == 0 then {write} else local _ = {read} end return act.skip()");
    let mut stage = Stage::worker(&source);
    assert_eq!(stage.say(0), "skip()");
    stage.next_turn();
    // Far more interrupts than the lines above have by themselves.
    stage.shared.borrow_mut().time = TimeReads::default().stopping_after(Some(60));
    assert_eq!(stage.decide(0).unwrap_err().kind, BrainErrorKind::Budget);
}
