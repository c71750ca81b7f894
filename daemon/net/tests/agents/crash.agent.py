#!/usr/bin/env bash
# Ends in its third tick.
set -euo pipefail

source "${0%/*}/play.sh"
state() {
    if ((tick == 3)); then exit 1; fi
    say '"actions": []'
}
play
