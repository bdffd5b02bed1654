#!/usr/bin/env bash
# Upstream's rping against itself: shows that the guest's RDMA stack works before ours is blamed.
. "$(dirname "$0")/lib.sh"

kernel_objects > "$SCRATCH/before"
rping -s -a 192.0.2.1 -C 20 > "$SCRATCH/server" 2>&1 &
server=$!
listening() {
	rdma resource show cm_id | grep -q LISTEN
}
check 'the server listens' wait_until 10 listening
check 'twenty rounds complete' timeout 30 rping -c -a 192.0.2.1 -C 20
check 'the server ends' wait_until 10 is_gone $server
check_same_kernel_objects 'no kernel object is left' "$SCRATCH/before"
