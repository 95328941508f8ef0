#!/bin/sh
# Checks an image where no container engine can run it: deploy/image/check.sh IMAGE POSTGRESQL_URL. IMAGE is the name of a built image, or the
# folder that root-fs.sh made. The script mounts it read-only, starts a node in it as the image's user, with secrets from files and no
# writable folder at all, asks it for its health as the image's health check does, and prints how long the start took: the first one, which
# makes the tables of an empty database, and the second one. It needs root, a PostgreSQL on this machine and, for a built image, buildah.
set -eu
[ $# = 2 ] || { echo "usage: deploy/image/check.sh IMAGE POSTGRESQL_URL" >&2; exit 2; }
if [ -d "$1" ]; then
  MOUNTED=$1
else
  container=$(buildah from "$1")
  trap 'buildah rm "$container" > /dev/null' EXIT
  MOUNTED=$(buildah mount "$container")
fi
export MOUNTED DATABASE_URL="$2" PORT="${PORT:-18787}" HEALTH_PORT="${HEALTH_PORT:-18788}"
# The mounts end with their namespace.
unshare --mount sh -eu <<'INSIDE'
secrets=$(mktemp -d) root=$(mktemp -d)
printf %s "$DATABASE_URL" > "$secrets/database_url"
head -c 32 /dev/urandom | base64 > "$secrets/secret_key"
chmod 755 "$secrets"
unset DATABASE_URL
mount --bind "$MOUNTED" "$root"
mount --bind "$secrets" "$root/etc/gatehouse"
mount -t proc proc "$root/proc" 2>/dev/null || true
mount -o remount,bind,ro "$root/etc/gatehouse"
mount -o remount,bind,ro "$root"
run() { exec chroot --userspec=65532:65532 "$root" /usr/bin/env -i PATH=/usr/bin PORT="$PORT" GATEHOUSE_HEALTH_PORT="$HEALTH_PORT" HOST=127.0.0.1 GATEHOUSE_DATA=/data \
  DATABASE_URL_FILE=/etc/gatehouse/database_url GATEHOUSE_SECRET_KEY_FILE=/etc/gatehouse/secret_key "$@"; }
inside() { (run "$@"); }
for folder in / /tmp /data /etc/gatehouse; do
  if inside sh -c "echo > $folder/written" 2>/dev/null; then echo "$folder is writable"; exit 1; fi
done
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
start() {
  began=$(milliseconds)
  run gatehouse serve > "$secrets/log" 2>&1 &
  node=$!
  until inside wget -q -O - "http://127.0.0.1:$PORT/readyz" > /dev/null 2>&1; do
    kill -0 "$node" 2>/dev/null || { cat "$secrets/log"; exit 1; }
    [ $(($(milliseconds) - began)) -lt 120000 ] || { cat "$secrets/log"; exit 1; }
    sleep 0.05
  done
  echo "$1: ready after $(($(milliseconds) - began)) ms"
}
stop() {
  kill -TERM "$node"
  wait "$node" && echo "stopped with exit code 0"
}
start "first start"
inside wget -q -O - "http://127.0.0.1:$HEALTH_PORT/healthz" > /dev/null && echo "health check: ok"
inside gatehouse operator first-login 2>&1 | grep -q "http" && echo "command line: ok"
stop
start "second start"
stop
rm -rf "$secrets/log"
INSIDE
