#!/usr/bin/env bash
# Answers its second state with an id that is not its own.
set -euo pipefail

source "${0%/*}/play.sh"
state() {
    if ((tick == 2)); then id=somebody-else; fi
    say '"actions": []'
}
play
