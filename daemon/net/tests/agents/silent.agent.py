#!/usr/bin/env bash
# Answers no state.
set -euo pipefail

source "${0%/*}/play.sh"
state() { :; }
play
