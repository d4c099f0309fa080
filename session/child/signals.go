package child

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// terminalSignals are the signals that a terminal and its shells send. A child
// that ignores them from the start cannot be interrupted, stopped or hung up.
var terminalSignals = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGALRM,
	syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGUSR2,
}

// heedSignals lets children begin with the default action for the signals that
// this process was started to ignore (nohup, a shell's background job). An
// ignored signal stays ignored across execve(2), a caught one does not: so they
// are caught, and nothing is done about them, until the process ends. To stop would
// have the runtime ignore them again, also for the children of another owner, and
// no longer say so.
func heedSignals() {
	caught := make(chan os.Signal, 1)
	for _, sig := range terminalSignals {
		if signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
}

// namedSignals are those that a caller may name.
func namedSignals() map[string]syscall.Signal {
	return map[string]syscall.Signal{
		"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP,
		"SIGQUIT": syscall.SIGQUIT, "SIGKILL": syscall.SIGKILL, "SIGUSR1": syscall.SIGUSR1,
		"SIGUSR2": syscall.SIGUSR2, "SIGCONT": syscall.SIGCONT, "SIGABRT": syscall.SIGABRT,
	}
}

// ParseSignal returns the signal that name names, "TERM", "sigterm" or "15"; "" is SIGTERM.
func ParseSignal(name string) (syscall.Signal, error) {
	if name == "" {
		return syscall.SIGTERM, nil
	}
	all := namedSignals()
	upper := strings.ToUpper(name)
	if !strings.HasPrefix(upper, "SIG") {
		upper = "SIG" + upper
	}
	if sig, ok := all[upper]; ok {
		return sig, nil
	}
	var names []string
	for n, sig := range all {
		names = append(names, n)
		if name == fmt.Sprint(int(sig)) {
			return sig, nil
		}
	}
	slices.Sort(names)
	return 0, fmt.Errorf("signal %q; allowed are %s", name, strings.Join(names, ", "))
}
