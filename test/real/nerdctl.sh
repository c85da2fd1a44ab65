#!/bin/sh
# Builds the nerdctl that the real-runtime tests use, unless one is installed. It needs Go, takes minutes
# the first time, and is kept. Where it cannot be built, this says why, and the tests say what they skip.
set -eu

module=github.com/containerd/nerdctl/v2
version=v2.3.5
cache=$(cd "$(dirname "$0")/../.." && pwd)/node_modules/.cache/applogs

PATH=$PATH:/usr/sbin:/sbin:/usr/local/go/bin
command -v nerdctl >/dev/null && exit 0
case $("$cache/nerdctl" --version 2>/dev/null || true) in *" ${version#v}") exit 0 ;; esac
if ! command -v go >/dev/null; then
  echo "nerdctl is not built: there is no Go"
  exit 0
fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/nerdctl.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch"

# Its main program takes in an interface of its tests from the module tigron, which is nowhere but in its
# repository. The directive that says so keeps `go install` from building it, and counts for nothing in a
# module that depends on it: there, as much of tigron as it takes to compile will do.
mkdir tigron tigron/tig
printf 'module github.com/containerd/nerdctl/mod/tigron\n\ngo 1.26\n' >tigron/go.mod
printf 'package tig\n\ntype T interface {\n\tLog(args ...any)\n\tFailNow()\n}\n' >tigron/tig/tig.go
printf 'module scratch\n\nreplace github.com/containerd/nerdctl/mod/tigron => ./tigron\n' >go.mod

export CGO_ENABLED=0 GOWORK=off
echo "building nerdctl $version for the real-runtime tests, which takes minutes the first time"
if go get "$module/cmd/nerdctl@$version" >log 2>&1 &&
  go build -trimpath -ldflags "-s -w -X $module/pkg/version.Version=$version" \
    -o nerdctl "$module/cmd/nerdctl" >>log 2>&1; then
  # In one step, so that nobody ever runs half of it.
  mv -f nerdctl "$cache/nerdctl"
else
  echo "nerdctl is not built:" \
    "$(grep -Ev '^go: (downloading|added|upgraded)|imports$|^#' log | head -n 1)"
fi
