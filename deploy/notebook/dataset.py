"""Looks at the decisions of a league.

    phalanx league run --strategy mine --strategy shipped --seeds 1..20 --dataset league-data
    python3 dataset.py league-data

Editors with notebooks run it cell by cell: a cell begins at `# %%`. It needs Python 3.8 and pyarrow
(`pip install pyarrow`); pandas, polars and duckdb read the same folder.
"""

# %% Read all matches as one table: a row a decision
import collections
import sys

import pyarrow.compute as pc
import pyarrow.dataset

path = sys.argv[1] if len(sys.argv) > 1 else "league-data"
dataset = pyarrow.dataset.dataset(path, format="parquet")
# Percepts and boards are most of the data: leave them out where you do not need them.
light = [name for name in dataset.schema.names if name not in ("percept", "board")]
decisions = dataset.to_table(columns=light)
print(f"{len(decisions)} decisions in {len(pc.unique(decisions['match']))} matches")


def by(table, keys, values):
    """Groups in the order of their keys, as dictionaries."""
    grouped = table.group_by(keys).aggregate(values).sort_by([(key, "ascending") for key in keys])
    return grouped.to_pylist()


# %% Who won how often, and with which score?
ends = decisions.select(["match", "player", "outcome", "own_score"])
ends = ends.group_by(["match", "player", "outcome", "own_score"]).aggregate([])
for row in by(ends, ["player"], [("match", "count"), ("own_score", "mean")]):
    won = pc.sum(pc.equal(ends.filter(pc.field("player") == row["player"])["outcome"], "won")).as_py()
    print(f"{row['player']:<16} {row['match_count']} matches, {won or 0} won, mean score {row['own_score_mean']:.1f}")

# %% What did each strategy do, and what came of it?
name = pc.list_element(pc.split_pattern(pc.fill_null(decisions["action"], "(nothing)"), "("), 0)
acts = decisions.append_column("name", name)
acts = acts.append_column("came", pc.fill_null(acts["result"], "(not reported)"))
each = collections.defaultdict(collections.Counter)
for row in by(acts, ["player", "name", "came"], [("match", "count")]):
    each[row["player"], row["name"] or "(nothing)"][row["came"] or "(not reported)"] = row["match_count"]
every = collections.Counter()
for (player, _), came in each.items():
    every[player] += sum(came.values())
# Each game has its own words for a result.
for (player, name), came in each.items():
    words = ", ".join(f"{word} {count}" for word, count in came.most_common(4))
    print(f"{player:<16} {name:<16} {sum(came.values()) / every[player]:>6.1%} of its decisions: {words}")

# %% Which reasons come before won matches, and which before lost ones?
why = decisions.filter(pc.is_valid(pc.field("reason")) & pc.is_valid(pc.field("outcome")))
counts = {}
for row in by(why, ["reason", "outcome"], [("match", "count")]):
    counts.setdefault(row["reason"], {})[row["outcome"]] = row["match_count"]
often = sorted(counts.items(), key=lambda item: -sum(item[1].values()))
for reason, ended in often[:15]:
    print(f"{ended.get('won', 0):>7} won {ended.get('lost', 0):>7} lost  {reason[:70]}")

# %% One turn with everything: what the team knew when it decided
first = dataset.head(1).to_pylist()
for column, value in (first[0] if first else {}).items():
    print(f"{column:<14} {str(value)[:100]}")
