#!/usr/bin/env bash
# An agent for a Colosseum referee, which starts this file: `--agent deploy/colosseum/a1.agent.py`.
# Each agent needs its own file: copy it, make it executable, and use the names of your team and
# agent. In phalanxd's settings the team's server is "bridge". The path must contain "agent.py",
# even though this is a shell script. `phalanx` must be in the PATH, or write its whole path below.
# If the referee runs as another user, add --socket. To see what happens, add --log FILE: nothing
# may be printed, because the referee would take it for a reply.
set -euo pipefail
exec phalanx bridge --team A --agent a1 2>/dev/null
