#!/usr/bin/env bash
# Does not end, whatever it is told.
set -euo pipefail

source "${0%/*}/play.sh"
stop() {
    trap '' PIPE TERM
    exec tail -f /dev/null
}
play
