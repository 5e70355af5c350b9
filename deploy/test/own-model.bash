# shellcheck shell=bash
# Builds the image of a package that depends on Bindery by URL, with the files of Examples/Counter. Sourced by
# scripts/container-test.

# Creates the package in an empty folder, and a repository with the present sources and a tag of a version.
make_package() {
  local folder=$1 repository=$2 version=$3 sources name
  git init --quiet --bare "$repository"
  # Changes that are not committed are included.
  sources=$(work_tree_commit "$root")
  git -C "$root" push --quiet "$repository" "$sources:refs/tags/$version"

  cp -r "$root/Examples/Counter" "$folder"
  rm -rf "$folder/.build"
  # Targets whose names modules of Bindery might have.
  for name in App HTTP JSON Server; do
    mkdir "$folder/Sources/$name"
    echo "public let name = \"$name\"" > "$folder/Sources/$name/$name.swift"
  done
  cat > "$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Counter",
  dependencies: [.package(url: "file:///bindery.git", from: "$version")],
  targets: [
    .target(name: "App"), .target(name: "HTTP"), .target(name: "JSON"), .target(name: "Server"),
    .executableTarget(
      name: "Counter", dependencies: ["App", "HTTP", "JSON", "Server", .product(name: "Bindery", package: "bindery")]),
  ]
)
SWIFT
}

check_own_model() {
  local folder=$scratch/package repository=$scratch/bindery.git image=localhost/counter:test version
  # A new version in each run, so that neither SwiftPM nor the cache of the image build uses earlier sources.
  version=0.1.$(date +%s)
  make_package "$folder" "$repository" "$version"
  log "building the image of a package of its own"
  if ! build_image "$image" "$folder" --volume "$repository:/bindery.git:ro" > "$work/own-model.log" 2>&1; then
    tail -20 "$work/own-model.log"
    check "a package that depends on Bindery by URL builds with the Dockerfile of the example" false
    return
  fi
  check "its image is smaller than 25 MB" test "$(podman image inspect --format '{{.Size}}' "$image")" -lt 25000000
  log "the image has $(podman image inspect --format '{{.Size}}' "$image") bytes"
  chown 65532:65532 "$scratch/token"
  check "it starts" podman run --detach --quiet --name own --network host --read-only --cap-drop ALL \
    --security-opt no-new-privileges --memory 128m --env "COUNTER_LISTEN=:$port" --volume own:/data \
    --volume "$scratch/token:/run/secrets/token:ro" "$image" serve --token-file /run/secrets/token
  check "it becomes healthy" wait_until 60 is_healthy own
  check "it accepts a write" api --fail -X PATCH "$url/state/count" -d 41
  check "it restarts" podman restart --time 10 own
  check "it keeps its state" wait_until 60 has_count 41
  check "its other commands run" podman exec own /usr/bin/Counter export
  podman rm --force --time 10 own > /dev/null
}

has_count() { is "$(api "$url/state/count")" "$1"; }
