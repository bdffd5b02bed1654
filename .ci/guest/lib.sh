# What the guest's scenarios share; each one starts with:  . "$(dirname "$0")/lib.sh"
#
# A scenario says what it found in lines "PASS name" and "FAIL name: reason" on its standard output, which `check` and
# the other check_ functions print. Programs that it starts should write to files in $SCRATCH. Its exit status is 0
# when it passed at least one check and failed none; the trap below sees to that.

SCENARIO=$(basename "$0" .sh)
SCRATCH=$(mktemp -d)
passed=0
failed=0

pass() { # NAME
	passed=$((passed + 1))
	echo "PASS $SCENARIO: $1"
}

fail() { # NAME REASON
	failed=$((failed + 1))
	echo "FAIL $SCENARIO: $1: ${2:-no reason given}"
}

# Passes when the command succeeds.
check() { # NAME COMMAND...
	local name=$1 output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	if [ "$status" = 0 ]; then pass "$name"; else fail "$name" "'$*' ended with $status: $output"; fi
}

check_equal() { # NAME EXPECTED ACTUAL
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected '$2', got '$3'"; fi
}

check_at_most() { # NAME LIMIT ACTUAL
	if [ "$3" -le "$2" ]; then pass "$1"; else fail "$1" "expected at most $2, got $3"; fi
}

check_contains() { # NAME FILE PATTERN
	if grep -qE -e "$3" "$2"; then pass "$1"; else fail "$1" "no line in $2 matches '$3'; its end: $(tail -n 5 "$2")"; fi
}

check_lacks() { # NAME FILE PATTERN
	local line
	if line=$(grep -m1 -E -e "$3" "$2"); then fail "$1" "$2 has: $line"; else pass "$1"; fi
}

# Runs the command again and again until it succeeds; fails after the limit.
wait_until() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

# For wait_until: a process is gone (or a zombie) when it cannot be signalled any more.
is_gone() { # PID
	! kill -0 "$1" 2> /dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2> /dev/null
}

has_line() { # FILE PATTERN
	grep -qE -e "$2" "$1"
}

# Every RDMA object that the kernel holds, one sorted line each: kind, device, owner, and state and addresses of CM ids.
kernel_objects() {
	local kind
	for kind in pd cq qp mr cm_id ctx srq; do
		rdma -j resource show "$kind" | jq -r --arg kind "$kind" \
			'.[] | [$kind, .ifname, (.comm // ""), (.pid // "" | tostring), (.state // ""), (."src-addr" // ""), (."dst-addr" // "")] | join(" ")'
	done | sort
}

# Usage: kernel_objects > $SCRATCH/before; ...; check_same_kernel_objects 'nothing is left' "$SCRATCH/before"
check_same_kernel_objects() { # NAME FILE
	local difference
	if difference=$(diff "$2" <(kernel_objects)); then pass "$1"; else fail "$1" "RDMA objects differ: $difference"; fi
}

fd_count() { # PID
	ls "/proc/$1/fd" | wc -l
}

thread_count() { # PID
	ls "/proc/$1/task" | wc -l
}

# Names of the processes outside this scenario's own pipeline, sorted: to compare before and after.
process_names() {
	ps --ppid 2 -p 2 --deselect -o comm= | grep -vxE 'ps|grep|sort|sleep|bash' | sort
}

# Ends a process with the signal, TERM unless told, and waits for it; KILL after the limit.
stop() { # PID [SECONDS [SIGNAL]]
	kill "-${3:-TERM}" "$1" 2> /dev/null
	if ! wait_until "${2:-30}" is_gone "$1"; then
		kill -KILL "$1"
		return 1
	fi
}

end_scenario() {
	local status=$?
	[ "$status" = 0 ] || fail "runs to its end" "the script ended early with status $status"
	[ $((passed + failed)) -gt 0 ] || fail "checks something" "the script made no check"
	rm -rf "$SCRATCH"
	[ "$failed" = 0 ] || exit 1
}
trap end_scenario EXIT
