#!/usr/bin/env bash
# What all agents of these tests share: a well-behaved one that tells its folder as its name and its
# process as its version, and does nothing. An agent overrides what it does otherwise.
set -euo pipefail

id=none
tick=0

say() { printf '{"agent_id": "%s", %s}\n' "$id" "$1"; }
introduce() { say "\"agent_name\": \"$PWD\", \"agent_version\": \"$$\""; }
state() { say '"actions": []'; }
stop() { exit 0; }

play() {
    local line
    while IFS= read -r line; do
        case $line in
            '{"set_agent_id"'*) id=${line#*: \"} && id=${id%\"*} && introduce ;;
            '{"ping"'*) say '"pong": "pong"' ;;
            '{"config"'*) say '"config": "read"' ;;
            '{"stop"'*) stop ;;
            *) tick=$((tick + 1)) && state ;;
        esac
    done
}
