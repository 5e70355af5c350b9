.DEFAULT_GOAL := help
# Where `make install` puts the program and its manual page, and how it builds them.
PREFIX ?= $(HOME)/.local
DESTDIR ?=
BUILD_OPTIONS ?= -c release --static-swift-stdlib -Xlinker -s

.PHONY: help run build install uninstall dist docs tutorial readme test macros contract monitoring examples consume kill promotion replicas models repetitions client firefox fuzz asan tsan picture lint format bench bench-short soak attack container-test clean console axe

help: ## list all targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

run: ## build and serve on http://127.0.0.1:8080
	scripts/run

build: ## build in release mode
	swift build -c release

install: ## build bindery, and install it in PREFIX/bin (~/.local/bin)
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' BUILD_OPTIONS='$(BUILD_OPTIONS)' scripts/install

uninstall: ## remove what install has installed
	rm -f '$(DESTDIR)$(PREFIX)/bin/bindery' '$(DESTDIR)$(PREFIX)/share/man/man1/bindery.1'

dist: ## build the Debian package and the archive of a release
	scripts/dist

test: ## run all tests
	scripts/test

macros: ## test the macros against the toolchain's SwiftSyntax
	scripts/macros

docs: ## check the public interface and build the documentation
	scripts/docs

tutorial: ## follow the tutorial in an empty folder
	scripts/tutorial

readme: ## run the commands of the README in a fresh clone
	scripts/readme

contract: ## check the server against openapi.yaml
	scripts/contract

monitoring: ## check the dashboard and the alert rules against a running server
	scripts/monitoring

examples: ## build and test the packages in Examples
	scripts/examples

consume: ## build a package that depends on this repository by URL and version (about two minutes)
	scripts/consume

kill: ## kill servers under load, 200 times each (about five minutes)
	scripts/kill

promotion: ## promote a standby of PostgreSQL under two servers (ROUNDS)
	scripts/promotion $(ROUNDS)

replicas: ## check three servers on PostgreSQL under faults, and 100,000 reconnects of streams (about 20 minutes)
	scripts/replicas --long

models: ## compare a model file with the same model in Swift by 200,000 random requests (ROUNDS, SEED)
	scripts/models $(ROUNDS) $(SEED)

repetitions: ## repeat 10,000 writes with idempotency keys after cut connections, failing disks and killed servers (COUNT)
	REPETITIONS=$(or $(COUNT),10000) swift test --disable-xctest --filter RepetitionTests

client: ## increment one number 10,000 times while connections are cut, and look for leaks (COUNT)
	scripts/client $(COUNT)

firefox: ## run the browser client in Firefox
	scripts/firefox

fuzz: ## run libFuzzer on each fuzz target for TIME seconds
	scripts/fuzz $(TIME)

asan: ## run the tests under AddressSanitizer
	scripts/sanitize address

tsan: ## run the tests under ThreadSanitizer
	scripts/sanitize thread

picture: ## take the picture of the menu page in the README
	BINDERY_PICTURE=$(CURDIR)/docs/images/menu.png swift test --disable-xctest --filter PictureTests

lint: ## check the code style
	scripts/lint

format: ## format the Swift sources
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Examples

bench: ## run all benchmarks, in about an hour
	scripts/bench

bench-short: ## run shorter benchmarks, in about ten minutes
	scripts/bench --short

soak: ## run the soak test, in ten minutes
	scripts/soak

console: ## measure the console with 100,000 elements, and at 100 changes per second for MINUTES (five)
	scripts/console $(MINUTES)

axe: ## check the console with axe-core, which pip downloads
	scripts/axe

attack: ## send costly requests to a server that is limited to 128 MiB of memory (one minute, as root)
	scripts/soak 60 --attacks

container-test: ## build and test the container image, without a Docker engine
	scripts/container-test

clean: ## remove build products
	rm -rf .build dist Benchmarks/.build Fuzz/.build Examples/*/.build
