#!/usr/bin/env bash
# The sample in one process over soft-RoCE: 1,000 bodies come back byte for byte, a peer that comes and goes leaves the
# destroy timer behind, SIGTERM ends it and nothing is left.
# before boot: .ci/package-sample
# limit: 360
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sample-functions"

kernel_objects > "$SCRATCH/before"
process_names > "$SCRATCH/processes"
start_sample both
timed 'start' await_start both
await_line both 'the client connects' "RDMA client 'echo-client' is connected to 192.0.2.1:7471"
# The comparison at the end would say nothing if the objects were not seen.
kernel_objects | comm -13 "$SCRATCH/before" - > "$SCRATCH/objects"
cat "$SCRATCH/objects"
check_equal 'it has a listening id and two connections in the kernel' '1 LISTEN 2 CONNECT' \
	"$(grep -oE '^cm_id .* (LISTEN|CONNECT) ' "$SCRATCH/objects" | awk '{ print $NF }' | sort -r | uniq -c | xargs)"

# One curl for all: a process for each would take longer than the echo.
mkdir "$SCRATCH/answers"
for i in {0..999}; do
	echo "url = http://127.0.0.1:8080/echo"
	echo "header = \"Content-Type: application/octet-stream\""
	echo "data-binary = @$NATIVE/bodies/$i"
	echo "output = $SCRATCH/answers/$i"
	echo "write-out = %{http_code}\\n"
	echo "silent"
	echo "next"
done | sed '$d' > "$SCRATCH/requests"
post_all() {
	curl --config "$SCRATCH/requests" > "$SCRATCH/statuses"
}
timed '1,000 bodies' post_all
check_equal 'all requests are answered with 200' '1000 200' "$(sort "$SCRATCH/statuses" | uniq -c | xargs)"
check_equal 'there are 1,000 bodies' 1000 "$(ls "$NATIVE/bodies" | wc -l)"
check 'every body comes back byte for byte' diff -rq "$NATIVE/bodies" "$SCRATCH/answers"
curl -sS -D "$SCRATCH/headers" -o "$SCRATCH/answer" -d hello http://127.0.0.1:8080/echo
check_contains 'the answer has its round-trip time' "$SCRATCH/headers" '^X-Rdma-Round-Trip-Micros: [0-9]+'
grep Round-Trip "$SCRATCH/headers"

check 'health is up, with the native provider' health_is 8080 '.status == "UP" and
	.components.rdma.components.devices.details.provider == "native" and (.components.rdma.components.devices.details | has("rxe0")) and
	([.components.rdma.components["echo", "echo-client"].details | .provider == "native" and .connections == 1] | all)'
check 'the messages are counted' scrape_has 8080 rdma_messages_total 'endpoint="echo-client"' 'direction="received"' '1001.0'

check "upstream's rdma_client completes" timeout 30 rdma_client -s 192.0.2.1 -p 7471
check 'a scrape has the timer of the destroy' wait_until 30 scrape_has 8080 rdma_endpoint_destroy_seconds_count \
	'endpoint="echo"' 'trigger="disconnect"' 'result="success"' 'error="none"'
scrape_has 8080 rdma_endpoint_destroy_seconds_count 'endpoint="echo"' 'trigger="disconnect"'
scrape_has 8080 rdma_endpoint_destroy_seconds_sum 'endpoint="echo"' 'trigger="disconnect"'

terminate both $sample_pid 15000 echo echo-client
check_lacks 'the log has no error' "$SCRATCH/both.log" ' (WARN|ERROR) '
check_same_kernel_objects 'no kernel object is left' "$SCRATCH/before"
check_equal 'no process is left' "$(cat "$SCRATCH/processes")" "$(process_names)"
show_log both
