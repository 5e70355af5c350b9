# shellcheck shell=bash
# The image, and the service that it makes. Sourced by scripts/container-test.

port=$((20000 + RANDOM % 10000))
token=$(head -c 24 /dev/urandom | base64 | tr '+/' '-_')
url=http://127.0.0.1:$port

# What deploy/ tells an operator to give it: nothing to write but the volume, no capability, little memory. The token is
# mounted as Compose does that with the file of a secret.
confined=(--read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges
  --memory 128m --pids-limit 64 --env "BINDERY_LISTEN=:$port"
  --volume "$scratch/token:/run/secrets/bindery_token:ro")
guarded=(serve --token-file /run/secrets/bindery_token)

api() { curl --silent --show-error --max-time 10 --header "Authorization: Bearer $token" "$@"; }

# until_so SECONDS COMMAND...: tries until the command succeeds.
until_so() {
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

# start NAME [OPTION...] -- ARGUMENT...
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

is() { [[ $1 == "$2" ]] || { echo "it is '$1', not '$2'"; return 1; }; }

check_image() {
  local files=$scratch/image container version size
  mkdir "$files"
  container=$(podman create "$image")
  podman export "$container" | tar -C "$files" -x
  podman rm "$container" > /dev/null
  version=$("$files/usr/bin/bindery" version)
  size=$(podman image inspect --format '{{.Size}}' "$image")

  has() { is "$(podman image inspect --format "$1" "$image")" "$2"; }
  check "it runs as a user with a number, who is not root" has '{{.Config.User}}' 65532:65532
  check "it keeps its state in a volume" has '{{json .Config.Volumes}}' '{"/data":{}}'
  check "it says which port it listens on" has '{{json .Config.ExposedPorts}}' '{"8080/tcp":{}}'
  check "it is stopped by SIGTERM" has '{{.Config.StopSignal}}' SIGTERM
  check "it checks its health without a shell" has '{{json .HealthCheck.Test}}' '["CMD","/usr/bin/bindery","health"]'
  check "its label tells the version of the binary" \
    has '{{index .Labels "org.opencontainers.image.version"}}' "${version#bindery }"
  check "its label tells the revision of the sources" has '{{index .Labels "org.opencontainers.image.revision"}}' "$revision"
  check "there is one program in it, and no shell" \
    is "$(cd "$files" && find . -type f -perm /111 | sort | tr '\n' ' ')" "./usr/bin/bindery "
  check "there is no library in it" is "$(find "$files" -name '*.so*')" ""
  check "the program is stripped and static" is "$(readelf --wide --sections --program-headers \
    "$files/usr/bin/bindery" | grep -cE ' (\.symtab|INTERP|DYNAMIC) ')" 0
  check "the time zones are in it" test -s "$files/usr/share/zoneinfo/Europe/Rome"
  check "it takes less than 25 MB" test "$size" -lt 25000000
  say "the image has $size bytes"
  check_bill "$files/usr/share/doc/bindery/sbom.spdx.json" "$files/usr/bin/bindery"
}

# The bill of materials: valid, and about this binary.
check_bill() {
  local name
  if [[ -x $work/checkers/bin/pyspdxtools ]]; then
    check "its bill of materials is valid SPDX" "$work/checkers/bin/pyspdxtools" --infile "$1"
  else
    not_tried "the bill of materials against SPDX: the checker is missing"
  fi
  for name in bindery swift-runtime libc6-dev libsqlite3-dev libxxhash-dev libstdc++-12-dev tzdata; do
    check "its bill of materials names $name" grep -qF "\"name\": \"$name\"," "$1"
  done
  check "its bill of materials is about this program" grep -qF "$(sha256sum "$2" | cut -d ' ' -f 1)" "$1"
}

check_service() {
  (umask 077 && printf '%s\n' "$token" > "$scratch/token")
  chown 65532:65532 "$scratch/token"
  check_refusals
  check_life
  check_trouble
}

check_refusals() {
  refuses() {
    local code=0
    timeout 20 podman run --replace --name refused --network host "${confined[@]}" "$image" "$@" || code=$?
    podman rm --force --time 1 refused
    is "$code" 78
  }
  check "it does not start where others can reach it and no token guards it" refuses serve
  check "it does not start without the file of its token" refuses serve --token-file /run/secrets/missing
}

check_life() {
  check "it starts" start life --volume life:/data -- "${guarded[@]}" --time-zone Europe/Rome
  is_running life || { not_tried "all that needs a server"; return; }
  check "it becomes healthy" until_so 60 is_healthy life
  check "it is healthy where there is no IPv6" healthy_without_ipv6
  check "it answers over IPv4" until_so 60 api --fail "$url/state/time"
  if [[ -e /proc/sys/net/ipv6 && $(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6) == 0 ]]; then
    check "it answers over IPv6" api --fail "http://[::1]:$port/state/time"
  else
    not_tried "IPv6, which is switched off here"
  fi
  check "it wants the token" is \
    "$(curl --silent --output "$scratch/ignored" --write-out '%{http_code}' "$url/state/time")" 401
  check "it is no root outside either" is "$(ps -o uid= -p "$(podman inspect --format '{{.State.Pid}}' life)" | tr -d ' ')" 65532
  check "it has no capability" is "$(grep -E '^Cap(Eff|Prm|Bnd)' "/proc/$(podman inspect --format '{{.State.Pid}}' life)/status" |
    awk '{print $2}' | sort -u)" 0000000000000000
  check "it takes a write" api --fail -X PATCH "$url/state/pinnedDish/name" -d '"🍋 Limone"'

  check "it ends with 0 in time while clients write and listen" stop_under_load life
  check "it starts again" podman start life
  check "it has kept what was written" until_so 60 kept '"🍋 Limone"'
  check "it makes a copy of its store while it serves" podman exec life /usr/bin/bindery backup /data/copy.db
  podman rm --force --time 10 life > /dev/null
}

# As in a container on Docker's own bridge.
healthy_without_ipv6() {
  podman run --detach --replace --name alone "${confined[@]}" --network none --volume alone:/data \
    --sysctl net.ipv6.conf.all.disable_ipv6=1 "$image" "${guarded[@]}" || return
  until_so 60 is_healthy alone || return
  podman rm --force --time 10 alone
}

kept() { is "$(api "$url/state/pinnedDish/name")" "$1"; }

stop_under_load() {
  local code
  start_clients "$url"
  until_so 60 everybody_goes_on 0 && podman stop --time 15 "$1"
  code=$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' "$1")
  stop_clients
  # 137 is the code of a process that was killed when its time was up.
  is "$code" "exited 0"
}

check_trouble() {
  local pid
  mkdir "$scratch/small"
  mount -t tmpfs -o size=3m,uid=65532,mode=700 tmpfs "$scratch/small" ||
    { not_tried "a full disk, which cannot be mounted here"; return; }
  head -c 1500000 /dev/zero > "$scratch/small/ballast"
  check "it starts on a small disk" start trouble --volume "$scratch/small:/data" -- "${guarded[@]}"
  is_running trouble || return 0
  check "it is healthy on a small disk" until_so 60 is_healthy trouble
  pid=$(podman inspect --format '{{.State.Pid}}' trouble)
  kill -STOP "$pid"
  check "it is unhealthy while it hangs" is_unhealthy trouble
  kill -CONT "$pid"
  check "it is healthy when it goes on" until_so 60 is_healthy trouble
  check "it says so when its disk is full" fill_disk
  check "it is unhealthy while its disk is full" is_unhealthy trouble
  check "it still answers who reads while its disk is full" api --fail "$url/state/time"
  rm "$scratch/small/ballast"
  check "it is healthy again when there is room" until_so 60 is_healthy trouble
  check "it takes writes again when there is room" api --fail -X PATCH "$url/state/time" -d '"tomorrow"'
  podman rm --force --time 10 trouble > /dev/null
}

# Adds dishes until the answer is that there is no room.
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
  echo "the disk is not full after $n dishes"
  return 1
}
