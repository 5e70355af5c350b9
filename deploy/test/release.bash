# shellcheck shell=bash
# Builds the files of a release with scripts/dist, and installs the Debian package on a machine of its own: a container
# with systemd. Sourced by scripts/container-test.

check_release() {
  local dist=$root/dist files=$scratch/release package version
  log "building the release"
  "$root/scripts/dist" > "$work/dist.log" 2>&1 || {
    tail -20 "$work/dist.log"
    fail "scripts/dist failed; see $work/dist.log"
  }
  mkdir "$files"
  tar -C "$files" --strip-components=1 -xzf "$dist"/bindery-*.tar.gz
  package=$(echo "$dist"/bindery_*.deb)
  version=$("$files/bin/bindery" version)
  version=${version#bindery }
  log "$(cd "$dist" && wc --bytes -- * | awk '{printf "%s%s has %s bytes", separator, $2, $1; separator = ", "}')"

  check "all files have the checksums of SHA256SUMS" env --chdir "$dist" sha256sum --check --quiet SHA256SUMS
  check "a second build has the same checksums" builds_the_same "$dist/SHA256SUMS"
  check "the files have the version of the executable" test -e "$dist/bindery_${version}_amd64.deb" -a \
    -e "$dist/bindery-$version-linux-amd64.tar.gz"
  check_sbom "$dist/bindery-$version.spdx.json" "$files/bin/bindery"
  check "the archive has the license of everything that is linked" is \
    "$(sed -nE 's/^ *"name": "([^"]+)",$/\1/p' "$dist"/*.spdx.json | grep -vE '^bindery' | sort)" \
    "$(cd "$files/share/doc/bindery/licenses" && printf '%s\n' * | sort)"
  check "its manual page is valid" is \
    "$(LC_ALL=C.UTF-8 groff -man -Tutf8 -ww -K utf8 "$files/share/man/man1/bindery.1" 2>&1 > /dev/null)" ""
  check "lintian accepts the package" is "$(lintian --allow-root "$package" 2>&1)" ""
  check_installation "$package" "$version"
}

builds_the_same() {
  local before
  before=$(cat "$1")
  "$root/scripts/dist" > "$work/dist.log" 2>&1 && is "$(cat "$1")" "$before"
}

# A container with systemd. It needs the privileges of a machine, because systemd isolates the service.
start_machine() {
  local base packages=adduser,curl,systemd,systemd-sysv,tzdata
  base=localhost/debian:$(cksum <<< "$packages" | cut -d ' ' -f 1)
  if ! podman image exists "$base"; then
    log "creating a machine for the package (first run only)"
    make_debian_root "$work/rootfs" "$packages"
    tar -C "$work/rootfs" -c . | podman import --quiet - "$base"
    rm -rf --one-file-system "$work/rootfs"
  fi
  podman run --detach --quiet --name machine --systemd always --privileged --network none \
    --volume "$root/dist:/dist:ro" --volume "$scratch:/scratch:ro" "$base" /sbin/init && wait_until 60 machine systemctl is-system-running
}

machine() { podman exec machine "$@"; }
installs() { machine apt-get install --quiet --yes "$1"; }
serves() {
  local token
  token=$(machine head -n 1 /etc/bindery/token)
  machine curl --silent --fail --max-time 5 --header "Authorization: Bearer $token" "$1"
}
user_of_service() { machine sh -c 'stat --format %U /proc/$(systemctl show --property MainPID --value bindery)'; }
log_of_service() { machine journalctl --quiet --no-pager --output cat _SYSTEMD_UNIT=bindery.service; }
status_of() { machine stat --format '%U:%G %a' "$1"; }
has_status() { is "$(machine curl --silent --output /dev/null --write-out '%{http_code}' "${@:2}")" "$1"; }

check_installation() {
  local state=http://127.0.0.1:8080/state token
  if ! start_machine > "$work/machine.log" 2>&1; then
    skip_check "the installation of the package: systemd does not run in a container here; see $work/machine.log"
    return
  fi
  check "apt installs the package without a network" installs "/dist/${1##*/}"
  check "the service runs and is ready" wait_until 60 serves "$state"
  check "systemd shows the status that it reports" machine sh -c 'systemctl show --property StatusText bindery | grep serves'
  check "it is enabled" machine systemctl is-enabled bindery
  check "it requires the token of this machine" has_status 401 "$state"
  check "it runs as the user bindery" is "$(user_of_service)" bindery
  check "only this user may read its state" is "$(status_of /var/lib/bindery)" "bindery:bindery 700"
  check "only root and this user may read the token" is "$(status_of /etc/bindery/token)" "root:bindery 640"
  check "it logs only information" is "$(log_of_service | grep -vE '^[0-9-]+T[0-9:.]+Z info ')" ""
  check "its manual page is installed" machine test -e /usr/share/man/man1/bindery.1.gz

  token=$(head -c 24 /dev/urandom | base64)
  check "a reload reads the tokens again" token_is_added "$token" "$state"
  check "it accepts a write" machine curl --silent --fail -X PATCH --header "Authorization: Bearer $token" \
    "$state/time" -d '"tomorrow"'
  check "the user bindery makes a backup while it runs" machine runuser -u bindery -- \
    bindery backup --store /var/lib/bindery/bindery.db /var/lib/bindery/copy.db

  state=http://127.0.0.1:8081/state
  machine sed -i s/:8080/:8081/ /etc/bindery/bindery.conf
  make_newer_package "$1" > "$work/newer.log"
  check "apt installs a newer package" installs /scratch/newer.deb
  check "the changed configuration remains" wait_until 60 serves "$state"
  check "the state and the tokens remain" is \
    "$(machine curl --silent --header "Authorization: Bearer $token" "$state/time")" '"tomorrow"'

  machine systemd-run --quiet --unit other bindery serve --listen 127.0.0.1:8082 --store memory
  machine sed -i s/:8081/:8082/ /etc/bindery/bindery.conf
  check "a start fails if the address is in use" is "$(machine systemctl restart bindery 2> /dev/null; echo $?)" 1
  machine systemctl stop other
  check "the service starts when it is free" wait_until 60 serves http://127.0.0.1:8082/state

  check "the package can be removed" machine apt-get remove --quiet --yes bindery
  check "the service is stopped" is "$(machine systemctl is-active bindery)" inactive
  check "the state remains after a removal" machine test -s /var/lib/bindery/bindery.db
  check "the package can be purged" machine apt-get purge --quiet --yes bindery
  check "nothing remains after a purge" is \
    "$(machine find /etc /usr /var/lib -name '*bindery*' -not -path '*/apt/*')" ""
  podman rm --force --time 5 machine > /dev/null
}

token_is_added() {
  machine sh -c "echo '$1' >> /etc/bindery/token" && machine systemctl reload bindery &&
    wait_until 10 has_status 200 --header "Authorization: Bearer $1" "$2"
}

# Creates the same package with a later version.
make_newer_package() {
  dpkg-deb --raw-extract "$1" "$scratch/newer" && sed -i 's/^Version: .*/&.1/' "$scratch/newer/DEBIAN/control" &&
    dpkg-deb --root-owner-group --build "$scratch/newer" "$scratch/newer.deb"
}
