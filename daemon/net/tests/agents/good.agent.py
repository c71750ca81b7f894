#!/usr/bin/env bash
# Does nothing, well.
set -euo pipefail

source "${0%/*}/play.sh"
play
