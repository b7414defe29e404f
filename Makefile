# Every target says what it does after ##; `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo check fmt lint types imports tree test unit adapters live mcp test-agents
.PHONY: test-btrfs soak-undo
.PHONY: soak-audit test-selfapproval
.PHONY: matrix points soak-reload promises oracle-shell oracle-files
.PHONY: bench soak-typing soak-person soak-filter soak-kill soak-slate soak-elements oracle try-debian protocols lock clean

PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m pytest

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing: system packages, .venv, private sway, MCP inspector
	@scripts/setup.sh

demo: setup ## show the main job in a headless workspace; pictures go to demo/out/
	$(PYTHON) -m scripts.demo

check: setup lint types imports tree ## format, lint, types, import contracts, size budgets (under a minute)

fmt: setup ## rewrite the sources as `lint` wants them
	$(PYTHON) -m ruff check --fix --exit-zero .
	$(PYTHON) -m ruff format .

lint: setup
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

types: setup
	$(PYTHON) -m mypy

imports: setup
	.venv/bin/lint-imports --no-cache

tree: setup
	$(PYTEST) -q tests/unit/test_tree.py tests/unit/test_contracts.py tests/unit/test_house.py

test: setup ## all tests
	$(PYTEST)

unit: setup ## tests of pure modules and steps
	$(PYTEST) tests/unit

adapters: setup ## tests of the adapters against scripted peers
	$(PYTEST) tests/adapters

live: setup ## tests on a real headless sway
	$(PYTEST) tests/live

mcp: setup ## tests of the whole path, from an MCP client over stdio
	$(PYTEST) tests/mcp

test-btrfs: setup ## undo on a real btrfs: a loop-mounted image, as a plain user (needs root)
	SLATE_REQUIRE=btrfs $(PYTEST) tests/btrfs

test-agents: setup ## tests with the real Claude Code and Codex (800 MB, installed by this), on loopback only
	npm ci --prefix tests/agents/programs --no-audit --no-fund --loglevel=error </dev/null
	SLATE_REQUIRE=agents $(PYTEST) tests/agents

lock: ## resolve pyproject.toml anew into the two lock files
	scripts/lock.sh

bench: setup ## measure against the usual tools, side by side in one run
	@bench/rivals.sh
	$(PYTHON) -m bench

matrix: setup ## what works in which toolkit, told by applications of each; written to docs/toolkits.md
	$(PYTHON) -m tests.matrix.toolkits --write docs/toolkits.md

points: setup ## where clicks arrive, on every scale, transform and layout; written to docs/points.md
	$(PYTHON) -m tests.matrix.points --write docs/points.md

soak-typing: setup ## 500 random strings by keys alone into each toolkit, X11 programs too, read back
	$(PYTHON) -m tests.soak.typing

soak-person: setup ## 5,000 keys of the agent while a person opens windows, changes modes, locks the screen
	$(PYTHON) -m tests.soak.person

soak-reload: setup ## 200 reloads of sway while an agent types, with both kinds of seat: keys that went astray
	$(PYTHON) -m tests.soak.reload

soak-filter: setup ## 2,000 clients behind one seat filter, most of them bad; its cost per message and per start
	$(PYTHON) -m tests.soak.filter

soak-undo: setup ## random work of three tasks and a person, undone against an oracle; undo killed and resumed
	$(PYTHON) -m tests.soak.undo

soak-kill: setup ## kill the daemon in the middle of chords and texts, 50 times, and look at what is left
	$(PYTHON) -m tests.soak.kill

soak-slate: setup ## 200 processes on 50 slates with kills: no Seed lost, foreign or over the cap, no call over 2 s
	$(PYTHON) -m tests.soak.slate

soak-elements: setup ## click 200 elements by ref in five toolkits while their lists change
	$(PYTHON) -m tests.soak.elements

oracle-shell: setup ## 10,000 random command lines run by real bash: what started, and whether the grader knew of it
	$(PYTHON) -m tests.soak.shell_oracle

oracle-files: setup ## 5,000 random command lines run by real bash: what changed and was shown, and whether the grader knew
	$(PYTHON) -m tests.soak.file_oracle

oracle: setup ## our trees against pyatspi's, node by node, in GTK 3, GTK 4, Qt, Firefox and Chromium
	$(PYTHON) -m tests.oracle

soak-audit: setup ## 200 SIGKILLs of slated under 8 writers, a full disk, 600 damaged logs: nothing lost, nothing missed
	$(PYTHON) -m tests.soak.audit

test-selfapproval: setup ## attacks from inside a task on its own approval, each refused or told of in the threat model
	$(PYTHON) -m tests.soak.selfapproval
	SLATE_REQUIRE=live $(PYTEST) tests/live/test_self_approval.py tests/live/test_persons.py \
		tests/adapters/test_notify.py tests/adapters/test_untraceable.py tests/adapters/test_slated_daemon.py \
		tests/adapters/test_switchboard.py tests/adapters/test_service.py tests/unit/test_person.py

promises: setup ## break each promise on purpose in a copy and see its tests fail
	$(PYTHON) -m tests.breaks

try-debian: ## demo, or TRY="demo check test", in fresh roots of the other Debian, as root and as a plain user (needs root)
	TRY="$(TRY)" scripts/try_debian.sh

protocols: setup ## generate slate_desktop/wayland/bindings from protocols/
	$(PYTHON) scripts/protocols.py

clean: ## remove everything that setup and runs left in this clone
	rm -rf .venv build *.egg-info .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf demo/out bench/out tests/mcp/inspector/node_modules tests/agents/programs/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
