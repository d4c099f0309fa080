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

// greedVar makes this binary a program that uses too much of one resource. Each such
// program is limited to an amount that is harmless to the machine, and exits after
// greedLimit.
const (
	greedVar   = "GLASSTTY_TEST_GREED"
	greedLimit = 30 * time.Second
)

// Limits of what the greedy programs use.
const (
	treeWidth  = 3 // processes that each process of a tree starts
	treeDepth  = 3 // levels of children: 40 processes in all
	growth     = 240 << 20
	growthStep = 2 << 20
)

// greed runs the greedy program named by what; "tree 2" is a process of a tree with two
// more levels of children.
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
			return // orphans its children
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

// beget starts this binary again; a daemon gets its own process session.
func beget(what string, daemon bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), greedVar+"="+what)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: daemon}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
}
