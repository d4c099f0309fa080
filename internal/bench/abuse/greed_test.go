package abuse

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// greedVar makes this binary a program that wants too much of one thing. Each
// stays within bounds that harm no machine, and ends by itself after greedLimit.
const (
	greedVar   = "GLASSTTY_TEST_GREED"
	greedLimit = 30 * time.Second
)

// The bounds of what they take.
const (
	treeWidth  = 3 // processes that each process of a tree starts,
	treeDepth  = 3 // so often: 40 in all
	growth     = 240 << 20
	growthStep = 2 << 20
)

// greed is such a program; "tree 2" is a process of a tree that starts others
// twice more.
func greed(what string) {
	end := time.After(greedLimit)
	kind, rest, _ := strings.Cut(what, " ")
	switch kind {
	case "tree", "daemons":
		depth := treeDepth
		if rest != "" {
			fmt.Sscan(rest, &depth)
		}
		for range treeWidth {
			if depth > 0 {
				beget(fmt.Sprintf("%s %d", kind, depth-1), kind == "daemons")
			}
		}
		if kind == "daemons" && rest != "" && depth > 0 {
			return // its children are orphans now
		}
	case "memory":
		for taken := [][]byte{}; len(taken) < growth/growthStep; <-time.After(3 * time.Millisecond) {
			taken = append(taken, []byte(strings.Repeat("x", growthStep)))
		}
	case "cpu":
		for begun := time.Now(); time.Since(begun) < greedLimit; {
		}
	case "output":
		line := strings.Repeat("all work and no play ", 4) + "\n"
		for begun := time.Now(); time.Since(begun) < greedLimit; {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return
			}
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		beget("stubborn-child", true)
	case "stubborn-child":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	fmt.Println("up")
	<-end
}

// beget starts this binary again, in a session of its own when it is to be a
// daemon.
func beget(what string, daemon bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), greedVar+"="+what)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: daemon}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
}
