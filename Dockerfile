# One static binary in an empty image: no shell, no package manager, no libraries to keep up to date beside it.
#
#   docker build -t bindery .
#
# Any image with Swift 6.3 on Debian 12 can build it.
ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
# What the labels and the bill of materials say.
ARG VERSION=0.1.0
ARG REVISION=unknown

FROM ${SWIFT_IMAGE} AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

# All that is fetched, in a layer of its own: the package depends on Debian's libraries and on no other Swift package.
# Their versions are those of the release's newest security updates, which the bill of materials writes down.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends libsqlite3-dev libxxhash-dev tzdata \
  && rm -rf /var/lib/apt/lists/*

# What local time needs, without the copies that count leap seconds.
RUN mkdir -p /zoneinfo \
  && tar -C /usr/share/zoneinfo --exclude=./right --exclude=./posix --exclude='./*.zi' --exclude='./*.list' -c . \
  | tar -C /zoneinfo -x

WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# SwiftPM wants the folders of all targets to be there; the tests are not built.
COPY Tests Tests
# What was compiled before stays with the builder: a change builds what it touches.
RUN --mount=type=cache,target=/src/.build,sharing=locked \
  swift build -c release --product bindery \
    -Xswiftc -static-executable -Xlinker -s -Xlinker -Map=/src/.build/bindery.map \
  && install -D .build/release/bindery /image/usr/bin/bindery \
  && cp .build/bindery.map /bindery.map \
  && mkdir -p /image/data /image/run/secrets \
  && touch /image/run/secrets/bindery_token

COPY LICENSE deploy/sbom ./
ARG VERSION
ARG REVISION
RUN install -D -m 644 LICENSE /image/usr/share/doc/bindery/LICENSE \
  && ./sbom /image/usr/bin/bindery /bindery.map "$VERSION" "$REVISION" \
    > /image/usr/share/doc/bindery/sbom.spdx.json

FROM scratch
COPY --from=build /zoneinfo /usr/share/zoneinfo
COPY --from=build /image/usr /usr
# Where a token is mounted: not every runtime can make the place in a read-only file system. Empty, it lets nobody in.
COPY --from=build /image/run /run
# A new volume takes its owner from here.
COPY --from=build --chown=65532:65532 /image/data /data

# Every address, IPv6 and IPv4.
ENV BINDERY_LISTEN=:8080 \
    BINDERY_STORE=/data/bindery.db
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
