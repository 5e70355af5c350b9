# shellcheck shell=bash
# One server replaced by another behind the shipped Caddyfile, under load. Sourced by scripts/container-test.

writers=(1 2 3 4)
subscribers=(1 2 3 4 5 6 7 8)
clients=()

dish() { echo "/state/dishes/00000000-0000-8000-8000-00000000000$1"; }

# writer URL N: writes 1, 2, 3, … to a dish of its own, each until it is acknowledged; the last of those stands in the
# file acknowledged.N, and what else was answered in answers.N.
writer() {
  local number=1 status
  until [[ -e $scratch/enough ]]; do
    status=$(api --insecure --output "$scratch/ignored.$2" --write-out '%{http_code}' -X PUT "$1$(dish "$2")" \
      -d "{\"name\":\"dish\",\"isFavorite\":false,\"status\":{\"inStock\":{\"quantity\":$number}}}" 2> "$scratch/said.$2") ||
      true
    if [[ $status == 20[01] ]]; then
      echo "$number" > "$scratch/acknowledged.$2"
      number=$((number + 1))
    else
      echo "$status" >> "$scratch/answers.$2"
    fi
  done
}

# subscriber URL N: hears of one writer, and comes back with the last id whenever its stream ends, as a browser does.
subscriber() {
  local last='' line
  while true; do
    while read -r line; do
      case $line in
        "id: "*) last=${line#id: } ;;
        "data: "*) echo "${line#data: }" > "$scratch/heard.$2" ;;
      esac
    done < <(curl --silent --insecure --no-buffer --header "Authorization: Bearer $token" \
      --header 'Accept: text/event-stream' --header "Last-Event-ID: $last" "$1$(dish "$(writer_of "$2")")/status")
    sleep 0.1
  done
}

writer_of() { echo $((($1 - 1) % ${#writers[@]} + 1)); }

# launch LOG COMMAND...: in the background, as a group of processes that can be ended as one.
launch() {
  local log=$1
  shift
  set -m
  "$@" < /dev/null > "$log" 2>&1 &
  clients+=($!)
  set +m
}

# start_clients URL
start_clients() {
  local n
  rm -f "$scratch"/{enough,acknowledged.*,answers.*,heard.*}
  for n in "${writers[@]}"; do launch "$scratch/writer.$n.log" writer "$1" "$n"; done
  for n in "${subscribers[@]}"; do launch "$scratch/subscriber.$n.log" subscriber "$1" "$n"; done
}

stop_clients() {
  local client
  # All before any is waited for: the proxy waits for its clients.
  for client in "${clients[@]}"; do kill -- "-$client" 2> /dev/null || true; done
  for client in "${clients[@]}"; do wait "$client" 2> /dev/null || true; done
  clients=()
}

acknowledged() { cat "$scratch/acknowledged.$1" 2> /dev/null || echo 0; }

# everybody_goes_on N: whether each writer has had more than N acknowledged, and each subscriber has heard something.
everybody_goes_on() {
  local n
  for n in "${writers[@]}"; do (($(acknowledged "$n") > $1)) || return; done
  for n in "${subscribers[@]}"; do [[ -s $scratch/heard.$n ]] || return; done
}

start_proxy() {
  BINDERY_SITE=localhost:$((port + 1)) BINDERY_UPSTREAM=127.0.0.1:$port BINDERY_HTTPS_PORT=$((port + 1)) \
    BINDERY_HTTP_PORT=$((port + 2)) CADDY_ADMIN=127.0.0.1:$((port + 3)) HOME=$scratch XDG_DATA_HOME=$scratch/caddy \
    launch "$scratch/caddy.log" caddy run --adapter caddyfile --config "$root/deploy/Caddyfile"
}

# replace OLD NEW: what a rolling update does.
replace() {
  local most=0 n
  start "$2" --volume handover:/data -- "${guarded[@]}" --store-wait 60s || return
  until_so 60 waits "$2" || return
  podman stop --time 15 "$1" || return
  is "$(podman inspect --format '{{.State.ExitCode}}' "$1")" 0 || return
  podman rm "$1" || return
  until_so 60 is_healthy "$2" || return
  for n in "${writers[@]}"; do (($(acknowledged "$n") > most)) && most=$(acknowledged "$n"); done
  until_so 60 everybody_goes_on "$most"
}

waits() { podman logs "$1" 2>&1 | grep -q waiting; }

# Whatever a writer was told is kept is there; at most the one write that was under way is there besides.
nothing_is_lost() {
  local n there told
  for n in "${writers[@]}"; do
    there=$(api --fail "$url$(dish "$n")/status/inStock/quantity") || return
    told=$(acknowledged "$n")
    ((there == told || there == told + 1)) || { echo "writer $n was told $told, and $there is there"; return 1; }
  done
}

# heard_the_last N
heard_the_last() { is "$(cat "$scratch/heard.$1")" "$(api "$url$(dish "$(writer_of "$1")")/status")"; }

check_handover() {
  local site=https://localhost:$((port + 1)) n round
  check "the first server starts" start server0 --volume handover:/data -- "${guarded[@]}"
  is_running server0 || { not_tried "the hand-over"; return; }
  check "the first server becomes healthy" until_so 60 is_healthy server0
  start_proxy
  check "Caddy answers over HTTP/2" until_so 60 answers_over_http2 "$site"
  start_clients "$site"
  check "writers and subscribers go on" until_so 60 everybody_goes_on 0
  for round in 1 2 3; do
    check "the next server takes over while they do ($round)" replace "server$((round - 1))" "server$round"
  done
  touch "$scratch/enough"
  for n in "${clients[@]:1:${#writers[@]}}"; do wait "$n" || true; done
  check "no acknowledged write is lost" nothing_is_lost
  for n in "${subscribers[@]}"; do check "subscriber $n has heard the last value" until_so 60 heard_the_last "$n"; done
  say "$(cat "$scratch"/acknowledged.* | awk '{sum += $1} END {print sum}') writes were acknowledged," \
    "$(cat "$scratch"/answers.* 2> /dev/null | wc -l) were refused or cut and sent again"
  stop_clients
}

answers_over_http2() { is "$(api --insecure --http2 --output "$scratch/ignored" --write-out '%{http_version}' "$1/livez")" 2; }
