#!/bin/sh
# Checks a built image where no container engine can run it: deploy/image/check.sh IMAGE POSTGRESQL_URL. It mounts the image read-only,
# starts a node in it as the image's user, with secrets from files and no writable folder at all, asks it for its health as the image's
# health check does, and prints how long the start took. It needs root, buildah, and a PostgreSQL on this machine.
set -eu
[ $# = 2 ] || { echo "usage: deploy/image/check.sh IMAGE POSTGRESQL_URL" >&2; exit 2; }
container=$(buildah from "$1")
trap 'buildah rm "$container" > /dev/null' EXIT
export MOUNTED="$(buildah mount "$container")" DATABASE_URL="$2" PORT="${PORT:-18787}" HEALTH_PORT="${HEALTH_PORT:-18788}"
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
began=$(milliseconds)
run gatehouse serve > "$secrets/log" 2>&1 &
node=$!
until inside wget -q -O - "http://127.0.0.1:$PORT/readyz" > /dev/null 2>&1; do
  kill -0 "$node" 2>/dev/null || { cat "$secrets/log"; exit 1; }
  [ $(($(milliseconds) - began)) -lt 120000 ] || { cat "$secrets/log"; exit 1; }
  sleep 0.05
done
echo "ready after $(($(milliseconds) - began)) ms"
inside wget -q -O - "http://127.0.0.1:$HEALTH_PORT/healthz" > /dev/null && echo "health check: ok"
inside gatehouse operator first-login 2>&1 | grep -q "http" && echo "command line: ok"
kill -TERM "$node"
wait "$node" && echo "stopped with exit code 0"
rm -rf "$secrets/log"
INSIDE
