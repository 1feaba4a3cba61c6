# Headcount: make help lists the verbs. Nothing here is installed globally but Debian packages that
# the tests need.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
export UV_PYTHON_DOWNLOADS ?= never
# The tests start Python a thousand times. Without bytecode each would compile all of Headcount again.
unexport PYTHONDONTWRITEBYTECODE

# A uv of our own when the machine has none: Debian's Python refuses global installs.
UV := $(or $(shell command -v uv 2>/dev/null),.tools/bin/uv)
RUN := $(UV) run --no-sync
# What the main job and the tests start for real, beside what Headcount builds itself.
RUN_PACKAGES := samba
BENCH_PACKAGES := dbench dovecot-imapd dovecot-lmtpd fio nghttp2-client nginx postfix samba \
  samba-testsuite wrk
# The modules of the lab name the packages of their servers.
LAB_PACKAGES := $(shell grep -h '^PACKAGES = ' python/headcount/lab/*.py python/headcount/lab/stock/*.py | cut -d '"' -f 2)
PACKAGES := $(LAB_PACKAGES) altermime caddy chromium cron dbench iproute2 libreoffice-calc-nogui linux-perf openssh-client \
  openssh-server patch pcp pgbouncer php-fpm poppler-utils prometheus prometheus-node-exporter smbclient strace sysstat tshark
# rules.md quotes others.
PROSE := README.md CONTRIBUTING.md CHANGELOG.md $(filter-out docs/rules.md,$(wildcard docs/*.md docs/*/*.md))

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | \
	  while IFS='|' read -r verb text; do printf '  make %-8s %s\n' "$$verb" "$$text"; done

.PHONY: run
run: run-packages setup ## Start a Samba here and find how many people it holds: a few minutes
	@$(RUN) headcount run home-folders --target lab:samba --quick

.PHONY: test
test: packages setup .tools/mitmproxy/bin/mitmdump ## Install what the tests need, and run them all
	@$(RUN) python tests/all.py

.PHONY: proof
proof: packages setup .tools/mitmproxy/bin/mitmdump ## All cases of the long tests, which a release needs: on a quiet machine
	@HEADCOUNT_TESTS_FORK=0 $(RUN) python tests/suite.py --proof

.PHONY: check
check: setup ## Formatting, lints, types, spelling, the stub of the engine, the house rules
	@$(MAKE) --no-print-directory --jobs 2 --output-sync check-rust check-python

.PHONY: check-rust check-python
check-rust:
	cargo fmt --all --check
	@clippy-driver --version >/dev/null || { echo "error: make check needs Clippy; install it with" \
	  "'rustup component add clippy', or apt-get install rust-clippy" >&2; exit 5; }
	$(RUN) python tests/rust.py --build  # lints, and builds what make test runs

check-python:
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy
	$(RUN) mypy bench
	$(RUN) python -m mypy.stubtest headcount._engine
	$(RUN) typos
	$(RUN) proselint check --config proselint.json $(PROSE)
	$(RUN) pytest -q tests/tidy

.PHONY: bench
bench: bench-packages setup ## What the engine costs, and ratios to peers; figures of this machine, now
	$(RUN) python -m bench

MINUTES ?= 10
JOBS ?= 1
.PHONY: fuzz
fuzz: setup ## Look for inputs that break a reader: MINUTES=10 for all of them, JOBS=1 at a time
	@$(RUN) python tests/fuzz/run.py --minutes $(MINUTES) --jobs $(JOBS)

CRASHES ?= 10000
.PHONY: crash
crash: setup ## Crash what is written at any call, and check what is left: CRASHES=10000
	@$(RUN) python tests/crash/run.py --crashes $(CRASHES)

.PHONY: stub
stub: setup ## Write the type stub of the engine anew
	$(RUN) maturin generate-stubs --quiet -m crates/python/Cargo.toml --out target/stubs
	cp target/stubs/headcount/_engine.pyi python/headcount/_engine.pyi

.PHONY: setup
setup: cargo $(UV)
	@$(UV) sync --locked --quiet

# Beside Headcount, for it wants older packages than Headcount's.
.tools/mitmproxy/bin/mitmdump: | $(UV)
	@$(UV) venv --quiet --clear .tools/mitmproxy
	@$(UV) pip install --quiet --python .tools/mitmproxy mitmproxy==11.0.2

.PHONY: cargo
cargo:
	@command -v cargo >/dev/null || { \
	  echo "error: Headcount's engine is built with Rust, which is missing here; install it first" \
	       "(apt-get install cargo is too old on Debian 12: use rustup)" >&2; exit 5; }

.tools/bin/uv:
	python3 -m venv .tools
	.tools/bin/pip install --quiet uv

# Debian packages, asking nothing; only those that are missing. None of their servers is configured or
# started: tests start their own. Another apt, such as that of automatic updates, is waited for.
.PHONY: packages run-packages bench-packages
packages: WANTED := $(PACKAGES)
run-packages: WANTED := $(RUN_PACKAGES)
bench-packages: WANTED := $(BENCH_PACKAGES)
packages run-packages bench-packages:
	@missing=""; for package in $(WANTED); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing+=" $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  [ "$$(id -u)" = 0 ] && sudo="" || sudo="sudo"; \
	  echo "installing Debian packages:$$missing"; \
	  case "$$missing" in *postfix*) echo postfix postfix/main_mailer_type select No configuration | \
	    $$sudo debconf-set-selections;; esac; \
	  sh contrib/debian/install-unstarted.sh $$missing; \
	fi
