//! Every way in which an action can end, and what it costs.

use super::table::{Table, map};
use phalanx_mars::rules::deed::cost;
use phalanx_mars::rules::{MarsRules, MarsVerb, Outcome};

/// Plays one thing of one agent with that energy; how it ended and the energy left.
fn tried(table: &mut Table, energy: i32, said: &str) -> (Outcome, i32) {
    let name = said.split(' ').next().unwrap();
    table.agent(name).energy = energy;
    let outcome = table.one(said);
    (outcome, table.agent(name).energy)
}

#[test]
fn walking_costs_the_weight_and_failing_one() {
    let mut table = Table::line();
    assert_eq!(tried(&mut table, 10, "a1 goto y"), (Outcome::Successful, 8));
    assert_eq!(table.at("a1"), "y");
    for target in ["y", "w", "nowhere", ""] {
        let said = format!("a1 goto {target}");
        assert_eq!(tried(&mut table, 10, &said), (Outcome::FailedWrongParam, 9), "{target}");
    }
    assert_eq!(tried(&mut table, 2, "a1 goto z"), (Outcome::FailedResources, 1));
    assert_eq!(tried(&mut table, 0, "a1 goto z"), (Outcome::FailedResources, 0), "never below 0");
    assert_eq!(tried(&mut table, 3, "a1 goto z"), (Outcome::Successful, 0));
    table.agent("a1").health = 0;
    assert_eq!(tried(&mut table, 9, "a1 goto w"), (Outcome::Successful, 0), "also when disabled");
}

#[test]
fn a_recharge_gives_half_or_three_tenths_rounded() {
    let mut table = Table::line();
    for (agent, enabled, disabled) in
        [("a1", 18, 11), ("a3", 13, 8), ("a5", 10, 6), ("a7", 15, 9), ("a9", 13, 8)]
    {
        let said = format!("{agent} recharge");
        assert_eq!(tried(&mut table, 0, &said), (Outcome::Successful, enabled), "{agent}");
        table.agent(agent).health = 0;
        assert_eq!(tried(&mut table, 0, &said), (Outcome::Successful, disabled), "{agent}");
    }
    assert_eq!(tried(&mut table, 34, "a2 recharge"), (Outcome::Successful, 35), "at most");
    table.put("x", &["b5"]);
    table.agent("a2").energy = 1;
    let outcomes = table.step(&["a2 recharge", "b5 attack a2"]);
    assert_eq!(outcomes, [Outcome::FailedAttacked, Outcome::Successful]);
    assert_eq!(table.agent("a2").energy, 1);
}

#[test]
fn roles_and_health_limit_what_can_be_done() {
    let verbs = ["probe", "survey", "inspect", "attack b1", "parry", "repair a1", "buy sensor"];
    // One row a role: what it may do when enabled; repairs alone when disabled.
    let rows = [
        ("a2", [true, true, false, false, false, false, true]),
        ("a3", [false, true, false, false, true, true, true]),
        ("a5", [false, true, false, true, true, false, true]),
        ("a7", [false, true, false, false, true, false, true]),
        ("a9", [false, true, true, false, false, false, true]),
    ];
    for (agent, may) in rows {
        for (verb, may) in verbs.into_iter().zip(may) {
            let mut table = Table::line();
            table.put("x", &["b1"]);
            table.money(10);
            let said = format!("{agent} {verb}");
            let (outcome, left) = tried(&mut table, 10, &said);
            assert_eq!(outcome != Outcome::FailedRole, may, "{said}: {outcome:?}");
            let price = cost(MarsVerb::parse(verb.split(' ').next().unwrap()).unwrap(), false);
            assert_eq!(left, 10 - price, "{said}");
            table.agent(agent).health = 0;
            let (outcome, left) = tried(&mut table, 10, &said);
            let expected = match (verb, may) {
                (_, false) => Outcome::FailedRole,
                ("repair a1", true) => Outcome::Successful,
                (_, true) => Outcome::FailedStatus,
            };
            assert_eq!(outcome, expected, "disabled {said}");
            let price = if outcome == Outcome::Successful { 3 } else { price };
            let price = if verb == "repair a1" { 3 } else { price };
            assert_eq!(left, 10 - price, "disabled {said}");
        }
    }
}

#[test]
fn everything_needs_its_energy() {
    for said in ["a2 probe", "a2 survey", "a9 inspect", "a5 attack b1", "a7 parry", "a3 repair a1"]
    {
        let mut table = Table::line();
        let verb = MarsVerb::parse(said.split(' ').nth(1).unwrap()).unwrap();
        let (outcome, left) = tried(&mut table, cost(verb, false) - 1, said);
        assert_eq!((outcome, left), (Outcome::FailedResources, 0), "{said}");
    }
    let mut table = Table::line();
    table.agent("a3").health = 0;
    assert_eq!(tried(&mut table, 2, "a3 repair a1"), (Outcome::FailedResources, 0));
}

#[test]
fn attacks_meet_all_at_once() {
    let mut table = Table::line();
    table.put("x", &["b5", "b6"]);
    let outcomes = table.step(&["a5 attack b5", "b5 attack a5", "b6 attack a1", "a1 probe"]);
    let [first, second, third, probe] = outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!([first, second, third], [Outcome::Successful; 3], "the dying hit too");
    assert_eq!(probe, Outcome::FailedAttacked);
    assert_eq!((table.agent("a5").health, table.agent("b5").health), (0, 0));
    assert_eq!((table.agent("a1").health, table.agent("a1").energy), (1, 34));
    assert_eq!(table.one("a6 attack b5"), Outcome::Successful, "without effect on the disabled");
    assert_eq!(table.one("a6 attack b7"), Outcome::FailedAway);
    assert_eq!(table.one("a6 attack nobody"), Outcome::FailedWrongParam);
    assert_eq!(table.one("a6 attack a6"), Outcome::Successful, "even itself");
    assert_eq!(table.agent("a6").health, 0);
}

#[test]
fn several_attackers_add_up_and_the_attacked_still_move() {
    let mut table = Table::line();
    table.put("x", &["b5", "b6"]);
    let outcomes = table.step(&["b5 attack a3", "b6 attack a3", "a3 goto y"]);
    assert_eq!(outcomes, [Outcome::Successful; 3]);
    assert_eq!(table.agent("a3").health, 0);
    assert_eq!(table.at("a3"), "y");
}

#[test]
fn a_parry_wards_off_unless_luck_or_energy_fail() {
    let parry = |prepare: &dyn Fn(&mut Table)| {
        let mut table = Table::line();
        table.put("x", &["b5"]);
        prepare(&mut table);
        let outcomes = table.step(&["b5 attack a7", "a7 parry"]);
        (outcomes[0], outcomes[1], table.agent("a7").health)
    };
    let warded = (Outcome::FailedParried, Outcome::Successful, 1);
    assert_eq!(parry(&|_| {}), warded);
    let unlucky = (Outcome::Successful, Outcome::FailedRandom, 0);
    assert_eq!(parry(&|table| table.fail(&["a7"])), unlucky);
    let tired = (Outcome::Successful, Outcome::FailedStatus, 0);
    assert_eq!(parry(&|table| table.agent("a7").energy = 1), tired);
    let mut table = Table::line();
    assert_eq!(tried(&mut table, 5, "a7 parry"), (Outcome::Useless, 3));
}

#[test]
fn repairs_make_whole() {
    let mut table = Table::line();
    table.agent("a1").health = 0;
    assert_eq!(tried(&mut table, 5, "a3 repair a1"), (Outcome::Successful, 3));
    assert_eq!(table.agent("a1").health, 4);
    assert_eq!(tried(&mut table, 5, "a3 repair a3"), (Outcome::FailedWrongParam, 3));
    assert_eq!(tried(&mut table, 5, "a3 repair who"), (Outcome::FailedWrongParam, 3));
    assert_eq!(tried(&mut table, 5, "a3 repair b1"), (Outcome::FailedAway, 3));
    table.put("x", &["b1"]);
    table.agent("b1").health = 1;
    assert_eq!(table.one("a3 repair b1"), Outcome::Successful, "as the original");
    assert_eq!(table.agent("b1").health, 4);
    let rules = MarsRules { repair_enemy: false, ..MarsRules::default() };
    let mut table = Table::new(map(&[("x", 1)], "xx"), rules);
    assert_eq!(table.one("a3 repair b1"), Outcome::FailedWrongParam);
}

#[test]
fn order_decides_who_is_repaired_in_time() {
    let play = |order: &[&str]| {
        let mut table = Table::line();
        table.agent("a3").health = 0;
        table.agent("a4").health = 0;
        table.agent("a4").energy = 2;
        table.order(order);
        table.step(&["a3 repair a4", "a4 repair a3"])
    };
    // Enabled again it pays 2, which it has; disabled it would pay 3.
    assert_eq!(play(&["a3", "a4"]), [Outcome::Successful, Outcome::Successful]);
    assert_eq!(play(&["a4", "a3"]), [Outcome::Successful, Outcome::FailedResources]);
    let flees = |order: &[&str]| {
        let mut table = Table::line();
        table.order(order);
        table.step(&["a3 repair a1", "a1 goto y"])[0]
    };
    assert_eq!(flees(&["a3", "a1"]), Outcome::Successful);
    assert_eq!(flees(&["a1", "a3"]), Outcome::FailedAway);
}

#[test]
fn purchases_change_attributes() {
    let mut table = Table::line();
    table.money(8);
    assert_eq!(tried(&mut table, 35, "a1 buy battery"), (Outcome::Successful, 35));
    assert_eq!((table.agent("a1").max_energy, table.agent("a1").max_energy_disabled), (37, 36));
    assert_eq!(table.one("a1 buy SENSOR"), Outcome::Successful);
    assert_eq!(table.agent("a1").vis_range, 3);
    table.agent("a1").health = 1;
    assert_eq!(table.one("a1 buy shield"), Outcome::Successful);
    assert_eq!((table.agent("a1").health, table.agent("a1").max_health), (2, 5));
    table.money(2);
    assert_eq!(table.one("a1 buy sabotageDevice"), Outcome::FailedLimit);
    assert_eq!(table.one("a1 buy rocket"), Outcome::FailedWrongParam);
    assert_eq!(table.one("a5 buy sabotageDevice"), Outcome::Successful);
    assert_eq!(table.agent("a5").strength, 4);
    table.money(1);
    assert_eq!(tried(&mut table, 9, "a5 buy rocket"), (Outcome::FailedResources, 7), "money first");
    assert_eq!(table.state.teams[0].used_money, 8);
}

#[test]
fn bad_luck_costs_nothing_and_unknown_actions_neither() {
    let mut table = Table::line();
    table.fail(&["a1", "a5"]);
    table.put("x", &["b1"]);
    table.agent("a1").energy = 9;
    let outcomes = table.step(&["a1 goto y", "a5 attack b1", "a2 dance", "a9 noAction"]);
    let [unlucky, failed] = [Outcome::FailedRandom, Outcome::Failed];
    assert_eq!(outcomes, [unlucky, unlucky, failed, failed]);
    assert_eq!((table.agent("a1").energy, table.agent("b1").health), (9, 4));
    assert_eq!(table.agent("a2").energy, 35);
    assert_eq!(table.agent("a2").last.said, "unknownAction");
    assert_eq!(table.agent("a9").last.said, "noAction");
}

#[test]
fn achievements_pay_once_and_money_counts_in_every_step() {
    let mut table = Table::line();
    // No agent of the other team on its half of the line: a zone needs two vertices.
    for name in ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "b10"] {
        table.agent(name).health = 0;
    }
    table.put("y", &["a1"]);
    table.step(&["a1 probe"]);
    let team = &table.state.teams[0];
    // The whole line: one probed vertex of value 6 and three others.
    assert_eq!((team.zones_score, team.money, team.score), (9, 0, 9));
    assert!(team.fresh_achievements().is_empty());
    table.put("z", &["a2"]);
    table.step(&["a2 probe"]);
    let team = &table.state.teams[0];
    let names: Vec<String> = team.fresh_achievements().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["area10"]);
    assert_eq!((team.zones_score, team.money, team.score), (15, 2, 9 + 17));
    table.step(&[]);
    let team = &table.state.teams[0];
    assert!(team.fresh_achievements().is_empty());
    assert_eq!((team.money, team.score), (2, 9 + 17 + 17));
}

#[test]
fn attacks_parries_and_inspections_are_counted() {
    let mut table = Table::line();
    table.put("x", &["b1", "b2", "b3", "b4"]);
    table.put("y", &["b5", "b7"]);
    for _ in 0..5 {
        table.agent("b1").health = 4;
        table.agent("a7").energy = 30;
        table.agent("a5").energy = 20;
        table.agent("b6").energy = 20;
        table.put("x", &["b6"]);
        table.step(&["a5 attack b1", "b6 attack a7", "a7 parry"]);
    }
    table.one("a9 inspect");
    let names: Vec<String> =
        table.state.teams[0].achievements.iter().map(ToString::to_string).collect();
    assert!(
        ["attacked5", "parried5", "inspected5"]
            .iter()
            .all(|name| names.contains(&(*name).to_owned())),
        "{names:?}"
    );
    assert!(table.state.teams[1].achievements.iter().all(|one| !one.to_string().contains("ed")));
    let before = table.state.teams[0].inspected.len();
    assert_eq!(before, 7, "own and neighbouring vertices");
    table.one("a9 inspect");
    assert_eq!(table.state.teams[0].inspected.len(), before, "each enemy once");
}
