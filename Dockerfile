# One static executable in an empty image: no shell, no package manager, no shared libraries to update.
#
#   docker build -t bindery:0.1.0 .
#
# SWIFT_IMAGE is any image with Swift 6.3 on Debian 12. The build needs nothing else of it than the toolchain, its linker,
# Debian's package manager, and network access to Debian.
ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
# The version and revision in the image labels and in the software bill of materials (SBOM).
ARG VERSION=0.1.0
ARG REVISION=unknown

FROM ${SWIFT_IMAGE} AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

# The only downloads, in a layer of their own: the package depends on Debian libraries and on no other Swift package.
# The versions are the newest security updates of the release; the SBOM records them.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends libpq-dev libsodium-dev libsqlite3-dev libssl-dev libxxhash-dev tzdata

# What Debian's static libpq lacks.
COPY deploy/static-libpq /src/deploy/
RUN mkdir /libpq && /src/deploy/static-libpq /libpq && rm -rf /var/lib/apt/lists/*

# The time zone database, in the compact form without tables of years to come (RFC 8536, section 3.3).
RUN zic -b slim -d /zoneinfo /usr/share/zoneinfo/tzdata.zi

WORKDIR /src
COPY deploy/static-executable deploy/bindery.profdata deploy/
COPY Package.swift ./
COPY Sources Sources
# SwiftPM requires the directories of all targets, although the tests are not built.
COPY Tests Tests
# A cache mount keeps previous build products, so that a build is incremental.
RUN --mount=type=cache,id=bindery-build,target=/src/.build,sharing=locked \
  deploy/static-executable /src/.build /libpq /src/.build/bindery.map \
  && install -D .build/release/bindery /image/usr/bin/bindery \
  && cp .build/bindery.map /bindery.map \
  && mkdir -p /image/data /image/run/secrets \
  && touch /image/run/secrets/bindery_token

COPY LICENSE deploy/sbom ./
ARG VERSION
ARG REVISION
RUN install -D -m 644 LICENSE /image/usr/share/doc/bindery/LICENSE \
  && ./sbom /image/usr/bin/bindery /bindery.map "$VERSION" "$REVISION" /image/usr/share/doc/bindery

FROM scratch
COPY --from=build /zoneinfo /usr/share/zoneinfo
COPY --from=build /image/usr /usr
# The mount point of the token file: not every runtime can create it in a read-only file system. The file is empty, so
# it admits no client.
COPY --from=build /image/run /run
# A new volume inherits the owner of this directory.
COPY --from=build --chown=65532:65532 /image/data /data

# Listen on all IPv6 and IPv4 addresses.
ENV BINDERY_LISTEN=:8080
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/bin/bindery", "health"]
ENTRYPOINT ["/usr/bin/bindery"]
CMD ["serve"]

ARG VERSION
ARG REVISION
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Bindery" \
      org.opencontainers.image.description="An HTTP JSON service over editable state" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
