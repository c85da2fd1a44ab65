# `make run` and `make test` do all the set-up by themselves, on a fresh clone.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

BUN_VERSION := $(shell sed -n 's/^ *"bun": "\(.*\)".*/\1/p' package.json)
VERSION := $(shell sed -n 's/^ *"version": "\(.*\)".*/\1/p' package.json)
COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
FULL_VERSION := $(VERSION)$(addprefix +,$(COMMIT))

BUN := node_modules/.bin/bun
SETUP := node_modules/.setup
BINARY := dist/applogs
KERNELS := src/kernels/kernels.wasm
SOURCES = $(KERNELS) $(shell find src plugins -type f)

# .patches/ takes SSH and gRPC out of dockerode: their native module does not compile in, and left out as
# --external it would be looked for, and run, in the working directory.
# --minify would break Elysia, which reads its handlers' source text. Without the last two, files in
# the working directory could run code in the service. Without --splitting, all that an import() leads to would be
# wrapped in functions, and run a sixth slower.
COMPILE := --compile --bytecode --format=esm --splitting --minify-whitespace --minify-syntax \
	--no-compile-autoload-bunfig --no-compile-autoload-dotenv \
	--define 'APPLOGS_VERSION="$(FULL_VERSION)"'

## help: list what can be made
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | awk -F': ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

## setup: install the pinned Bun and all packages
setup: $(SETUP)

# Install scripts never run, so Bun's own, which puts the executable in its place, is done by hand.
$(SETUP): package.json bun.lock bunfig.toml $(wildcard .patches/*)
	@set -e; boot=node_modules/.bootstrap; spec=bun@$(BUN_VERSION); mkdir -p $$boot; \
	pick() { for bun in $$1/@oven/bun-*/bin/bun; do \
	  [ "$$($$bun --version 2>/dev/null)" = $(BUN_VERSION) ] && echo $$bun && return; done; \
	  echo "no Bun $(BUN_VERSION) runs on this machine" >&2; exit 1; }; \
	if [ "$$($(BUN) --version 2>/dev/null)" = $(BUN_VERSION) ]; then bun=$(BUN); \
	elif [ "$$(bun --version 2>/dev/null)" = $(BUN_VERSION) ]; then bun=bun; \
	elif command -v npm >/dev/null; then \
	  npm install --prefix $$boot --ignore-scripts --no-save --loglevel=error $$spec; \
	  bun=$$(pick $$boot/node_modules); \
	elif command -v bun >/dev/null; then \
	  (cd $$boot && echo '{}' >package.json && bun add --ignore-scripts $$spec); \
	  bun=$$(pick $$boot/node_modules); \
	else echo "make: Node (with npm) or Bun is needed: see https://bun.com" >&2; exit 1; fi; \
	$$bun install --frozen-lockfile --ignore-scripts; \
	ln -f $$(pick node_modules) node_modules/bun/bin/bun.exe; \
	rm -rf $$boot; touch $@

PORT ?= 6020
## run: build, start on the container engine found here (or on a demo), and print a curl line
run: $(BINARY)
	@umask 077; mkdir -p dist/run; key=dist/run/api-key; \
	if test/demo.sh needed; then \
	  echo 'No container engine answers this user on this host: here are the logs of a demo, dist/run/demo/shop/*.log.'; \
	  echo 'To read an engine, start it, or say where it is: make run APPLOGS_DOCKER_SOCKET=/path (see $(BINARY) serve --help).'; \
	  test/demo.sh write dist/run/demo & \
	  export APPLOGS_RUNTIME=files APPLOGS_FILES_ROOT=dist/run/demo; \
	fi; \
	[ -s $$key ] || od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >$$key; \
	url=http://127.0.0.1:$(PORT)/api/apps; auth="Authorization: Bearer $$(cat $$key)"; \
	(for i in $$(seq 100); do apps=$$(curl -s -H "$$auth" $$url) && break; sleep 0.1; done; \
	app=$$(echo "$$apps" | sed -n 's/^{"apps":\[{"id":"\([^"]*\)".*/\1/p'); \
	kill -0 $$$$ && printf '\n  curl -H "%s" %s\n\n' "$$auth" "$$url$${app:+/$$app/logs}") & \
	exec $(BINARY) serve --listen 127.0.0.1:$(PORT) --api-key-file $$key \
	  --local-socket dist/run/applogs.sock

## test: run every test, on real runtimes too where this machine can
test: $(BINARY)
	@test/real/install.sh || true
	@$(BUN) test/run.ts

## check: format, lint with the layer rules, types, dead code
check: $(SETUP)
	node_modules/.bin/oxfmt --check .
	node_modules/.bin/oxlint --deny-warnings
	node_modules/.bin/tsc
	node_modules/.bin/knip

## format: put every file in the house's format
format: $(SETUP)
	node_modules/.bin/oxfmt .

## build: compile dist/applogs
build: $(BINARY)

$(BINARY): $(SETUP) $(SOURCES) dist/.version
	$(BUN) build $(COMPILE) src/main.ts --outfile $@

# Nothing of AssemblyScript's own library is used, so that nothing of it is in there.
$(KERNELS): $(SETUP) $(wildcard src/kernels/assembly/*.ts)
	$(BUN) node_modules/assemblyscript/bin/asc.js src/kernels/assembly/index.ts --outFile $@ -O3 --noAssert \
	  --runtime stub --use abort=

# Changes when the version does, so that an executable never tells an old one.
dist/.version: FORCE
	@mkdir -p dist; echo '$(VERSION) $(COMMIT)' | cmp -s - $@ || echo '$(VERSION) $(COMMIT)' >$@

## dist: compile for every platform, with notices, a bill of materials, and checksums
dist: $(SETUP) dist/applogs-linux-x64 dist/applogs-linux-x64-baseline dist/applogs-linux-arm64
	$(BUN) .release/materials.ts dist '$(FULL_VERSION)'
	cd dist && sha256sum applogs-linux-* applogs.cdx.json THIRD_PARTY_NOTICES.txt >SHA256SUMS

# Bun fetches the other platforms' runtimes from the npm registry, once.
dist/applogs-%: $(SETUP) $(SOURCES) dist/.version
	$(BUN) build $(COMPILE) --target=bun-$* src/main.ts --outfile $@

## bench: measure replay against the engine's own ways, side by side
bench: $(BINARY)
	$(BUN) test/bench/run.ts

## soak: run the long tests at full length, and then load and faults for SOAK_MINUTES (60)
soak: $(BINARY)
	@$(BUN) test/run.ts --soak

## clean: remove what was made
clean:
	rm -rf dist node_modules

FORCE:
.PHONY: help setup run test check format build dist bench soak clean FORCE
