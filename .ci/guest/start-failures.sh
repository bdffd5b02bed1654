#!/usr/bin/env bash
# Starts of the sample that must fail with an analysis and leave nothing behind: no library, no device.
# own boot
# before boot: .ci/package-sample
# limit: 600
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sample-functions"

fails_to_start() { # NAME REASON ACTION
	local name=$1 status=0
	start_sample "$name" --rdma.provider=native
	timed "$name: start fails" check "$name: the process ends" wait_until 300 is_gone $sample_pid
	kill -KILL $sample_pid 2> /dev/null
	wait $sample_pid || status=$?
	check_equal "$name: the exit status is 1" 1 $status
	check_contains "$name: an analysis is printed" "$SCRATCH/$name.log" '^APPLICATION FAILED TO START$'
	check_contains "$name: it says what is the matter" "$SCRATCH/$name.log" "Reason: $2\$"
	check_contains "$name: it says what to do" "$SCRATCH/$name.log" "$3"
	check_lacks "$name: no stack trace is printed" "$SCRATCH/$name.log" '^[[:space:]]+at |^Caused by:|Exception in thread'
	sed -n '/^APPLICATION FAILED/,$p' "$SCRATCH/$name.log" | sed 's/^/    /'
}

kernel_objects > "$SCRATCH/before"
mv /usr/lib/*-linux-gnu/librdmacm.so.1 "$SCRATCH/"
fails_to_start no-library LIBRARY_MISSING 'librdmacm1'
mv "$SCRATCH/librdmacm.so.1" /usr/lib/*-linux-gnu/
check_same_kernel_objects 'no kernel object is left' "$SCRATCH/before"

rdma link delete rxe0
check_equal 'there is no device' '' "$(rdma link)"
fails_to_start no-device NO_DEVICE 'rdma link add'
