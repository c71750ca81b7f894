"""Looks at the decisions of a whole league.

    phalanx league run --strategy mine --strategy shipped --seeds 1..20 --dataset league-data
    pip install duckdb
    python3 dataset.py league-data

The folder has a Parquet file for each match, with a row for each decision. Editors with notebooks run
this file cell by cell: a cell begins at `# %%`. It needs Python 3.8 and duckdb; pandas, polars and
pyarrow read the same files.
"""

# %% Open the folder: all files are one table
import sys

import duckdb

folder = sys.argv[1] if len(sys.argv) > 1 else "league-data"
duckdb.sql(f"create view decisions as select * from read_parquet('{folder}/match-*.parquet')")


def show(title, query):
    print(f"\n{title}")
    print(duckdb.sql(query))


show("Columns", "describe decisions")
show(
    "Matches, decisions and points of each player",
    """select player, count(distinct match) as matches, count(*) as decisions,
              round(avg(own_score), 1) as mean_score, round(avg(other_score), 1) as against
       from decisions group by player order by player""",
)

# %% What does each player do, and does it work?
show(
    "Actions and the referee's answers",
    """select player, role, split_part(action, '(', 1) as act, count(*) as times,
              round(avg(case when result = 'success' then 1 else 0 end), 2) as success
       from decisions where action is not null
       group by all order by player, times desc limit 30""",
)

# %% Which decisions go with won matches?
show(
    "Actions in won and in lost matches, for each 1000 decisions",
    """with acts as (
           select outcome, split_part(action, '(', 1) as act, count(*) as times
           from decisions where outcome is not null and action is not null group by all),
       sums as (select outcome, sum(times) as times from acts group by outcome)
       select act,
              round(sum(case when acts.outcome = 'won' then 1000 * acts.times / sums.times end)) as won,
              round(sum(case when acts.outcome = 'lost' then 1000 * acts.times / sums.times end)) as lost
       from acts join sums using (outcome) group by act order by won desc nulls last""",
)

# %% Where do scripts fail?
show(
    "Decisions that were not the script's own",
    """select player, kind, trouble, file, line, count(*) as times
       from decisions where kind <> 'decided' group by all order by times desc limit 20""",
)

# %% What was on the board?
show(
    "Keys of the boards",
    """select player, unnest(json_keys(board)) as key, count(*) as decisions
       from decisions where board is not null group by all order by decisions desc limit 20""",
)
