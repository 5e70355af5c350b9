# shellcheck shell=bash
# Makes the image of the Dockerfile without a Docker engine. Sourced by scripts/container-test, which sets
# $root (the repository) and $work (where images and caches stay between runs).

# Storage, network and limits of our own: what the machine's user has of containers is not touched.
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

# The folder of the Swift toolchain in PATH: the one with bin and lib.
toolchain() {
  swift -print-target-info | sed -nE 's|.*"runtimeResourcePath" *: *"(.*)/lib/swift".*|\1|p'
}

# What stands for swift:6.3-bookworm where nothing may be pulled: the same Debian release with what that image has
# installed for the toolchain, and links to the toolchain of this machine, which is mounted for the build.
make_swift_image() {
  local tools=$1 image=$2 folder=$work/rootfs tool
  local packages=binutils,ca-certificates,gcc,git,libc6-dev,libcurl4,libgcc-12-dev,libncurses6,libsqlite3-0
  packages+=,libstdc++-12-dev,libxml2,pkg-config,tzdata
  say "making a base image for the build; this is done once"
  rm -rf --one-file-system "$folder"
  # In a mount namespace of its own: what it mounts is gone with it, however it ends.
  unshare --mount debootstrap --variant=minbase --include="$packages" bookworm "$folder" > "$work/debootstrap.log" 2>&1 ||
    skip "debootstrap cannot make a base image here: $(tail -1 "$work/debootstrap.log"); see $work/debootstrap.log"
  for tool in "$tools"/bin/*; do
    [[ -e $folder/usr/bin/${tool##*/} ]] || ln -s "$tool" "$folder/usr/bin/"
  done
  tar -C "$folder" -c . | podman import --quiet - "$image" > /dev/null
  rm -rf --one-file-system "$folder"
}

# build_image NAME [--pull]: builds the Dockerfile.
build_image() {
  local name=$1 base=docker.io/library/swift:6.3-bookworm options=() tools
  if [[ ${2-} == --pull ]]; then
    options+=(--pull)
  else
    tools=$(toolchain)
    [[ $tools && $tools != /usr ]] || skip "no Swift toolchain in a folder of its own: use --pull"
    # The name tells what is in it, so that another toolchain gets another base.
    base=localhost/bindery-swift:$(cksum <<< "$tools" | cut -d ' ' -f 1)
    podman image exists "$base" || make_swift_image "$tools" "$base"
    podman run --rm --network host "$base" true || skip "containers do not run here; see above"
    options+=(--pull-never --volume "$tools:$tools:ro")
  fi
  # The format of Docker is the one that knows health checks.
  buildah bud --format docker --isolation chroot --layers --signature-policy "$work/policy.json" \
    --build-arg SWIFT_IMAGE="$base" --build-arg REVISION="$revision" "${options[@]}" --tag "$name" "$root"
}
