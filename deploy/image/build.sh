#!/bin/sh
# Builds the image and prints its size: deploy/image/build.sh [NAME]. Run `npm run release` first. It needs buildah and root, or a user
# for whom buildah works without root.
#
# DEBIAN_IMAGE names the base of the build stage. Without it the base is made from Debian's packages with mmdebstrap, so that no registry of
# images is needed. BUILDAH_OPTIONS is given to `buildah build`, for example `--isolation chroot` inside another container.
set -eu
cd "$(dirname "$0")/../.."
name=${1:-gatehouse}
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
bundle=release/gatehouse-$version-linux-x64.tar.gz
[ -e "$bundle" ] || { echo "$bundle does not exist: run npm run release first" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${DEBIAN_IMAGE:-}" ]; then
  DEBIAN_IMAGE=localhost/gatehouse-debian:12
  mmdebstrap --quiet --variant=apt bookworm "$work/debian.tar"
  printf 'FROM scratch\nADD debian.tar /\n' > "$work/Containerfile"
  buildah build --quiet ${BUILDAH_OPTIONS:-} --tag "$DEBIAN_IMAGE" "$work" > /dev/null
fi
# Docker's format, because the format of OCI has no health check.
buildah build --quiet ${BUILDAH_OPTIONS:-} --format docker --file deploy/Containerfile \
  --build-arg "DEBIAN=$DEBIAN_IMAGE" --build-arg "BUNDLE=$bundle" --build-arg "VERSION=$version" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" --tag "$name:$version" . > /dev/null
buildah push --quiet "$name:$version" "docker-archive:$work/image.tar"
echo "$name:$version: $(($(stat -c %s "$work/image.tar") / 1000000)) MB, compressed $(($(gzip -c "$work/image.tar" | wc -c) / 1000000)) MB"
