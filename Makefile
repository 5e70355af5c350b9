.DEFAULT_GOAL := help
.PHONY: help run build test contract fuzz asan tsan lint format bench bench-short soak container-test clean

help: ## say what there is to make
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

run: ## build and serve on http://127.0.0.1:8080
	scripts/run

build: ## build for release
	swift build -c release

test: ## run the whole suite
	scripts/test

contract: ## hold the server to openapi.yaml
	scripts/contract

fuzz: ## let libFuzzer loose on each target, for TIME seconds
	scripts/fuzz $(TIME)

asan: ## run the suite under AddressSanitizer
	scripts/sanitize address

tsan: ## run the suite under ThreadSanitizer
	scripts/sanitize thread

lint: ## check how the sources are written
	scripts/lint

format: ## write the sources as lint wants them
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources

bench: ## measure, beside the peers
	scripts/bench

bench-short: ## what needs neither a disk nor a million dishes, in about two minutes
	scripts/bench --short

soak: ## ten minutes of everything at once, every answer checked
	scripts/soak

container-test: ## build the image and run it as deploy/ tells to, without a Docker engine
	scripts/container-test

clean: ## remove what was built
	rm -rf .build Benchmarks/.build Fuzz/.build
