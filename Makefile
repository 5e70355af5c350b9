.DEFAULT_GOAL := help
.PHONY: help run build test lint format bench bench-short clean

help: ## say what there is to make
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

run: ## build and serve on http://127.0.0.1:8080
	scripts/run

build: ## build for release
	swift build -c release

test: ## run the whole suite
	scripts/test

lint: ## check how the sources are written
	scripts/lint

format: ## write the sources as lint wants them
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

bench: ## measure, beside the peers
	scripts/bench

bench-short: ## the same in under three minutes
	scripts/bench --short

clean: ## remove what was built
	rm -rf .build Benchmarks/.build
