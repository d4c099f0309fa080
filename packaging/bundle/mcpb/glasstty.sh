#!/bin/sh
# Starts the glasstty for this machine.
case $(uname -m) in
x86_64 | amd64) machine=amd64 ;;
arm64 | aarch64) machine=arm64 ;;
*) echo "glasstty: $(uname -m) is not supported; there are amd64 and arm64" >&2; exit 1 ;;
esac
exec "${0%/*}/glasstty-$machine" "$@"
