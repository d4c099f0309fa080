#!/bin/bash
# Makes docs/demo.gif: an agent's calls to a server of its own, and the session's
# recording as an animation. Usage: docs/demo.sh GLASSTTY
set -euo pipefail
glasstty=$1 out=$(cd "$(dirname "$0")" && pwd)/demo.gif
work=$(mktemp -d)
export HOME=$work GLASSTTY_SOCKET=$work/socket GLASSTTY_DATA_DIR=$work/data
trap '"$glasstty" stop --yes > /dev/null; rm -rf "$work"' EXIT
cd "$work"
printf 'host = localhost\nport = 8080\nworkers = 2\nlog = warn\n' > server.conf

"$glasstty" serve --background --no-http > /dev/null
line() { "$glasstty" send_and_read session_id=demo text="$1" press_enter=true > /dev/null; sleep 1.2; }
keys() { "$glasstty" send_keys session_id=demo keys="$1" > /dev/null; sleep 1.2; }

"$glasstty" start_process command=bash args=--norc name=demo rows=18 cols=72 env.PS1='$ ' > /dev/null
sleep 0.5
line 'python3 -q'
line '2 ** 100'
line '[n for n in range(2, 50) if all(n % d for d in range(2, n))]'
line 'exit()'
line 'clear; vim -u NONE -c "set nu" server.conf'
keys '["down",{"text":"Cport = 9090"},"escape"]'
keys '[{"text":":%s/warn/debug/"},"enter"]'
keys '[{"text":":wq"},"enter"]'
line 'cat server.conf'
line 'clear; whiptail --title Install --checklist "Components" 12 50 3 core "Core" on docs "Manuals" off lang "Languages" on'
keys '["down","space"]'
keys '["down","space"]'
keys '["tab","enter"]'
"$glasstty" export demo --idle-limit 1.4 -o "$out"
