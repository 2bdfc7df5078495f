#!/usr/bin/env bash
# Builds packaging/Dockerfile without a Docker daemon, and runs what it makes as compose.yaml would: as the image's
# user, without capabilities, on a read-only root.
#
#   packaging/try-dockerfile.sh FOLDER [OPTION...]
#
# FOLDER has the wheel that `cargo xtask wheel` makes. Each OPTION goes to `buildah build`, such as
# `--volume /etc/pip.conf:/etc/pip.conf:ro` where pip needs settings of the machine.
#
# It needs Linux, root, and Debian's packages mmdebstrap, buildah and iproute2, and downloads packages from Debian
# and PyPI. The base image is made of Debian's packages, with Debian's Python in place of the one in Docker's image
# `python`. Everything is in one temporary folder of about 2 GB, which is removed at the end.
set -euo pipefail

step() {
    printf '\n== %s\n' "$1"
}

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

# In new namespaces: mounts as compose.yaml names them, then the checks.
check_image() {
    local volumes=$1 folder healthy=no deadline host port
    # Runs what follows in the image's root, with its variables, as its user and in its working directory.
    # shellcheck disable=SC2016 # The inner shell expands it.
    local in_image=(chroot "$root" /usr/bin/env --ignore-environment "${environment[@]}"
        setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs
        --bounding-set=-all --inh-caps=-all
        sh -c 'cd "$1" && shift && exec "$@"' sh "$workdir")
    mount --make-rprivate /
    mount --bind "$root" "$root"
    # Named volumes begin with what the image has.
    for folder in etc/rehearsal srv/agents srv/evals var/lib/rehearsal; do
        mkdir -p "$volumes/$folder"
        cp --archive "$root/$folder/." "$volumes/$folder"
        mount --bind "$volumes/$folder" "$root/$folder"
    done
    mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev,noexec tmpfs "$root/tmp"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    mount -o remount,bind,ro "$root"
    ip link set lo up

    step "The version"
    "${in_image[@]}" "${entrypoint[@]}" --version

    step "The root is read-only, and the user has no capability"
    if "${in_image[@]}" touch /opt/rehearsal/probe 2>/dev/null; then fail "the root can be written"; fi
    "${in_image[@]}" grep -E '^(Uid|CapEff|NoNewPrivs):' /proc/self/status

    step "Without a login, the host refuses to start"
    if "${in_image[@]}" "${entrypoint[@]}" "${command[@]}" </dev/null; then fail "it started"; fi

    step "rehearsal user add"
    echo "correct horse battery" | "${in_image[@]}" "${entrypoint[@]}" user add Ann

    step "The agents of a volume"
    "${in_image[@]}" "${entrypoint[@]}" init /srv/agents
    "${in_image[@]}" "${entrypoint[@]}" agents /srv/agents --brief

    step "The host and its health check"
    "${in_image[@]}" "${entrypoint[@]}" "${command[@]}" &
    host=$!
    deadline=$((SECONDS + 60))
    while [ "$SECONDS" -lt "$deadline" ] && kill -0 "$host" 2>/dev/null; do
        if "${in_image[@]}" "${healthcheck[@]}" 2>/dev/null; then
            healthy=yes
            break
        fi
        sleep 1
    done
    [ "$healthy" = yes ] || fail "the health check does not succeed"
    echo "healthy"

    step "The page requires a login"
    port=$(printf '%s\n' "${environment[@]}" | sed -n 's/^REHEARSAL_LISTEN=.*://p')
    "${in_image[@]}" python3 - "$port" <<'PYTHON'
import http.client
import sys

for host in (f"127.0.0.1:{sys.argv[1]}", f"localhost:{sys.argv[1]}", "elsewhere.example"):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
    connection.request("GET", "/", headers={"Host": host})
    response = connection.getresponse()
    print(host, response.status, response.getheader("Location"))
    if response.status == 200:
        sys.exit("the page is open")
PYTHON

    step "A backup while it runs"
    "${in_image[@]}" "${entrypoint[@]}" backup /var/lib/rehearsal/backup

    step "SIGTERM stops it, and the health check then fails"
    kill "$host"
    wait "$host" || fail "it ended with $?"
    if "${in_image[@]}" "${healthcheck[@]}" 2>/dev/null; then fail "the health check succeeds without a host"; fi
    echo "stopped"
}

if [ "${1-}" = --in-namespaces ]; then
    # Called by the lines at the end of this file.
    root=$2 user=$3 workdir=$4
    readarray -t environment <"$5/environment"
    readarray -t entrypoint <"$5/entrypoint"
    readarray -t command <"$5/command"
    readarray -t healthcheck <"$5/healthcheck"
    check_image "$5/volumes"
    exit
fi

if [ "$#" -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: $0 FOLDER_WITH_WHEEL [OPTION_OF_BUILDAH_BUILD...]" >&2
    exit 2
fi
[ "$(id -u)" -eq 0 ] || fail "run this as root: it makes the root of another system"
for program in mmdebstrap buildah ip; do
    command -v "$program" >/dev/null ||
        fail "$program is missing: apt-get install --no-install-recommends mmdebstrap buildah iproute2"
done

packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wheels=$(cd "$1" && pwd)
shift
scratch=$(mktemp --directory --tmpdir rehearsal-image.XXXXXX)
image=localhost/rehearsal-try

run_buildah() {
    buildah --root "$scratch/storage" --runroot "$scratch/run" --storage-driver vfs "$@"
}
clean_up() {
    run_buildah umount --all >/dev/null 2>&1 || true
    rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT

step "A base image from Debian's packages"
base=$(sed -n 's/^FROM //p' "$packaging/Dockerfile")
# shellcheck disable=SC2016 # The words are the file's.
base=${base/'${PYTHON}'/$(sed -n 's/^ARG PYTHON=//p' "$packaging/Dockerfile")}
release=${base##*-}
mmdebstrap --quiet --variant=minbase --include=ca-certificates,python3,python3-venv \
    "$release" "$scratch/base.tar"
container=$(run_buildah from scratch)
run_buildah add --quiet "$container" "$scratch/base.tar" / >/dev/null
rm "$scratch/base.tar"
run_buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
run_buildah commit --quiet --rm "$container" "$base" >/dev/null
echo "$base, of Debian $release"

step "The image"
# The format of Docker, because OCI's has no health check.
run_buildah build --isolation chroot --pull-never --format docker "$@" \
    --tag "$image" --file "$packaging/Dockerfile" "$wheels"
run_buildah images "$image"

inspect() {
    run_buildah inspect --type image --format "$1" "$image"
}
lines() {
    inspect "{{range $1}}{{println .}}{{end}}" | sed '/^$/d'
}
lines .OCIv1.Config.Env >"$scratch/environment"
lines .OCIv1.Config.Entrypoint >"$scratch/entrypoint"
lines .OCIv1.Config.Cmd >"$scratch/command"
# The first word says that a program is called, not a shell.
lines .Docker.Config.Healthcheck.Test | sed 1d >"$scratch/healthcheck"
root=$(run_buildah mount "$(run_buildah from --pull-never "$image")")

unshare --mount --pid --net --fork --kill-child \
    "${BASH_SOURCE[0]}" --in-namespaces "$root" \
    "$(inspect '{{.OCIv1.Config.User}}')" "$(inspect '{{.OCIv1.Config.WorkingDir}}')" "$scratch"
step "All checks passed"
