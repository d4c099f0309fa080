#!/usr/bin/env bash
# Starts and stops a PostgreSQL server of this run's own, which listens on a socket
# in $ZOO_HOME/pg alone. It refuses to run as root, so there it runs as postgres.
set -euo pipefail
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
as() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
case $1 in
start)
    chmod 755 "$ZOO_HOME"
    mkdir "$ZOO_HOME/pg"
    [ "$(id -u)" != 0 ] || chown postgres "$ZOO_HOME/pg"
    as "$bin/initdb" -D "$ZOO_HOME/pg/data" -U zoo -A trust --no-sync >/dev/null
    as "$bin/pg_ctl" -D "$ZOO_HOME/pg/data" -w -l "$ZOO_HOME/pg/log" \
        -o "-c listen_addresses='' -c unix_socket_directories=$ZOO_HOME/pg -c fsync=off" start >/dev/null
    ;;
stop) as "$bin/pg_ctl" -D "$ZOO_HOME/pg/data" -m immediate stop >/dev/null ;;
esac
