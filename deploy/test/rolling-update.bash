# shellcheck shell=bash
# Tests a rolling update behind deploy/Caddyfile under load. Sourced by scripts/container-test.

writers=(1 2 3 4)
subscribers=(1 2 3 4 5 6 7 8)
clients=()

dish() { echo "/state/dishes/00000000-0000-8000-8000-00000000000$1"; }

# writer URL N: writes 1, 2, 3, … to its own dish and retries each write until it is acknowledged. The file
# acknowledged.N contains the last acknowledged number, the file errors.N the status of every other response.
writer() {
  local number=1 status
  until [[ -e $scratch/stop_writers ]]; do
    status=$(api --insecure --output "$scratch/ignored.$2" --write-out '%{http_code}' -X PUT "$1$(dish "$2")" \
      -d "{\"name\":\"dish\",\"isFavorite\":false,\"status\":{\"inStock\":{\"quantity\":$number}}}" 2> "$scratch/curl.$2") ||
      true
    if [[ $status == 20[01] ]]; then
      echo "$number" > "$scratch/acknowledged.$2"
      number=$((number + 1))
    else
      echo "$status" >> "$scratch/errors.$2"
    fi
  done
}

# subscriber URL N: reads the event stream of one dish; reconnects with Last-Event-ID after a disconnection, like a
# browser. The file received.N contains the last value.
subscriber() {
  local last_id='' line
  while true; do
    while read -r line; do
      case $line in
        "id: "*) last_id=${line#id: } ;;
        "data: "*) echo "${line#data: }" > "$scratch/received.$2" ;;
      esac
    done < <(curl --silent --insecure --no-buffer --header "Authorization: Bearer $token" \
      --header 'Accept: text/event-stream' --header "Last-Event-ID: $last_id" "$1$(dish "$(writer_of "$2")")/status")
    sleep 0.1
  done
}

writer_of() { echo $((($1 - 1) % ${#writers[@]} + 1)); }

# launch LOG COMMAND...: runs a command in the background, in a process group that can be killed as a whole.
launch() {
  local log=$1
  shift
  set -m
  "$@" < /dev/null > "$log" 2>&1 &
  clients+=($!)
  set +m
}

# start_clients URL: starts all writers and subscribers.
start_clients() {
  local n
  rm -f "$scratch"/{stop_writers,acknowledged.*,errors.*,received.*}
  for n in "${writers[@]}"; do launch "$scratch/writer.$n.log" writer "$1" "$n"; done
  for n in "${subscribers[@]}"; do launch "$scratch/subscriber.$n.log" subscriber "$1" "$n"; done
}

stop_clients() {
  local client
  # Kill all before waiting for any, because the proxy exits only after its clients.
  for client in "${clients[@]}"; do kill -- "-$client" 2> /dev/null || true; done
  for client in "${clients[@]}"; do wait "$client" 2> /dev/null || true; done
  clients=()
}

acknowledged() { cat "$scratch/acknowledged.$1" 2> /dev/null || echo 0; }

# all_clients_progress N: succeeds if each writer has more than N acknowledged writes and each subscriber has a value.
all_clients_progress() {
  local n
  for n in "${writers[@]}"; do (($(acknowledged "$n") > $1)) || return; done
  for n in "${subscribers[@]}"; do [[ -s $scratch/received.$n ]] || return; done
}

start_proxy() {
  BINDERY_SITE=localhost:$((port + 1)) BINDERY_UPSTREAM=127.0.0.1:$port BINDERY_HTTPS_PORT=$((port + 1)) \
    BINDERY_HTTP_PORT=$((port + 2)) CADDY_ADMIN=127.0.0.1:$((port + 3)) HOME=$scratch XDG_DATA_HOME=$scratch/caddy \
    launch "$scratch/caddy.log" caddy run --adapter caddyfile --config "$root/deploy/Caddyfile"
}

# replace OLD NEW: performs a rolling update.
replace() {
  local maximum=0 n
  start "$2" --volume rolling:/data -- "${guarded[@]}" --store-wait 60s || return
  wait_until 60 is_waiting "$2" || return
  podman stop --time 15 "$1" || return
  is "$(podman inspect --format '{{.State.ExitCode}}' "$1")" 0 || return
  podman rm "$1" || return
  wait_until 60 is_healthy "$2" || return
  for n in "${writers[@]}"; do (($(acknowledged "$n") > maximum)) && maximum=$(acknowledged "$n"); done
  wait_until 60 all_clients_progress "$maximum"
}

is_waiting() { podman logs "$1" 2>&1 | grep -q waiting; }

# Checks that every acknowledged write exists. At most one later write per writer may exist: the one in flight.
no_write_is_lost() {
  local n actual expected
  for n in "${writers[@]}"; do
    actual=$(api --fail "$url$(dish "$n")/status/inStock/quantity") || return
    expected=$(acknowledged "$n")
    ((actual == expected || actual == expected + 1)) ||
      { echo "writer $n: $expected was acknowledged, but the server has $actual"; return 1; }
  done
}

# received_last_value N: checks that the last value of a subscriber is the current one.
received_last_value() { is "$(cat "$scratch/received.$1")" "$(api "$url$(dish "$(writer_of "$1")")/status")"; }

check_rolling_update() {
  local site=https://localhost:$((port + 1)) n round
  check "the first server starts" start server0 --volume rolling:/data -- "${guarded[@]}"
  is_running server0 || { skip_check "the rolling update"; return; }
  check "the first server becomes healthy" wait_until 60 is_healthy server0
  start_proxy
  check "Caddy responds over HTTP/2" wait_until 60 responds_over_http2 "$site"
  start_clients "$site"
  check "writers and subscribers make progress" wait_until 60 all_clients_progress 0
  for round in 1 2 3; do
    check "the next server takes over under load (round $round)" replace "server$((round - 1))" "server$round"
  done
  touch "$scratch/stop_writers"
  # The first client is the proxy; the writers follow.
  for n in "${clients[@]:1:${#writers[@]}}"; do wait "$n" || true; done
  check "no acknowledged write is lost" no_write_is_lost
  for n in "${subscribers[@]}"; do
    check "subscriber $n received the last value" wait_until 60 received_last_value "$n"
  done
  log "$(cat "$scratch"/acknowledged.* | awk '{sum += $1} END {print sum}') writes were acknowledged," \
    "$(cat "$scratch"/errors.* 2> /dev/null | wc -l) were rejected or interrupted and sent again"
  stop_clients
  podman rm --force --time 10 "server$round" > /dev/null
}

responds_over_http2() { is "$(api --insecure --http2 --output "$scratch/ignored" --write-out '%{http_version}' "$1/livez")" 2; }
