#!/bin/sh
# container.sh: the container image of packaging/Containerfile around the static binary, built rootless by buildah or podman, and run
# once.  Where the system lets neither mount (a sandbox), the image is built with chroot isolation and the file of the image is run.
set -eu
cd "$(dirname "$0")/.."
conformance/deps.sh buildah
arch=$(dpkg --print-architecture)
[ -e "build/static/probetest-linux-$arch" ] || packaging/static.sh "$arch"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
state=$PWD/build/container
mkdir -p "$state"
buildah() { command buildah --root "$state/root" --runroot "$state/run" "$@"; }
buildah bud --quiet --build-arg "ARCH=$arch" -t probetest -f packaging/Containerfile build/static >/dev/null
container=$(buildah from probetest)
trap 'buildah rm "$container" >/dev/null' EXIT
# Beside load one run in a hundred of chroot isolation ends well with its output lost: it is asked again.
for _ in 1 2 3; do
    said=$(buildah run "$container" -- /probetest --version 2>"$state/why") || {
        echo "container: it cannot be run here: $(tail -1 "$state/why")"
        mounted=$(buildah mount "$container")
        said=$("$mounted/probetest" --version)
        buildah umount "$container" >/dev/null
    }
    [ -z "$said" ] || break
done
case $said in
"probetest $(packaging/version.sh command)
"*) ;;
*) echo "container: it says '$said'" >&2; exit 1 ;;
esac
echo "container: $(buildah images --format '{{.Name}} {{.Size}}' | head -1), $(echo "$said" | head -1)"
