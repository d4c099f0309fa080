package abuse

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// A way is a means to reach a socket or an open file outside the sandbox, or to change
// such a file. Each way has a row in SECURITY.md.
type way struct {
	what  string // in Markdown
	by    string // the mechanism that refuses it
	tries []attempt
}

// An attempt is one try of a way.
type attempt struct {
	attack string
	args   []string
	where  control // whether it must succeed without a sandbox
	alone  bool    // run in a sandbox without a network
}

// ways returns all ways.
func (w *world) ways() []way {
	victim := strconv.Itoa(w.victim)
	outside, reply := filepath.Join(w.dir, "outside/victim"), filepath.Join(w.project, "reply")
	datagrams, pipe := w.datagrams(), w.pipe()
	return []way{
		{"`socket` of any family except IPv4, IPv6 and netlink", "seccomp", []attempt{
			{"unix", []string{w.local}, always, false}, {"abstract", []string{w.abstract}, always, false}, {"packets", nil, asRoot, false},
			{"vsock", nil, never, false}, {"crypto", nil, never, false}, {"unix", []string{w.local}, always, true},
		}},
		{"netlink from program to program", "seccomp", []attempt{{"netlink of programs", nil, always, false}}},
		{"`socketpair` of datagrams, which can send to any named socket", "seccomp", []attempt{
			{"raw pair", []string{datagrams, reply}, always, false}, {"datagram pair", []string{datagrams, reply}, always, true}, {"tipc pair", nil, never, false},
		}},
		{"`socketpair` of streams, or packets in order", "nothing: they are connected for good", []attempt{
			{"stream pair", []string{w.local}, never, false}, {"ordered pair", []string{w.local}, never, false},
		}},
		{"the internet, with `network` `none`", "seccomp", []attempt{
			{"tcp", []string{w.tcp}, always, true}, {"udp", []string{w.udp}, always, true}, {"mptcp", []string{w.tcp}, never, true},
		}},
		{"`io_uring`", "seccomp", []attempt{{"io_uring", nil, never, false}}},
		{"`pidfd_getfd`", "seccomp", []attempt{{"take a descriptor", []string{victim}, asRoot, false}}},
		{"`/proc/PID/fd`, `ptrace`, `process_vm_readv`", "Landlock", []attempt{
			{"open a file of", []string{victim}, asRoot, false}, {"ptrace", []string{victim}, asRoot, false}, {"peek", []string{victim, w.memory}, asRoot, false},
		}},
		{"what the server has open", "closed at the start", []attempt{{"inherited", []string{strconv.Itoa(w.inherited)}, always, false}}},
		{"an open file by message (`SCM_RIGHTS`)", "no socket to receive it on", []attempt{{"datagram pair", []string{datagrams, reply}, always, false}}},
		{"`name_to_handle_at`, `open_by_handle_at`", "seccomp", []attempt{
			{"handle", []string{outside}, always, false}, {"open by handle", nil, asRoot, false},
		}},
		{"`userfaultfd`", "seccomp; its device: Landlock", []attempt{
			{"userfaultfd", nil, asRoot, false}, {"disk", []string{"/dev/userfaultfd"}, never, false},
		}},
		{"a program in memory (`memfd_create`)", "nothing: it is in the sandbox too", []attempt{{"memory file", []string{outside}, always, false}}},
		{"POSIX message queues", "seccomp", []attempt{{"queue", []string{"glasstty-abuse-" + filepath.Base(w.dir)}, always, false}}},
		{"`fanotify`, `perf_event_open`, `bpf`", "seccomp", []attempt{
			{"fanotify", nil, always, false}, {"perf", nil, asRoot, false}, {"bpf", nil, asRoot, false},
		}},
		{"`open_tree`, `fsopen`, `mount`, `setns`", "seccomp", []attempt{
			{"open tree", nil, always, false}, {"fsopen", nil, asRoot, false}, {"mount", nil, asRoot, false}, {"setns", nil, asRoot, false},
		}},
		{"terminals of others, and new ones", "Landlock", []attempt{
			{"another terminal", []string{w.victimTTY}, always, false}, {"another terminal", []string{"/dev/ptmx"}, always, false},
		}},
		{"named pipes outside, for writing", "Landlock", []attempt{{"pipe", []string{pipe}, always, false}}},
		{"flags and attributes of a file that is open for reading (`chattr`)", "seccomp", []attempt{
			{"flags", []string{outside}, always, false}, {"attributes", nil, never, false},
		}},
		{"leases, which block other processes from opening a file", "seccomp", []attempt{{"lease", []string{outside}, always, false}}},
		{"locks (`flock`) of the server's files", "Landlock: they cannot be opened", []attempt{{"lock", []string{filepath.Join(w.dir, "data/log")}, always, false}}},
	}
}

// datagrams opens a datagram socket that replies to every message with a file
// descriptor, and returns its name.
func (w *world) datagrams() string {
	w.Helper()
	path := filepath.Join(w.dir, "datagrams")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	f, err := os.OpenFile(w.file("given"), os.O_WRONLY, 0)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { f.Close() })
	go func() {
		for {
			_, from, err := conn.ReadFromUnix(make([]byte, 1))
			if err != nil {
				return
			}
			_, _, _ = conn.WriteMsgUnix([]byte("x"), unix.UnixRights(int(f.Fd())), from) // the sender may have closed its socket
		}
	}()
	return path
}

// pipe creates a named pipe with an open reader and returns its name.
func (w *world) pipe() string {
	w.Helper()
	path := filepath.Join(w.dir, "outside/pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		w.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = unix.Close(fd) })
	return path
}

// TestSandboxWays tries every way to a socket or an open file, and checks that
// SECURITY.md has the table of what refuses each.
func TestSandboxWays(t *testing.T) {
	w := newWorld(t, sandbox.Policy{})
	w.file("outside/victim")
	alone := w.with(sandbox.NetworkNone)
	table := "| way | refused by |\n|---|---|\n"
	for _, way := range w.ways() {
		table += fmt.Sprintf("| %s | %s |\n", way.what, way.by)
		for _, a := range way.tries {
			in := w
			if a.alone {
				in = alone
			}
			in.try(a.attack, a.where, func() []string { return append([]string{a.attack}, a.args...) })
		}
	}
	table += fmt.Sprintf("| %s | seccomp |\n", "32-bit system calls")
	w.tryOtherCalls()
	for _, let := range [][]string{{"watch", filepath.Join(w.dir, "data/log")}, {"chmod", w.file("outside/victim")}, {"lock", w.file("outside/victim")}} {
		if out := w.attack(w.sandboxed, let...); out != gotIn {
			t.Errorf("SECURITY.md says that %s is not stopped, but it is: %s", let[0], out)
		}
	}
	doc, err := os.ReadFile("../../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "\n\n"+table+"\n") {
		t.Errorf("SECURITY.md does not have this table:\n%s", table)
	}
}

// otherCalls is a C program that creates a local socket with a 32-bit system call.
const otherCalls = `#include <stdio.h>
int main(void) {
	long fd;
	__asm__ volatile("int $0x80" : "=a"(fd) : "a"(359), "b"(1), "c"(1), "d"(0) : "r8", "r9", "r10", "r11", "memory");
	printf(fd < 0 ? "REFUSED: %ld\n" : "GOT IN\n", fd);
}`

// tryOtherCalls runs otherCalls without a sandbox, where it must succeed, and in the
// sandbox, where it must be refused.
func (w *world) tryOtherCalls() {
	w.Helper()
	if runtime.GOARCH != "amd64" {
		return // other architectures have no such calls
	}
	gcc := need.Program(w, "gcc")
	path := filepath.Join(w.project, "calls")
	cmd := exec.Command(gcc, "-O1", "-x", "c", "-o", path, "-")
	cmd.Stdin = strings.NewReader(otherCalls)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%v: %s", err, out)
	}
	for _, r := range []*rig{w.plain, w.sandboxed} {
		res := r.call("start_process", map[string]any{"command": path, "cwd": w.project, "until": "exit", "timeout": 30})
		if out := text(res); r == w.sandboxed && !strings.Contains(out, "REFUSED: -38") || r == w.plain && !strings.Contains(out, gotIn) {
			w.Errorf("32-bit system calls: %s", out)
		}
	}
}
