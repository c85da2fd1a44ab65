#!/bin/sh
# Installs what the real-runtime tests need, and only what is missing, on Debian and as root. Anywhere
# else it does nothing, and the tests say what they skip. No service is started.
set -eu

[ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null || exit 0
PATH=$PATH:/usr/sbin:/sbin

# It builds by itself, and says so when it cannot.
"$(dirname "$0")/nerdctl.sh" || true

packages=
need() { command -v "$1" >/dev/null || packages="$packages $2"; }
need dockerd docker.io
need containerd containerd
need runc runc
need podman podman
need conmon conmon
need systemd-analyze systemd
need systemd-nspawn systemd-container
need nginx nginx
need haproxy haproxy
command -v chromium >/dev/null || need chromium-headless-shell chromium-headless-shell
# A dynamically linked busybox cannot be an image; ldd fails for a static one.
if ! command -v busybox >/dev/null || ldd "$(command -v busybox)" >/dev/null 2>&1; then
  packages="$packages busybox-static"
fi
[ -n "$packages" ] || exit 0

# Debian's way to say that packages may not start their services while they are installed.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' INT TERM
fi
echo "installing for the real-runtime tests:$packages"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# shellcheck disable=SC2086
apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $packages
# Nor when the machine starts next time: the tests start engines of their own.
case $packages in
*docker.io*) systemctl --quiet disable docker.service docker.socket containerd.service || true ;;
esac
case $packages in
*nginx*) systemctl --quiet disable nginx.service || true ;;
esac
case $packages in
*haproxy*) systemctl --quiet disable haproxy.service || true ;;
esac
case $packages in
*podman*)
  systemctl --quiet disable podman.service podman.socket podman-restart.service \
    podman-auto-update.service podman-auto-update.timer || true
  ;;
esac
