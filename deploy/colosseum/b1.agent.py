#!/usr/bin/env bash
# An agent for a Colosseum referee: this file is what it starts, as `--agent deploy/colosseum/b1.agent.py`.
# One file for each agent: copy it, make it executable, and change team and agent to names of yours
# in phalanxd's settings, where the team's server is "bridge". The path must contain "agent.py",
# whatever is inside. phalanx must be found in PATH, or be written with its whole path below; where
# the referee runs for another user, say --socket. To see what happens, add --log FILE: nothing may
# ever be printed, since the referee takes it for a reply.
set -euo pipefail
exec phalanx bridge --team B --agent b1 2>/dev/null
