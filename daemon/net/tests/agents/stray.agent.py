#!/usr/bin/env bash
# Says something on standard error in its second tick.
set -euo pipefail

source "${0%/*}/play.sh"
state() {
    if ((tick == 2)); then echo 'Traceback of something' >&2; fi
    say '"actions": []'
}
play
