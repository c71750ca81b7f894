//! All inputs of a team are decoded as they were encoded.

use super::*;
use phalanx_engine::{
    AddAgent, AlertOptions, BoardRead, BoardWrite, BrainError, BrainErrorKind, CallKind, Carry,
    Command, CommandRequest, CopyView, DrawWorld, Fault, InstallStrategy, Keep, LeaveReferee,
    Params, Probation, ProfileScripts, RefuseStrategy, RemoveAgent, RetuneTeam, ReturnToReferee,
    RunScript, Scope, SeatState, SetParam, SetRole, Steer, SteerAgent, Steering, StrategyOrigin,
    Suspension, TapedCall, TapedInput, TeamAct, TeamOptions, TeamStart, TeamState, TeamStep,
    TimeRead,
};
use phalanx_game::{
    DefaultCause, Event, MarginLimits, Notice, ProtocolError, Roster, RosterEntry, Said, Seat,
    Value,
};
use phalanx_net::{Message as Sent, SeatAct};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::{collection, option};
use prost::Message;
use std::time::SystemTime;

fn word() -> impl Strategy<Value = String> + Clone {
    "\\PC{0,12}"
}

fn a_turn() -> impl Strategy<Value = Turn> {
    (any::<u32>(), any::<u32>()).prop_map(|(round, step)| Turn::new(round, step))
}

fn an_agent() -> impl Strategy<Value = AgentId> {
    any::<u16>().prop_map(AgentId)
}

fn a_seat_id() -> impl Strategy<Value = SeatId> {
    any::<u16>().prop_map(SeatId)
}

fn a_span() -> impl Strategy<Value = Duration> {
    prop_oneof![
        any::<u64>().prop_map(Duration::from_nanos),
        (0_u64..10_000_000).prop_map(Duration::from_nanos),
        Just(Duration::MAX),
    ]
}

fn a_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        proptest::num::f64::NORMAL.prop_map(Value::Num),
        word().prop_map(Value::text),
        Just(Value::Nil),
    ];
    leaf.prop_recursive(6, 24, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            collection::vec((word().prop_map(Into::into), inner), 0..4).prop_map(Value::Map),
        ]
    })
}

fn an_order() -> impl Strategy<Value = Said> {
    (word(), collection::vec(a_value(), 0..3)).prop_map(|(action, args)| Said::new(action, args))
}

fn a_scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Team), word().prop_map(Scope::Role), an_agent().prop_map(Scope::Agent),]
}

fn a_carry() -> impl Strategy<Value = Carry> {
    select(vec![Carry::Strict, Carry::Loose, Carry::Forget])
}

fn an_origin() -> impl Strategy<Value = StrategyOrigin> {
    prop_oneof![
        Just(StrategyOrigin::Start),
        Just(StrategyOrigin::File),
        Just(StrategyOrigin::Hangup),
        word().prop_map(|user| StrategyOrigin::Api { user }),
    ]
}

fn a_staged() -> impl Strategy<Value = Staged> {
    let generation =
        (any::<u32>(), word(), 0_u64..4_000_000_000, 0_u32..1_000_000_000, an_origin()).prop_map(
            |(number, hash, seconds, nanos, origin)| {
                let accepted = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
                Generation { number, hash, accepted, origin }
            },
        );
    (generation, a_span(), a_carry(), word()).prop_map(|(generation, cost, carry, note)| Staged {
        generation: Arc::new(generation),
        code: Arc::new(()),
        cost,
        carry,
        note,
    })
}

fn options() -> impl Strategy<Value = TeamOptions> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>());
    let spans = (a_span(), a_span(), a_span());
    (numbers, spans, 0.0..1.0_f64, any::<u64>(), 0_usize..100).prop_map(
        |((a, b, c, d, e), (one, two, three), share, seed, turns)| TeamOptions {
            straggler_share: share,
            straggler_max: one,
            decide_max: two,
            plan_max: three,
            seed,
            probation: Probation { decisions: a, errors: b },
            rehearsal_turns: turns,
            alerts: AlertOptions {
                silent_turns: c,
                stuck_turns: d,
                margin_share: 1.0 - share,
                storm_errors: e,
                storm_turns: a,
            },
        },
    )
}

fn a_steering() -> impl Strategy<Value = Steering> {
    prop_oneof![
        Just(Steering::Script),
        word().prop_map(|by| Steering::Paused { by }),
        (an_order(), any::<u32>(), word()).prop_map(|(order, turns_left, by)| Steering::Pinned {
            order,
            turns_left,
            by
        }),
        (word(), any::<u32>(), any::<u32>(), option::of(an_order())).prop_map(
            |(by, lease, turns_left, order)| Steering::Piloted { by, lease, turns_left, order }
        ),
    ]
}

fn a_steer() -> impl Strategy<Value = Steer> {
    prop_oneof![
        Just(Steer::Pause),
        Just(Steer::Release),
        (an_order(), any::<u32>()).prop_map(|(order, turns)| Steer::Pin { order, turns }),
        any::<u32>().prop_map(|lease| Steer::Pilot { lease }),
        an_order().prop_map(|order| Steer::Order { order }),
    ]
}

fn a_board_command() -> impl Strategy<Value = Command> {
    let write = (word(), a_value(), option::of(any::<u64>()), option::of(word()), any::<bool>())
        .prop_map(|(key, value, turns, etag, validate_only)| {
            BoardWrite { key, value, turns, etag, validate_only }.into()
        });
    let read = prop_oneof![
        word().prop_map(BoardRead::Key),
        any::<u64>().prop_map(BoardRead::Since),
        (word(), option::of(word()), 0_usize..9_999)
            .prop_map(|(prefix, after, max)| BoardRead::Range { prefix, after, max }),
    ];
    prop_oneof![write, read.prop_map(Command::from)]
}

fn a_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        (an_agent(), word(), a_carry()).prop_map(|(agent, role, carry)| SetRole {
            agent,
            role,
            carry
        }
        .into()),
        (an_agent(), a_steer()).prop_map(|(agent, steer)| SteerAgent { agent, steer }.into()),
        (word(), word()).prop_map(|(name, role)| AddAgent { name, role }.into()),
        an_agent().prop_map(|agent| RemoveAgent { agent }.into()),
        (option::of(word()), any::<bool>(), any::<bool>()).prop_map(|(to, world, memory)| {
            LeaveReferee { to, keep: Keep { world, memory } }.into()
        }),
        word().prop_map(|to| ReturnToReferee { to }.into()),
        (word(), a_scope(), option::of(a_value())).prop_map(|(name, scope, value)| SetParam {
            name,
            scope,
            value
        }
        .into()),
        options().prop_map(|options| RetuneTeam { options }.into()),
        a_board_command(),
        (an_agent(), word()).prop_map(|(agent, code)| RunScript { agent, code }.into()),
        select(vec![CopyView.into(), DrawWorld.into(), ProfileScripts { turns: 7 }.into()]),
    ]
}

/// Recordings have no ticket of a refused strategy, and the callers of some commands only.
fn a_request() -> impl Strategy<Value = CommandRequest> {
    prop_oneof![
        (any::<u64>(), a_staged(), any::<bool>()).prop_map(|(ticket, staged, pinned)| {
            CommandRequest::new(ticket, "", InstallStrategy { staged, pinned })
        }),
        (an_origin(), collection::vec(a_fault(), 0..3)).prop_map(|(origin, faults)| {
            CommandRequest::new(0, "", RefuseStrategy { origin, faults })
        }),
        (any::<u64>(), word(), a_command()).prop_map(|(ticket, by, command)| CommandRequest {
            ticket,
            by,
            command
        }),
    ]
}

fn a_notice() -> impl Strategy<Value = Notice> {
    prop_oneof![
        (word(), word(), word()).prop_map(|(place, expected, got)| {
            Notice::Malformed(ProtocolError { place, expected, got })
        }),
        word().prop_map(|kind| Notice::Unknown { kind }),
        a_turn().prop_map(|turn| Notice::AnswerLost { turn }),
        (word(), word()).prop_map(|(place, what)| Notice::Fault { place, what }),
    ]
}

fn an_event(begin: Instant) -> impl Strategy<Value = Event<(), ()>> {
    let causes =
        vec![DefaultCause::NoDecision, DefaultCause::Superseded, DefaultCause::Disconnected];
    prop_oneof![
        collection::vec(an_agent(), 0..5).prop_map(|agents| Event::Seated { agents }),
        word().prop_map(|reason| Event::Refused { reason }),
        (an_agent(), any::<u32>(), option::of(Just(())))
            .prop_map(|(agent, round, briefing)| Event::RoundStarted { agent, round, briefing }),
        (a_turn(), an_agent()).prop_map(|(turn, agent)| Event::Percept {
            turn,
            agent,
            percept: ()
        }),
        (a_turn(), an_agent(), an_instant(begin)).prop_map(|(turn, agent, due)| Event::Asked {
            turn,
            agent,
            due,
            percept: ()
        }),
        (a_turn(), an_agent(), select(causes)).prop_map(|(turn, agent, cause)| Event::Defaulted {
            turn,
            agent,
            cause
        }),
        a_notice().prop_map(Event::Notice),
        (an_agent(), any::<u32>()).prop_map(|(agent, round)| Event::Out { agent, round }),
        (an_agent(), any::<u32>(), any::<i64>(), option::of(any::<u32>())).prop_map(
            |(agent, round, score, ranking)| Event::RoundOver { agent, round, score, ranking }
        ),
        Just(Event::MatchOver),
    ]
}

fn a_state() -> impl Strategy<Value = SeatState> {
    prop_oneof![
        select(vec![
            SeatState::Idle,
            SeatState::Connected,
            SeatState::Seated,
            SeatState::Stopped,
            SeatState::Closed,
        ]),
        (any::<u32>(), word())
            .prop_map(|(failures, reason)| SeatState::Connecting { failures, reason }),
        word().prop_map(|reason| SeatState::Refused { reason }),
    ]
}

fn a_fault() -> impl Strategy<Value = Fault> {
    let numbers = (option::of(1_u32..999), option::of(1_u32..99), any::<bool>());
    (numbers, word(), word(), word(), word()).prop_map(
        |((line, column, fatal), file, message, help, excerpt)| Fault {
            fatal,
            file,
            line,
            column,
            message,
            help,
            excerpt,
        },
    )
}

fn an_input(begin: Instant) -> impl Strategy<Value = TapedInput> {
    prop_oneof![
        (a_seat_id(), a_state()).prop_map(|(seat, state)| TapedInput::Seat { seat, state }),
        (a_seat_id(), an_event(begin)).prop_map(|(seat, event)| TapedInput::Event { seat, event }),
        (an_agent(), a_turn()).prop_map(|(agent, turn)| TapedInput::Late { agent, turn }),
        a_request().prop_map(TapedInput::Command),
        (word(), collection::vec(a_suspension(), 0..3))
            .prop_map(|(reason, suspended)| TapedInput::Restarted { reason, suspended }),
        Just(TapedInput::Drain),
    ]
}

fn a_suspension() -> impl Strategy<Value = Suspension> {
    let (role, agent) = (option::of(word()), option::of(an_agent()));
    (role, agent, any::<u32>(), word()).prop_map(|(role, agent, generation, reason)| Suspension {
        role,
        agent,
        generation,
        reason,
    })
}

fn a_call() -> impl Strategy<Value = TapedCall> {
    let calls = vec![
        CallKind::Start,
        CallKind::Plan,
        CallKind::Decide,
        CallKind::Finish,
        CallKind::Install,
        CallKind::HandOver,
        CallKind::Run,
    ];
    let kinds = vec![
        BrainErrorKind::Script,
        BrainErrorKind::Budget,
        BrainErrorKind::Memory,
        BrainErrorKind::Answer,
        BrainErrorKind::NoRole,
    ];
    let read = (a_span(), any::<u32>()).prop_map(|(left, times)| TimeRead { left, times });
    let place = option::of(("[a-z]{1,8}", any::<u32>()));
    let stopped = (select(kinds), place, word(), word())
        .prop_map(|(kind, place, role, message)| BrainError { kind, place, role, message });
    (
        (select(calls), option::of(an_agent()), a_span(), a_span()),
        collection::vec(read, 0..4),
        option::of(stopped),
        option::of(any::<u64>()),
    )
        .prop_map(|((call, agent, spent, budget), reads, stopped, stopped_after)| TapedCall {
            call,
            agent,
            spent,
            budget,
            reads,
            stopped,
            stopped_after,
        })
}

/// An hour before the begin to a day after it.
fn an_instant(begin: Instant) -> impl Strategy<Value = Instant> {
    (0_u64..86_400_000_000_000).prop_map(move |nanos| begin + Duration::from_nanos(nanos))
}

fn a_step(begin: Instant) -> impl Strategy<Value = TeamStep> {
    let act = prop_oneof![
        an_input(begin).prop_map(TeamAct::Handled),
        a_call().prop_map(TeamAct::Called),
        select(vec![TeamAct::TimedOut, TeamAct::Polled]),
    ];
    (an_instant(begin), act).prop_map(|(at, act)| TeamStep { at, act })
}

fn a_seat() -> impl Strategy<Value = Seat> {
    let agents = collection::vec((an_agent(), word()), 0..4);
    (a_seat_id(), agents, word(), a_span(), a_span(), a_span()).prop_map(
        |(id, agents, user, turn_limit, min, max)| Seat {
            id,
            agents,
            user,
            password: String::new(),
            turn_limit,
            margin: MarginLimits { min, max },
        },
    )
}

fn an_act() -> impl Strategy<Value = SeatAct> {
    let bytes = || collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        select(vec![
            SeatAct::Connected,
            SeatAct::Disconnected,
            SeatAct::Replaced,
            SeatAct::Parsed,
            SeatAct::Written,
            SeatAct::TimedOut,
            SeatAct::Shutdown,
        ]),
        bytes().prop_map(|bytes| SeatAct::Received(bytes.into())),
        bytes().prop_map(|bytes| SeatAct::Sent(Sent::Plain(bytes.into()))),
        (0_usize..9_999).prop_map(|length| SeatAct::Sent(Sent::Secret(length))),
        (a_turn(), an_agent()).prop_map(|(turn, agent)| SeatAct::Acted { turn, agent }),
    ]
}

fn a_beginning() -> impl Strategy<Value = TeamStart> {
    let entry = (word(), word(), any::<bool>()).prop_map(|(name, role, gone)| RosterEntry {
        name,
        role,
        gone,
    });
    let roster = (word(), collection::vec(entry, 0..4))
        .prop_map(|(team, agents)| Arc::new(Roster { team, agents }));
    let params = collection::vec((word(), a_scope(), a_value()), 0..4).prop_map(Params::of_values);
    let bytes = option::of(collection::vec(any::<u8>(), 0..40).prop_map(Arc::from));
    (
        (roster, collection::vec(a_seat_id(), 0..4), options(), a_staged()),
        (params, collection::vec(a_steering(), 0..4), any::<u64>(), bytes),
    )
        .prop_map(
            |((roster, seats, options, staged), (params, steering, board_revision, checkpoint))| {
                let state = TeamState::new(roster).operated(Arc::new(params), steering);
                let state = state.after(board_revision);
                TeamStart { seats, options, staged, state, checkpoint }
            },
        )
}

fn no_code(_: &Generation) -> Arc<dyn Any + Send + Sync> {
    Arc::new(())
}

/// The parts of a step, as texts and comparable values.
fn shown(step: &TeamStep) -> (Instant, String, Option<TapedInput>) {
    let input = match &step.act {
        TeamAct::Handled(input) => Some(input.clone()),
        TeamAct::TimedOut | TeamAct::Polled | TeamAct::Called(_) => None,
    };
    (step.at, format!("{:?}", step.act), input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn steps_come_back_exactly(list in collection::vec(a_step(Instant::now()), 0..8)) {
        // Times are counted from somewhere in the middle.
        let epoch = Epoch(list.get(1).map_or_else(Instant::now, |step| step.at));
        let bytes = steps(epoch, &list).encode_to_vec();
        let reading = Reading { epoch, code: &no_code };
        let back = steps_from(&reading, v1::TeamSteps::decode(&*bytes).unwrap()).unwrap();
        let [list, back] = [list, back].map(|list| list.iter().map(shown).collect::<Vec<_>>());
        prop_assert_eq!(list, back);
    }

    #[test]
    fn what_a_team_is_made_of_comes_back_exactly(began in a_beginning()) {
        let bytes = beginning(&began).encode_to_vec();
        let reading = Reading { epoch: Epoch(Instant::now()), code: &no_code };
        let back = beginning_from(&reading, v1::Beginning::decode(&*bytes).unwrap()).unwrap();
        prop_assert_eq!(&began.staged, &back.staged);
        prop_assert_eq!(format!("{began:?}"), format!("{back:?}"));
    }

    #[test]
    fn what_happens_at_a_seat_comes_back_exactly(seat in a_seat_id(), act in an_act()) {
        let back = match seat_act(seat, &act) {
            WireSeatAct::Wire(message) => {
                wire_from(v1::WireBytes::decode(&*message.encode_to_vec()).unwrap()).unwrap()
            }
            WireSeatAct::Step(message) => {
                let message = v1::SeatStep::decode(&*message.encode_to_vec()).unwrap();
                let (seat, act) = seat_step_from(message).unwrap();
                (seat, act.unwrap())
            }
        };
        prop_assert_eq!(back, (seat, act));
    }

    #[test]
    fn a_seat_comes_back_exactly(seat in a_seat()) {
        let message = v1::SeatStep::decode(&*opened(&seat).encode_to_vec()).unwrap();
        let (id, back) = seat_step_from(message).unwrap();
        prop_assert_eq!(id, seat.id);
        prop_assert_eq!(format!("{:?}", back.unwrap_err()), format!("{seat:?}"));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in collection::vec(any::<u8>(), 0..200)) {
        let reading = Reading { epoch: Epoch(Instant::now()), code: &no_code };
        if let Ok(message) = v1::TeamSteps::decode(&*bytes) {
            drop(steps_from(&reading, message));
        }
        if let Ok(message) = v1::Beginning::decode(&*bytes) {
            drop(beginning_from(&reading, message));
        }
        if let Ok(message) = v1::SeatStep::decode(&*bytes) {
            drop(seat_step_from(message));
        }
    }
}

#[test]
fn a_time_before_the_begin_is_counted_backwards() {
    let begin = Instant::now() + Duration::from_secs(10);
    let epoch = Epoch(begin);
    for nanos in [0, 1, -1, 1_500_000_000, -1_500_000_000] {
        assert_eq!(epoch.nanos(epoch.instant(nanos)), nanos);
    }
}
