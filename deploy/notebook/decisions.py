"""Looks at the decisions of a recorded match.

    phalanx recording export MATCH.mcap --to csv --out decisions.csv
    python3 decisions.py decisions.csv

Editors with notebooks run it cell by cell: a cell begins at `# %%`. It needs Python 3.8 and nothing
else; where pandas is installed, the last cells make a data frame, and Parquet of it.
"""

# %% Read the table: a row a decision, the same columns always
import collections
import csv
import json
import statistics
import sys

path = sys.argv[1] if len(sys.argv) > 1 else "decisions.csv"
WHOLE = ["round", "step", "time_ms", "generation", "line", "spent_us", "result_round", "result_step", "score"]
TRUTH = ["late", "defaulted"]


def read(path):
    """CSV and JSON lines hold the same: what is empty in one is null in the other."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file]
        rows = []
        for row in csv.DictReader(file):
            row = {name: value if value != "" else None for name, value in row.items()}
            row.update({name: int(row[name]) for name in WHOLE if row[name] is not None})
            row.update({name: row[name] == "true" for name in TRUTH})
            rows.append(row)
        return rows


rows = read(path)
print(f"{len(rows)} decisions of {len({row['agent'] for row in rows})} agents")

# %% How did agents come to their actions?
for kind, count in collections.Counter(row["kind"] for row in rows).most_common():
    print(f"{kind:<10} {count:>8} {count / len(rows):>7.1%}")

# %% What did each role do, and what came of it?
by_role = collections.defaultdict(collections.Counter)
results = collections.defaultdict(collections.Counter)
for row in rows:
    action = (row["action"] or "(nothing)").split("(")[0]
    by_role[row["role"] or "?"][action] += 1
    results[action][row["result"] or "(not reported)"] += 1
for role, actions in sorted(by_role.items()):
    print(role, ", ".join(f"{action} {count}" for action, count in actions.most_common(5)))
# Each game has its own words for a result.
for action, counts in sorted(results.items(), key=lambda item: -sum(item[1].values()))[:5]:
    print(f"{action:<12} {sum(counts.values())} times:", ", ".join(f"{word} {count}" for word, count in counts.most_common(4)))

# %% Which lines of the strategy take the time?
spent = collections.defaultdict(list)
for row in rows:
    if row["spent_us"] is not None:
        spent[f"{row['file'] or '?'}:{row['line'] or '?'}"].append(row["spent_us"])
slowest = sorted(spent.items(), key=lambda item: -sum(item[1]))
for place, times in slowest[:10]:
    print(f"{place:<32} {len(times):>7} times, median {statistics.median(times):>8.0f} µs, most {max(times)} µs")

# %% Where does the score come from?
before = None
for row in rows:
    if row["score"] is not None and row["score"] != before:
        if before is not None:
            print(f"{row['round']}:{row['step']:<6} {row['score'] - before:+} → {row['score']}")
        before = row["score"]

# %% With pandas: a data frame, and Parquet where a writer for it is installed
try:
    import pandas
except ImportError:
    pandas = None

if pandas is not None:
    frame = pandas.DataFrame(rows).astype({name: "Int64" for name in WHOLE})
    print(frame.groupby(["role", "kind"]).size().unstack(fill_value=0))
    try:
        frame.to_parquet(path.rsplit(".", 1)[0] + ".parquet")
    except ImportError:
        print("pyarrow or fastparquet would write Parquet")
