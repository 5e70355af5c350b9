# shellcheck shell=bash
# Tests containers that share a state in PostgreSQL, with TLS and a password (SCRAM). Sourced by scripts/container-test.

# start_database: starts PostgreSQL as deploy/replicas does, with a certificate for db.example.com. Writes what
# scripts/postgres prints, the URL and the directory of the server, to a file.
start_database() {
  local password=$RANDOM$RANDOM
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=db.example.com \
    -addext subjectAltName=DNS:db.example.com -keyout "$scratch/db.key" -out "$scratch/db.pem" 2> "$scratch/log" || return
  chown postgres: "$scratch/db.key" "$scratch/db.pem"
  chmod 755 "$scratch"
  chmod 644 "$scratch/db.pem"
  "$root/scripts/postgres" start --superuser postgres --until-exit-of $$ --set ssl=on \
    --set "ssl_cert_file='$scratch/db.pem'" --set "ssl_key_file='$scratch/db.key'" > "$scratch/database" || return
  locate_database
  printf '%s' "$password" > "$scratch/database_password"
  printf '*:*:*:bindery:%s\n' "$password" > "$scratch/pgpass"
  chown 65532:65532 "$scratch/pgpass"
  chmod 400 "$scratch/pgpass"
  PGHOST=$database PGPORT=$database_port POSTGRES_USER=postgres POSTGRES_PASSWORD_FILE=$scratch/database_password \
    "$root/deploy/replicas/role.sh" || return
  printf '%s\n' 'local all postgres trust' 'local all all scram-sha-256' 'hostssl all all 127.0.0.1/32 scram-sha-256' \
    > "$database/data/pg_hba.conf"
  psql -h "$database" -p "$database_port" -U postgres -c 'SELECT pg_reload_conf()'
}

# Sets $database, the directory of the server, and $database_port.
locate_database() {
  database=$(tail -n 1 "$scratch/database")
  database_port=$(sed -nE 's|.*:([0-9]+)/.*|\1|p' "$scratch/database")
}

# start_replica N ADDRESS: starts a server that listens on the N-th port after $port.
start_replica() {
  start "replica$1" --volume "$scratch/pgpass:/run/secrets/bindery_pgpass:ro" --volume "$database:/run/postgresql:ro" \
    --volume "$scratch/db.pem:/run/database/ca.pem:ro" --env "BINDERY_LISTEN=:$((port + $1))" \
    -- "${guarded[@]}" --store "$2"
}

replica() { echo "http://127.0.0.1:$((port + $1))/state/pinnedDish/name"; }

check_replicas() {
  local password='passfile=/run/secrets/bindery_pgpass' tls
  check "PostgreSQL starts, with the role of deploy/replicas" start_database
  locate_database
  tls="hostaddr=127.0.0.1&sslmode=verify-full&channel_binding=require&sslrootcert=/run/database/ca.pem"
  check "a server starts with the socket of the database" \
    start_replica 1 "postgres://bindery@/bindery?host=/run/postgresql&port=$database_port&$password"
  check "a server starts with TLS" \
    start_replica 2 "postgres://bindery@db.example.com:$database_port/bindery?$tls&$password"
  check "both become healthy" wait_until 60 eval "is_healthy replica1 && is_healthy replica2"
  check "one accepts a write" api --fail -X PATCH "$(replica 1)" -d '"🍋 Limone"'
  check "the other one shows it" wait_until 60 shows 2 '"🍋 Limone"'
  podman kill replica1 > /dev/null
  check "the other one accepts a write after the first was killed" api --fail -X PATCH "$(replica 2)" -d '"Soup"'
  check "the first one shows it after its restart" eval "podman start replica1 && wait_until 60 shows 1 '\"Soup\"'"
  check "a certificate of another name is refused" is_refused \
    "postgres://bindery@other.example.com:$database_port/bindery?$tls&$password"
  podman rm --force --time 10 replica1 replica2 > /dev/null
  "$root/scripts/postgres" stop "$database"
}

shows() { is "$(api --fail "$(replica "$1")")" "$2"; }

# is_refused ADDRESS: succeeds if a server with this address ends with an error that names the certificate.
is_refused() {
  local code=0
  start_replica 3 "$1"
  code=$(timeout 60 podman wait replica3) || return
  is "$((code != 0))" 1 && podman logs replica3 2>&1 | grep -i certificate
}
