#!/bin/sh
# What `make run` shows on a host without a container engine: the logs of a small shop, written until applogs ends.
#   demo.sh needed       whether no engine answers, and none was asked for
#   demo.sh write <dir>  writes <dir>/shop/*.log for as long as the process that called it lives
set -eu

answers() {
  for socket in /var/run/docker.sock "${XDG_RUNTIME_DIR:-/nowhere}/docker.sock" \
    /run/podman/podman.sock "${XDG_RUNTIME_DIR:-/nowhere}/podman/podman.sock"; do
    curl -sf -m 1 -o /dev/null --unix-socket "$socket" http://localhost/_ping && return
  done
  timeout 2 nerdctl ps -q >/dev/null 2>&1
}

asked() { env | grep -Eq '^(APPLOGS_|DOCKER_HOST=|CONTAINER_HOST=)'; }

# Not every date knows nanoseconds.
case $(date +%N) in *[!0-9]*) fraction= ;; *) fraction=.%N ;; esac

# As a container engine writes its logs, so that no text begins with its time once more.
say() { echo "$(date -u "+%Y-%m-%dT%H:%M:%S${fraction}Z") stdout F $2" >>"$shop/$1.log"; }

write() {
  shop=$1/shop
  rm -rf "$shop"
  mkdir -p "$shop"
  say needs-db 'database system is ready to accept connections'
  say worker 'waiting for orders'
  order=0
  while kill -0 "$PPID" 2>/dev/null; do
    order=$((order + 1))
    say web "GET /products/$((order * 7 % 23)) 200"
    if [ $((order % 3)) = 0 ]; then
      say web "POST /orders 201 order=$order"
      say worker "order $order is packed"
    fi
    if [ $((order % 10)) = 0 ]; then say needs-db 'checkpoint complete'; fi
    sleep 1
  done
}

case ${1-} in
  needed) ! asked && ! answers ;;
  write) write "$2" ;;
  *) sed -n '2,4s/^# *//p' "$0" >&2; exit 2 ;;
esac
