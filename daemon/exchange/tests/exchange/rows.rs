//! Decisions as tables.

use crate::support::{Tape, done, turn};
use phalanx_exchange::{COLUMNS, DecisionRow, rows};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use serde_json::{Value, json};

fn table(tape: &Tape) -> Vec<DecisionRow> {
    let info = v1::RecordingInfo {
        id: "A-assemble-1".into(),
        team: "A".into(),
        game: "assemble".into(),
        ..v1::RecordingInfo::default()
    };
    let turns = tape.turns();
    turns.iter().flat_map(|turn| rows(&info, 1_795_311_000_250, turn).collect::<Vec<_>>()).collect()
}

#[test]
fn a_row_has_all_columns_in_order_and_reads_as_csv_and_as_json() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "").plays(turn(0, 2), &["a"], "success");
    let table = table(&tape);
    assert_eq!(table.len(), 2);
    assert_eq!(
        table[0].csv(),
        "A-assemble-1,A,assemble,0,1,1795311000250,a,worker,2,decided,move(1),\
         \"north is free, \"\"really\"\"\",3,,worker.luau,7,41,false,false,stands at 1,success,0,2,60"
    );
    let read: Value = serde_json::from_str(&table[0].json()).unwrap();
    assert_eq!(read["reason"], json!("north is free, \"really\""));
    assert_eq!((&read["result_step"], &read["late"]), (&json!(2), &json!(false)));
    assert_eq!(read["trouble"], Value::Null);
    let keys: Vec<_> =
        table[0].json().split("\":").map(|it| it.rsplit('"').next().unwrap().to_owned()).collect();
    assert_eq!(keys[..COLUMNS.len()], COLUMNS);
}

#[test]
fn a_column_has_one_type_in_every_row() {
    let mut tape = Tape::new();
    let fallback =
        v1::Fallback { reason: "no".into(), explained: "why".into(), ..v1::Fallback::default() };
    tape.event(turn(0, 1), "a", Kind::Fallback(fallback));
    tape.event(turn(0, 1), "b", Kind::Defaulted(v1::Defaulted { cause: 1 }));
    tape.event(turn(0, 1), "", done(2));
    tape.plays(turn(0, 2), &["a", "b"], "success");
    let table = table(&tape);
    let all: Vec<Value> =
        table.iter().map(|row| serde_json::from_str(&row.json()).unwrap()).collect();
    assert_eq!(all.len(), 4);
    let kind = |value: &Value| match value {
        Value::Null => "nothing",
        Value::Bool(_) => "truth",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) | Value::Object(_) => "nested",
    };
    for column in COLUMNS {
        let mut kinds: Vec<_> = all.iter().map(|row| kind(&row[column])).collect();
        kinds.retain(|kind| *kind != "nothing");
        kinds.dedup();
        assert!(kinds.len() <= 1 && !kinds.contains(&"nested"), "{column}: {kinds:?}");
    }
    assert_eq!((&all[0]["trouble"], &all[0]["reason"]), (&json!("no"), &json!("why")));
    assert_eq!((&all[1]["kind"], &all[1]["defaulted"]), (&json!("defaulted"), &json!(true)));
}

#[test]
fn the_head_of_a_csv_file_names_the_columns_that_are_promised() {
    assert_eq!(
        DecisionRow::csv_head(),
        "recording,team,game,round,step,time_ms,agent,role,generation,kind,action,reason,\
         reason_data,trouble,file,line,spent_us,late,defaulted,percept,result,result_round,\
         result_step,score"
    );
}
