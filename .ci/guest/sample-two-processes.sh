#!/usr/bin/env bash
# The sample's halves as processes of their own: what kill -9 of one does to the other.
# before boot: .ci/package-sample
# limit: 480
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sample-functions"

echo_status() { # PORT
	curl -sS -m 20 -o "$SCRATCH/answer" -w '%{http_code}' -d hello "http://127.0.0.1:$1/echo"
}

# Waits as well, so that the shell does not report the process later.
kill_hard() { # PID
	{ kill -KILL "$1" && wait "$1"; } 2> /dev/null
}

kernel_objects > "$SCRATCH/before"
process_names > "$SCRATCH/processes"
start_sample server1 --spring.profiles.active=server
server1=$sample_pid
start_sample client1 --spring.profiles.active=client --server.port=8091
client1=$sample_pid
start_sample client2 --spring.profiles.active=client --server.port=8092
client2=$sample_pid
timed 'three starts' await_start server1 client1 client2
for name in client1 client2; do
	await_line $name "$name connects" "RDMA client 'echo-client' is connected"
done
check_equal 'client1 echoes' 200 "$(echo_status 8091)"
check_equal 'client2 echoes' 200 "$(echo_status 8092)"
check 'the server has two connections' health_is 8081 '.components.rdma.components.echo.details.connections == 2'

echo '--- kill -9 of the server'
kill_hard $server1
timed 'client1 reports the loss' check 'client1 reports the loss' wait_until 30 health_is 8091 '.status == "DOWN" and
	(.components.rdma.components["echo-client"] | .status == "DOWN" and .details.connections == 0 and (.details.error | length > 0))'
health 8091 | jq -c '.components.rdma.components["echo-client"]'
check_equal 'client1 answers 503' 503 "$(echo_status 8091)"
jq -c . "$SCRATCH/answer"
check_equal 'client1 still answers other requests' 200 "$(curl -sS -m 20 -o "$SCRATCH/answer" -w '%{http_code}' http://127.0.0.1:8091/actuator/rdma)"
terminate client1 $client1 5000 echo-client

echo '--- a new server: client2 needs no restart'
start_sample server2 --spring.profiles.active=server
server2=$sample_pid
timed 'fourth start' await_start server2
check 'client2 is connected again' wait_until 60 health_is 8092 '.status == "UP" and .components.rdma.components["echo-client"].details.connections == 1'
check_equal 'client2 echoes again' 200 "$(echo_status 8092)"
check 'client2 counts the reconnect' scrape_has 8092 rdma_reconnects_total 'endpoint="echo-client"'

echo '--- kill -9 of the client'
kill_hard $client2
timed 'the server reports the loss' check 'the server reports the loss' wait_until 30 health_is 8081 '.components.rdma.components.echo |
	.details.connections == 0 and (.details.lastDestroy | test("trigger=disconnect result=success"))'
health 8081 | jq -c .components.rdma.components.echo
check 'the server is healthy' health_is 8081 '.status == "UP"'
check 'the server counts the disconnect' scrape_has 8081 rdma_cm_events_total 'endpoint="echo"' 'event="disconnected"'
terminate server2 $server2 5000 echo

check_same_kernel_objects 'no kernel object is left' "$SCRATCH/before"
check_equal 'no process is left' "$(cat "$SCRATCH/processes")" "$(process_names)"
show_log client1
show_log server2
