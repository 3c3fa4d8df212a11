# Sourced.  tags MINOR: the build tags of a release: k15,k16 for 1.16.  k16 says "1.16 or later".
tags() {
    i=15
    while [ "$i" -lt "${1#1.}" ]; do
        printf 'k%d,' "$i"
        i=$((i + 1))
    done
    printf 'k%d' "$i"
}
