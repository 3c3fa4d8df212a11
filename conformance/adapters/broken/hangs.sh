# verdict: timeout, exit 1: it never answers a case, ignores SIGTERM and the end of its input.
trap '' TERM
read -r line
id=${line#*\"id\":}
printf '{"id":%s,"ok":{"protocol":1,"name":"hangs","version":"1","language":"sh","url":"",' "${id%%,*}"
printf '"k8s":["1.36","1.37"],"layers":["port","probe"],"features":[],"observes":["probe","result","started","ready"],"clock":"virtual"}}\n'
while :; do
    sleep 1
done
