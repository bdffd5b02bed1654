#!/usr/bin/env bash
# Two machines: what closing a context costs when the machine of its peers loses power or the wire goes dead. Guest A
# runs TwoGuestsScenario; guest B answers, and loses its power each time that A asks for it.
# two guests
. "$(dirname "$0")/lib.sh"

reports=autoconfigure/target/guest-reports
export PAIR_CTL=$reports/boot-$SCENARIO NATIVE_REPORTS=$reports/$SCENARIO
export VM_MEM=${VM_MEM:-1536} VM_SMP=${VM_SMP:-2} VM_TIMEOUT=${VM_TIMEOUT:-600}
export VM_RDMA=${VM_RDMA:-rxe} VM_EXPORT="${VM_EXPORT:-} NATIVE_JVM_ARGS NATIVE_JUNIT_LIMIT NATIVE_REPORTS VM_RDMA WIRE_PACKETS"
# What nftables has to drop to make the RDMA traffic of a guest vanish.
case $VM_RDMA in
	siw) export WIRE_PACKETS='meta l4proto tcp' ;;
	*) export WIRE_PACKETS='udp dport 4791' ;;
esac
status=0
.ci/rdma-vm/pair . ".ci/guest/native-suite 'junit=.*\.TwoGuestsScenario'" .ci/guest/two-guests-peer || status=$?
check_equal 'both guests end well' 0 $status
check 'guest A leaves a report of its tests' cp "$NATIVE_REPORTS/TEST-junit-jupiter.xml" "$reports/TEST-$SCENARIO.xml"
