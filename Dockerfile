# A container for glasstty: no compiler inside, no root, and nothing that it must
# write but /tmp and what is mounted.
#
#   docker build -t glasstty .
#   docker run --rm -i --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges glasstty
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#       -p 127.0.0.1:8080:8080 -e GLASSTTY_TOKEN="$(glasstty token)" glasstty serve --host 0.0.0.0 --port 8080

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /glasstty ./cmd/glasstty

FROM debian:12.12-slim
# What an agent needs at least: a shell, and to look at files and processes. Add yours.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git less procps vim-tiny \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --create-home --shell /bin/bash agent \
    && install -d -o agent -g agent /work
COPY --from=build /glasstty /usr/local/bin/glasstty
USER 10001:10001
# The root may be read-only: logs, sockets and homes are in /tmp, which goes with the
# container. Mount a volume and set GLASSTTY_DATA_DIR to keep the logs.
ENV HOME=/tmp LANG=C.UTF-8 XDG_RUNTIME_DIR=/tmp/run GLASSTTY_DATA_DIR=/tmp/glasstty
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/glasstty"]
CMD ["mcp"]
