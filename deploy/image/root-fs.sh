#!/bin/sh
# Makes the root file system of the image in a new folder: deploy/image/root-fs.sh FOLDER BUNDLE. It needs Debian 12 and root; the
# Containerfile runs it in its build stage, and a test where there is no container engine.
set -eu
[ $# = 2 ] || { echo "usage: deploy/image/root-fs.sh FOLDER BUNDLE" >&2; exit 2; }
root=$1 bundle=$2
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
mkdir -p "$root/etc/gatehouse" "$root/tmp" "$root/data" "$root/opt/gatehouse" "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64"
ln -s usr/bin "$root/bin"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"

# Node has its own certificate authorities and time zones. Busybox is the shell of bin/gatehouse and the client of the health check.
(cd "$packages" && apt-get -q -o APT::Sandbox::User=root download libc6 libgcc-s1 libstdc++6 busybox-static)
mkdir -p "$root/var/lib/dpkg/status.d"
for package in "$packages"/*.deb; do
  dpkg-deb --fsys-tarfile "$package" > "$packages/files.tar"
  tar x -f "$packages/files.tar" -C "$root" --keep-directory-symlink
  dpkg-deb -f "$package" > "$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$package" Package)"
done
rm -rf "$root"/usr/share/doc/*/changelog* "$root/usr/share/man" "$root/usr/share/lintian" "$root/usr/lib/x86_64-linux-gnu/gconv"
for tool in sh env dirname readlink wget; do ln -s busybox "$root/usr/bin/$tool"; done

tar xzf "$bundle" -C "$root/opt/gatehouse" --strip-components=1 --no-same-owner
rm -rf "$root/opt/gatehouse/docs" "$root/opt/gatehouse/deploy" "$root/opt/gatehouse/package-lock.json"
ln -s /opt/gatehouse/bin/gatehouse "$root/usr/bin/gatehouse"

echo 'gatehouse:x:65532:65532::/data:/bin/false' > "$root/etc/passwd"
echo 'gatehouse:x:65532:' > "$root/etc/group"
chmod 1777 "$root/tmp"
chmod 700 "$root/data"
chown 65532:65532 "$root/data"
