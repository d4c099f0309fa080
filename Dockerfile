# A container for glasstty: no compiler inside, no root, and nothing that it must
# write but /tmp and what is mounted.
#
#   docker build -t glasstty .
#   docker run --rm -i --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges glasstty
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#       -p 127.0.0.1:8080:8080 -e GLASSTTY_TOKEN="$(glasstty token)" glasstty serve --host 0.0.0.0 --port 8080
#
# A release gives its version, commit and the commit's date:
#
#   docker build --build-arg VERSION=1.2.3 --build-arg COMMIT="$(git rev-parse HEAD)" \
#       --build-arg DATE="$(TZ=UTC git show -s --date=iso-strict-local --format=%cd)" -t glasstty .

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
# Only the root module: benchmarks have one of their own.
ENV GOWORK=off CGO_ENABLED=0
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -o /glasstty \
    -ldflags="-s -w -X main.releaseVersion=$VERSION" ./cmd/glasstty

FROM debian:12.12-slim
# What an agent needs at least: a shell, and to look at files and processes. Add yours.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git less procps vim-tiny \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --create-home --shell /bin/bash agent \
    && install -d -o agent -g agent /work
COPY --from=build /glasstty /usr/local/bin/glasstty
COPY --from=build /src/LICENSE /src/THIRD_PARTY_NOTICES /usr/share/doc/glasstty/
USER 10001:10001
# The root may be read-only: logs, sockets and homes are in /tmp, which goes with the
# container. Mount a volume and set GLASSTTY_DATA_DIR to keep the logs.
ENV HOME=/tmp LANG=C.UTF-8 XDG_RUNTIME_DIR=/tmp/run GLASSTTY_DATA_DIR=/tmp/glasstty
WORKDIR /work
# The last one is by which the MCP registry knows that the image is ours.
ARG VERSION COMMIT DATE
LABEL org.opencontainers.image.title="glasstty" \
    org.opencontainers.image.description="A real terminal for AI agents, as an MCP server" \
    org.opencontainers.image.url="https://github.com/glasstty/glasstty" \
    org.opencontainers.image.source="https://github.com/glasstty/glasstty" \
    org.opencontainers.image.documentation="https://github.com/glasstty/glasstty#readme" \
    org.opencontainers.image.vendor="The glasstty authors" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$COMMIT" \
    org.opencontainers.image.created="$DATE" \
    io.modelcontextprotocol.server.name="io.github.glasstty/glasstty"
ENTRYPOINT ["/usr/local/bin/glasstty"]
CMD ["mcp"]
