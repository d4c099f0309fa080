package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kernelAdvice says what to do when the kernel does not show what programs wait for.
const kernelAdvice = "mount /proc without hidepid, and run glasstty as the user who owns the programs; until then waits end by prompts and pauses, which is slower and less reliable"

// alive reports whether a process exists and is not a zombie.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// ptyNumbers returns how many pseudo-terminals exist, and how many the system allows.
func ptyNumbers() (used, limit int, err error) {
	for name, n := range map[string]*int{"nr": &used, "max": &limit} {
		b, err := os.ReadFile("/proc/sys/kernel/pty/" + name)
		if err != nil {
			return 0, 0, err
		}
		if *n, err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
			return 0, 0, fmt.Errorf("kernel.pty.%s: %w", name, err)
		}
	}
	return used, limit, nil
}
