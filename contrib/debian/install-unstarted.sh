#!/bin/sh
# Install Debian packages and start none of their servers: sh install-unstarted.sh PACKAGE...
#
# Packages start theirs through the programs below, which dpkg finds by the path that apt gives it:
# here they do nothing. No file is written outside a temporary folder, such as a policy-rc.d, which
# would keep every server of the machine from starting if this were killed. If it is, apt goes on
# without it, and the folder stays: that starts nothing either.
set -eu

[ "$(id -u)" = 0 ] && as_root="" || as_root="sudo"
still=$(mktemp -d)
trap 'rm -rf "$still"' EXIT
chmod 755 "$still"
for program in deb-systemd-invoke initctl invoke-rc.d service systemctl; do
  printf '#!/bin/sh\nexit 0\n' >"$still/$program"
  chmod 755 "$still/$program"
done
if ! "$still/invoke-rc.d" 2>/dev/null; then
  echo "error: programs cannot be run in $still; choose another folder with TMPDIR" >&2
  exit 5
fi
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o DPkg::Lock::Timeout=600 -o "DPkg::Path=$still:/usr/sbin:/usr/bin:/sbin:/bin" "$@" >/dev/null
