# shellcheck shell=bash
# Builds the image of the Dockerfile without a Docker engine. Sourced by scripts/container-test, which sets $root (the
# repository) and $work (images and caches that are reused between runs).

# Configures private storage and limits, so that existing containers and images of the user are not affected.
configure_containers() {
  mkdir -p "$work"
  cat > "$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
  cat > "$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/storage"
runroot = "$work/run"
CONF
  cat > "$work/policy.json" <<'CONF'
{"default": [{"type": "insecureAcceptAnything"}]}
CONF
  export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf
}

# Prints the directory of the Swift toolchain in PATH, which contains bin and lib.
toolchain_directory() {
  swift -print-target-info | sed -nE 's|.*"runtimeResourcePath" *: *"(.*)/lib/swift".*|\1|p'
}

# Creates a replacement for swift:6.3-bookworm without a registry, in the steps of its Dockerfile
# (https://github.com/swiftlang/swift-docker, 6.3/debian/12): Debian 12, these packages, and the toolchain in /usr.
make_swift_image() {
  local tools=$1 image=$2 folder=$work/rootfs
  local packages=binutils,libicu-dev,libcurl4-openssl-dev,libedit-dev,libsqlite3-dev,libncurses-dev,libpython3-dev
  packages+=,libxml2-dev,pkg-config,uuid-dev,tzdata,git,gcc,libstdc++-12-dev
  # Recommended by git; debootstrap installs dependencies only.
  packages+=,ca-certificates
  log "creating a base image for the build (first run only)"
  make_debian_root "$folder" "$packages"
  cp -a "$tools/." "$folder/usr/"
  tar -C "$folder" -c . | podman import --quiet - "$image" > /dev/null
  rm -rf --one-file-system "$folder"
}

# make_debian_root FOLDER PACKAGES: creates a root file system with Debian 12.
make_debian_root() {
  rm -rf --one-file-system "$1"
  # A private mount namespace, so that the mounts of debootstrap disappear even after a failure.
  unshare --mount debootstrap --variant=minbase --include="$2" bookworm "$1" > "$work/debootstrap.log" 2>&1 ||
    skip "debootstrap failed: $(tail -1 "$work/debootstrap.log"); see $work/debootstrap.log"
}

# Prints the name of the image to build with, which it creates if needed.
swift_image() {
  local tools base
  tools=$(toolchain_directory)
  [[ $tools == */usr && $tools != /usr ]] ||
    skip "the Swift toolchain has no directory of its own, so it cannot be copied; use --pull"
  # The name contains a checksum of the toolchain and of these steps, so that a change of either creates a new image.
  base=localhost/swift:$({ swift --version 2>&1; declare -f make_swift_image; } | cksum | cut -d ' ' -f 1)
  podman image exists "$base" || make_swift_image "$tools" "$base"
  podman run --rm --network host "$base" true || skip "containers cannot run here; see the output above"
  echo "$base"
}

# build_image NAME FOLDER [OPTION...]: builds the Dockerfile in a folder, with options of buildah.
build_image() { docker build "${@:3}" --tag "$1" "$2"; }
