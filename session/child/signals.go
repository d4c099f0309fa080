package child

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalSignals are the signals that a terminal and its shells send. A child that inherits one of
// them as ignored cannot be interrupted, stopped or hung up with it.
var terminalSignals = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGALRM,
	syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGUSR2,
}

// catchIgnoredSignals lets children begin with the default action for the signals that this process
// inherited as ignored (nohup, a shell's background job). An ignored signal stays ignored across
// execve(2), a caught one does not. So this process catches these signals, without reacting, until
// the process ends. If it stopped, the runtime would ignore them again, and so would later children.
func catchIgnoredSignals() {
	caught := make(chan os.Signal, 1)
	for _, sig := range terminalSignals {
		if signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
}

// signals are the signals that ParseSignal accepts.
var signals = []syscall.Signal{
	syscall.SIGABRT, syscall.SIGCONT, syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL,
	syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
}

// ParseSignal returns the signal with a name such as "TERM", "sigterm" or "15". An empty name
// means SIGTERM.
func ParseSignal(name string) (syscall.Signal, error) {
	if name == "" {
		return syscall.SIGTERM, nil
	}
	var names []string
	for _, sig := range signals {
		full := unix.SignalName(sig)
		if upper := strings.ToUpper(name); upper == full || "SIG"+upper == full || name == strconv.Itoa(int(sig)) {
			return sig, nil
		}
		names = append(names, full)
	}
	return 0, fmt.Errorf("unknown signal %q; want %s", name, strings.Join(names, ", "))
}
