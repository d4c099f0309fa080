package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kernelAdvice says what to do when the kernel does not show what programs wait for.
const kernelAdvice = "mount /proc without hidepid, and run glasstty as the user who owns the programs; until then waits end by prompts and pauses, which is slower and less reliable"

// ptyNumbers returns the number of pseudo-terminals in use, and the system's limit.
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
