# shellcheck shell=bash
# Tests the image and a running service. Sourced by scripts/container-test.

port=$((20000 + RANDOM % 10000))
token=$(head -c 24 /dev/urandom | base64 | tr '+/' '-_')
url=http://127.0.0.1:$port

# The restrictions that deploy/ recommends: only the volume is writable, no capabilities, little memory. The token is
# mounted in the same way as a Compose file secret.
confined=(--read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges
  --memory 128m --pids-limit 64 --env "BINDERY_LISTEN=:$port"
  --volume "$scratch/token:/run/secrets/bindery_token:ro")
guarded=(serve --token-file /run/secrets/bindery_token)

api() { curl --silent --show-error --max-time 10 --header "Authorization: Bearer $token" "$@"; }

# wait_until SECONDS COMMAND...: repeats the command until it succeeds or the time is over.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    ((SECONDS < end)) || { "$@"; return; }
    sleep 0.1
  done
}

is_healthy() { podman healthcheck run "$1"; }
is_running() { [[ $(podman inspect --format '{{.State.Status}}' "$1" 2> /dev/null) == running ]]; }
is_unhealthy() { ! podman healthcheck run "$1"; }

# start NAME [OPTION...] -- ARGUMENT...: starts a container.
start() {
  local name=$1 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  podman run --detach --quiet --name "$name" --network host "${confined[@]}" "${options[@]}" "$image" "$@"
}

# is ACTUAL EXPECTED
is() { [[ $1 == "$2" ]] || { echo "expected '$2', got '$1'"; return 1; }; }

check_image() {
  local files=$scratch/image container version size
  mkdir "$files"
  container=$(podman create "$image")
  podman export "$container" | tar -C "$files" -x
  podman rm "$container" > /dev/null
  version=$("$files/usr/bin/bindery" version)
  size=$(podman image inspect --format '{{.Size}}' "$image")

  has() { is "$(podman image inspect --format "$1" "$image")" "$2"; }
  check "it runs as a numeric user other than root" has '{{.Config.User}}' 65532:65532
  check "it stores its state in a volume" has '{{json .Config.Volumes}}' '{"/data":{}}'
  check "it declares its port" has '{{json .Config.ExposedPorts}}' '{"8080/tcp":{}}'
  check "it is stopped by SIGTERM" has '{{.Config.StopSignal}}' SIGTERM
  check "it checks its health without a shell" has '{{json .HealthCheck.Test}}' '["CMD","/usr/bin/bindery","health"]'
  check "its version label is the version of the executable" \
    has '{{index .Labels "org.opencontainers.image.version"}}' "${version#bindery }"
  check "its revision label is the revision of the sources" has '{{index .Labels "org.opencontainers.image.revision"}}' "$revision"
  check "it contains one executable and no shell" \
    is "$(cd "$files" && find . -type f -perm /111 | sort | tr '\n' ' ')" "./usr/bin/bindery "
  check "it contains no shared library" is "$(find "$files" -name '*.so*')" ""
  check "the executable is stripped and static" is "$(readelf --wide --sections --program-headers \
    "$files/usr/bin/bindery" | grep -cE ' (\.symtab|INTERP|DYNAMIC) ')" 0
  check "it contains the time zone database" test -s "$files/usr/share/zoneinfo/Europe/Rome"
  check "it is smaller than 30 MB" test "$size" -lt 30000000
  log "the image has $size bytes"
  check_sbom "$files/usr/share/doc/bindery/sbom.spdx.json" "$files/usr/bin/bindery"
}

# Checks that the bill of materials is valid and describes this executable.
check_sbom() {
  local name
  if [[ -x $work/checkers/bin/pyspdxtools ]]; then
    check "its bill of materials is valid SPDX" "$work/checkers/bin/pyspdxtools" --infile "$1"
  else
    skip_check "validation of the bill of materials: the SPDX validator is not installed"
  fi
  for name in bindery swift-runtime libc6-dev libpq-dev libsodium-dev libsqlite3-dev libssl-dev libxxhash-dev libstdc++-12-dev tzdata; do
    check "its bill of materials lists $name" grep -qF "\"name\": \"$name\"," "$1"
  done
  check "its bill of materials has the checksum of the executable" grep -qF "$(sha256sum "$2" | cut -d ' ' -f 1)" "$1"
}

check_service() {
  (umask 077 && printf '%s\n' "$token" > "$scratch/token")
  chown 65532:65532 "$scratch/token"
  check_configuration_errors
  check_lifecycle
  check_failures
}

check_configuration_errors() {
  exits_with_configuration_error() {
    local code=0
    timeout 20 podman run --replace --name rejected --network host "${confined[@]}" "$image" "$@" || code=$?
    podman rm --force --time 1 rejected
    is "$code" 78
  }
  check "it does not start on a public address without a token" exits_with_configuration_error serve
  check "it does not start if the token file is missing" \
    exits_with_configuration_error serve --token-file /run/secrets/missing
}

check_lifecycle() {
  check "it starts" start life --volume life:/data -- "${guarded[@]}" --time-zone Europe/Rome
  is_running life || { skip_check "all checks of a running server"; return; }
  check "it becomes healthy" wait_until 60 is_healthy life
  check "it is healthy without IPv6" healthy_without_ipv6
  check "it responds over IPv4" wait_until 60 api --fail "$url/state/time"
  if [[ -e /proc/sys/net/ipv6 && $(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6) == 0 ]]; then
    check "it responds over IPv6" api --fail "http://[::1]:$port/state/time"
  else
    skip_check "IPv6: it is disabled on this machine"
  fi
  check "it requires the token" is \
    "$(curl --silent --output "$scratch/ignored" --write-out '%{http_code}' "$url/state/time")" 401
  check "its user on the host is not root" is "$(ps -o uid= -p "$(podman inspect --format '{{.State.Pid}}' life)" | tr -d ' ')" 65532
  check "it has no capabilities" is "$(grep -E '^Cap(Eff|Prm|Bnd)' "/proc/$(podman inspect --format '{{.State.Pid}}' life)/status" |
    awk '{print $2}' | sort -u)" 0000000000000000
  check "it accepts a write" api --fail -X PATCH "$url/state/pinnedDish/name" -d '"🍋 Limone"'

  check "it shuts down in time with exit code 0 while clients write and subscribe" stop_under_load life
  check "it starts again" podman start life
  check "the write is still there after the restart" wait_until 60 has_name '"🍋 Limone"'
  check "it backs up its store while it serves" podman exec life /usr/bin/bindery backup /data/copy.db
  podman rm --force --time 10 life > /dev/null
}

# Like a container on the default bridge network of Docker.
healthy_without_ipv6() {
  podman run --detach --replace --name alone "${confined[@]}" --network none --volume alone:/data \
    --sysctl net.ipv6.conf.all.disable_ipv6=1 "$image" "${guarded[@]}" || return
  wait_until 60 is_healthy alone || return
  podman rm --force --time 10 alone
}

has_name() { is "$(api "$url/state/pinnedDish/name")" "$1"; }

stop_under_load() {
  local code
  start_clients "$url"
  wait_until 60 all_clients_progress 0 && podman stop --time 15 "$1"
  code=$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' "$1")
  stop_clients
  # Exit code 137 would mean that podman killed the process after the timeout.
  is "$code" "exited 0"
}

check_failures() {
  local pid
  mkdir "$scratch/small"
  mount -t tmpfs -o size=3m,uid=65532,mode=700 tmpfs "$scratch/small" ||
    { skip_check "a full disk: tmpfs cannot be mounted here"; return; }
  head -c 1500000 /dev/zero > "$scratch/small/ballast"
  check "it starts on a small disk" start limited --volume "$scratch/small:/data" -- "${guarded[@]}"
  is_running limited || return 0
  check "it is healthy on a small disk" wait_until 60 is_healthy limited
  pid=$(podman inspect --format '{{.State.Pid}}' limited)
  kill -STOP "$pid"
  check "it is unhealthy while it hangs" is_unhealthy limited
  kill -CONT "$pid"
  check "it is healthy again when it continues" wait_until 60 is_healthy limited
  check "it responds with 507 when its disk is full" fill_disk
  check "it is unhealthy while its disk is full" is_unhealthy limited
  check "it still responds to reads while its disk is full" api --fail "$url/state/time"
  rm "$scratch/small/ballast"
  check "it is healthy again when there is disk space" wait_until 60 is_healthy limited
  check "it accepts writes again when there is disk space" api --fail -X PATCH "$url/state/time" -d '"tomorrow"'
  podman rm --force --time 10 limited > /dev/null
}

# Adds dishes until the response is 507 (Insufficient Storage).
fill_disk() {
  local n name status
  name=$(printf 'x%.0s' {1..90})
  for ((n = 0; n < 4000; n += 100)); do
    status=$(api --output "$scratch/ignored" --write-out '%{http_code}' -X PATCH "$url/state" \
      -H 'Content-Type: application/json-patch+json' -H 'Prefer: return=minimal' \
      -d "[$(for _ in {1..100}; do printf '{"op":"add","path":"/dishes/-","value":{"name":"%s"}},' "$name"; done |
        sed 's/,$//')]")
    [[ $status == 204 ]] && continue
    is "$status" 507
    return
  done
  echo "expected 507, but $n dishes were stored"
  return 1
}
