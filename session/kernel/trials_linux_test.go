package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// TrialsVar is the environment variable that says how often TestTrials types each command. If it is
// not set, only the first two commands of each program are typed, once, and no figures are logged.
const TrialsVar = "GLASSTTY_TRIALS"

// A trialProgram is a program that reads commands, and the commands to type. Each command prints
// "E-N-D" last; no command contains that text itself.
type trialProgram struct {
	name string
	argv string // for sh, after exec
	cmds []string
	prep string // typed first
}

// shellTrials are commands of a POSIX shell. They print at once, with silent gaps, in bursts, a
// lot, after silent work, or from children.
var shellTrials = []string{
	"echo E-N-''D",
	"sleep 0.05; echo E-N-''D",
	"echo a; sleep 0.2; echo b; sleep 0.3; echo E-N-''D",
	"for i in 1 2 3 4 5 6; do echo $i; sleep 0.03; done; echo E-N-''D",
	"seq 5000; echo E-N-''D",
	"i=0; while test $i -lt 20000; do i=$((i+1)); done; echo E-N-''D",
	"(sleep 0.1; echo x) | cat; echo E-N-''D",
	"python3 -S -c 'import time; print(1, flush=True); time.sleep(.2); print(2)'; echo E-N-''D",
	"printf 'no newline'; sleep 0.1; echo; echo E-N-''D",
}

// trialPrograms are shells and read-eval-print loops of many kinds.
var trialPrograms = []trialProgram{
	{"bash", "bash --norc -i", shellTrials, ""},
	{"zsh", "zsh -f -i", shellTrials, ""},
	{"dash", "dash -i", shellTrials, ""},
	{"fish", "fish -N -i", []string{
		"echo E-N-''D", "sleep 0.1; echo E-N-''D", "echo a; sleep 0.3; echo E-N-''D", "seq 3000; echo E-N-''D",
		"for i in 1 2 3; echo $i; sleep 0.05; end; echo E-N-''D",
	}, ""},
	{"script", "script -q -c 'bash --norc -i' /dev/null", shellTrials, ""},
	{"expect", "expect -c 'spawn -noecho bash --norc -i; interact'", shellTrials, ""},
	{"python", "python3 -q -i", pythonTrials, "import time"},
	{"python 3.13", "python3.13 -q -i", pythonTrials, "import time"},
	{"ipython", "ipython --no-banner --colors=NoColor --HistoryManager.enabled=False", pythonTrials, "import time"},
	{"asyncio", "python3 -q -m asyncio", []string{
		"print('E-N-' 'D')", "await asyncio.sleep(.2); print('E-N-' 'D')",
		"print(1); await asyncio.sleep(.1); print(2); time.sleep(.2); print('E-N-' 'D')",
	}, "import time"},
	{"node", "node", []string{
		"console.log('E-N-'+'D')",
		"{let t=Date.now(); while(Date.now()-t<200); console.log('E-N-'+'D')}",
		"for(let i=0;i<3000;i++)console.log(i); console.log('E-N-'+'D')",
		"require('child_process').execSync('sleep 0.2; echo x')+'E-N-'+'D'",
		"await new Promise(r=>setTimeout(r,150)); console.log('E-N-'+'D')",
		"await require('fs').promises.readFile('/etc/passwd'); console.log('E-N-'+'D')",
		"await new Promise(r=>require('child_process').exec('sleep 0.2',r)); console.log('E-N-'+'D')",
	}, ""},
	{"sqlite3", "sqlite3", []string{
		"select 'E-N-'||'D';",
		"with recursive c(x) as (select 1 union all select x+1 from c where x<300000) select count(*)||'E-N-'||'D' from c;",
		"with recursive c(x) as (select 1 union all select x+1 from c where x<3000) select x from c; select 'E-N-'||'D';",
	}, ""},
	{"gdb", "gdb -q -nx", []string{
		"echo E-N-\\104\\n", "shell sleep 0.2; echo E-N-''D", "python import time; print(1); time.sleep(.2); print('E-N-' 'D')",
	}, "set pagination off"},
	{"irb", "irb -f", []string{
		"puts 'E-N-' 'D'", "sleep 0.2; puts 'E-N-' 'D'", "puts 1; sleep 0.1; puts 2; sleep 0.1; puts 'E-N-' 'D'", "puts `sleep 0.1; echo x`, 'E-N-' 'D'",
	}, ""},
	{"bc", "bc -q", []string{"print \"E-N-\", \"D\\n\"", "for(i=0;i<20000;i++){x+=i}; print \"E-N-\", \"D\\n\""}, ""},
	{"dc", "dc", []string{"[E-N-]n[D]p", "2 20000^sx [E-N-]n[D]p", "!sleep 0.2; echo E-N-''D"}, ""},
	{"ed", "ed -p '*'", []string{"!echo E-N-''D", "!echo a; sleep 0.2; echo E-N-''D"}, ""},
	{"lua", "lua", []string{"print('E-N-'..'D')", "os.execute('echo a; sleep 0.2') print('E-N-'..'D')", "for i=1,3000000 do end print('E-N-'..'D')"}, ""},
	{"tclsh", "tclsh", []string{"puts E-N-\\x44", "puts a; after 200; puts E-N-\\x44", "puts [exec sh -c {sleep 0.2; echo x}]; puts E-N-\\x44"}, ""},
	{"perl", "perl -de0", []string{"print qq(E-N-\\x44\\n)", "print qq(a\\n); select(undef,undef,undef,.2); print qq(E-N-\\x44\\n)", "system('sleep 0.1; echo x'); print qq(E-N-\\x44\\n)"}, "$|=1"},
	{"guile", "guile -q", []string{"(display \"E-N-\\x44;\")", "(begin (display 1) (usleep 200000) (display \"E-N-\\x44;\"))"}, ""},
	{"read loop", "bash -c 'while read l; do eval \"$l\"; done'", shellTrials, ""},
}

// pythonTrials are commands of Python.
var pythonTrials = []string{
	"print('E-N-' 'D')",
	"time.sleep(.05); print('E-N-' 'D')",
	"print(1); time.sleep(.3); print(2); time.sleep(.1); print('E-N-' 'D')",
	"print('E-N-' 'D', sum(range(5000000)))",
	"print(*range(3000), sep=chr(10)); print('E-N-' 'D')",
	"import os; os.system('echo a; sleep 0.2; echo b'); print('E-N-' 'D')",
	"[(print(i), time.sleep(.03)) for i in range(5)] and None; print('E-N-' 'D')",
}

// A rule decides from looks whether a program waits for input.
type rule struct {
	name  string
	final bool          // a look that proves the wait needs no confirmation
	weak  bool          // other looks count too
	quiet time.Duration // how long looks must be Quiet without output
}

// rules are the rules to compare, all applied to the same looks.
var rules = []rule{
	{"one look that waits", true, true, 0},
	{"one look that proves it", true, false, 0},
	{"proved, or quiet for 1 ms", true, true, time.Millisecond},
	{"proved, or quiet for 5 ms", true, true, 5 * time.Millisecond},
	{"proved, or quiet for 20 ms", true, true, 20 * time.Millisecond},
	{"quiet for 5 ms", false, true, 5 * time.Millisecond},
}

// A verdict is the decision of a rule about one command.
type verdict struct {
	fired  bool
	at     time.Time
	output int // bytes of output by then
}

// A bench drives one program from one goroutine, so that nothing is read between a look and the
// output that it is compared with.
type bench struct {
	t      testing.TB
	fd     int
	look   *Looker
	out    []byte
	last   time.Time // of the last output
	before View
	looks  int
	spent  time.Duration
}

// drain reads the available output.
func (b *bench) drain() {
	var buf [32 << 10]byte
	for {
		n, err := unix.Read(b.fd, buf[:])
		if n <= 0 || err != nil {
			return
		}
		b.out = append(b.out, buf[:n]...)
		b.last = time.Now()
		b.answer(string(buf[:n]))
	}
}

// answer replies to the queries that programs send a terminal before they go on. A reply is input:
// what the program did before it says nothing about what comes after.
func (b *bench) answer(asked string) {
	reply := strings.Repeat("\x1b[1;1R", strings.Count(asked, "\x1b[6n")) + strings.Repeat("\x1b[?62c", strings.Count(asked, "\x1b[c"))
	if reply != "" {
		b.before = b.look.Look()
		unix.Write(b.fd, []byte(reply))
	}
}

// wait waits for output, at most d.
func (b *bench) wait(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.Ppoll([]unix.PollFd{{Fd: int32(b.fd), Events: unix.POLLIN}}, &ts, nil)
}

// run types a line and returns the verdicts of all rules and the time of the last output. It
// watches the program for 300 ms after the end is seen.
func (b *bench) run(line string) ([]verdict, time.Time) {
	b.drain()
	b.before = b.look.Look()
	b.out = b.out[:0]
	unix.Write(b.fd, []byte(line+"\r"))
	start := time.Now()
	b.last = start
	got := make([]verdict, len(rules))
	var since time.Time // of the first of equal looks
	var prev View
	for end := start.Add(15 * time.Second); time.Now().Before(end); {
		b.wait(time.Millisecond)
		n := len(b.out)
		b.drain()
		now := time.Now()
		v := b.look.Look()
		b.looks, b.spent = b.looks+1, b.spent+time.Since(now)
		if len(b.out) != n || !Unchanged(prev, v) {
			since = now
		}
		prev = v
		for i, r := range rules {
			ok := r.final && answers(v, b.before) || r.weak && v.Waiting && v.Scheduled(b.before) && now.Sub(since) >= r.quiet
			if ok && !got[i].fired {
				got[i] = verdict{true, time.Now(), len(b.out)}
			}
		}
		if strings.Contains(string(b.out), "E-N-D") && time.Since(b.last) > 300*time.Millisecond {
			break
		}
	}
	return got, b.last
}

// startBench starts a program and waits until it is ready.
func startBench(t testing.TB, p trialProgram) *bench {
	cmd := exec.Command("sh", "-c", "exec "+p.argv)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+t.TempDir(), "HISTFILE=", "PS1=$ ", "ENV=")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, last: time.Now()}
	t.Cleanup(func() {
		cmd.Process.Kill()
		f.Close()
		cmd.Wait()
	})
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	conn.Control(func(fd uintptr) { b.fd = int(fd) })
	unix.SetNonblock(b.fd, true)
	if b.look, err = NewLooker(f, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.look.Close)
	b.idle()
	if p.prep != "" {
		unix.Write(b.fd, []byte(p.prep+"\r"))
		b.last = time.Now()
		b.idle()
	}
	return b
}

// idle waits until the program has been waiting without output for 500 ms.
func (b *bench) idle() {
	for end := time.Now().Add(deadline); time.Now().Before(end); {
		b.wait(5 * time.Millisecond)
		b.drain()
		if time.Since(b.last) > 500*time.Millisecond && b.look.Look().Waiting {
			return
		}
	}
	b.t.Fatalf("never ready: %+v %q", b.look.Look(), b.out)
}

// A tally counts the verdicts of all rules. mu guards its fields.
type tally struct {
	mu     sync.Mutex
	total  int
	early  []int
	missed []int
	late   [][]time.Duration // from the end to the verdict
	log    []string
}

// add counts the verdicts on one command, and reports a proof that was wrong.
func (y *tally) add(t *testing.T, command string, got []verdict, out []byte, end time.Time) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.total++
	for i, v := range got {
		switch r := rules[i]; {
		case !v.fired:
			y.missed[i]++
			if i == 0 {
				y.log = append(y.log, fmt.Sprintf("never waits: %s: %s: %q", t.Name(), command, tail(out)))
			}
		case v.output < len(out):
			y.early[i]++
			y.log = append(y.log, fmt.Sprintf("%s: %s: %s: %q then %q", r.name, t.Name(), command, tail(out[:v.output]), tail(out[v.output:])))
			if r.final && !r.weak {
				t.Errorf("early: %s: %q, then came %q", command, tail(out[:v.output]), tail(out[v.output:]))
			}
		default:
			y.late[i] = append(y.late[i], v.at.Sub(end))
		}
	}
}

// TestTrials checks that a look that proves the wait is never early. It types commands with silent
// gaps into many programs and counts the early verdicts of all rules.
func TestTrials(t *testing.T) {
	need.Long(t)
	times, _ := strconv.Atoi(os.Getenv(TrialsVar))
	y := &tally{early: make([]int, len(rules)), missed: make([]int, len(rules)), late: make([][]time.Duration, len(rules))}
	t.Run("programs", func(t *testing.T) {
		for _, p := range trialPrograms {
			t.Run(p.name, func(t *testing.T) {
				name := strings.Fields(p.argv)[0]
				if _, err := exec.LookPath(name); err != nil && (p.name == "python 3.13" || p.name == "ipython") {
					t.Skip(err) // it has no Debian package, so CI skips it too
				}
				name = need.Program(t, name)
				if strings.Contains(name, "python3.") && exec.Command(name, "-c", "pass").Run() != nil {
					t.Skip("the command does not start a Python")
				}
				if times == 0 {
					t.Parallel()
					p.cmds = p.cmds[:min(2, len(p.cmds))]
				}
				b := startBench(t, p)
				for range max(times, 1) {
					for _, c := range p.cmds {
						got, end := b.run(c)
						y.add(t, c, got, b.out, end)
					}
				}
				t.Logf("%d looks, %v each", b.looks, b.spent/time.Duration(max(b.looks, 1)))
			})
		}
	})
	if times == 0 {
		return
	}
	for i, r := range rules {
		slices.Sort(y.late[i])
		p50, p99 := time.Duration(0), time.Duration(0)
		if n := len(y.late[i]); n > 0 {
			p50, p99 = y.late[i][n/2], y.late[i][n*99/100]
		}
		t.Logf("%-26s %4d trials, early %3d, no verdict %3d, after the end p50 %v p99 %v", r.name, y.total, y.early[i], y.missed[i], p50.Round(10*time.Microsecond), p99.Round(10*time.Microsecond))
	}
	t.Log(strings.Join(y.log, "\n"))
}

// tail returns at most the last 80 bytes of b.
func tail(b []byte) string { return string(b[max(0, len(b)-80):]) }

// answers reports whether v proves that all input written just after the look before was consumed,
// and that the process group can go on only with further input.
func answers(v, before View) bool {
	return v.Final() && before.Asleep && before.Activity.Threads > 0 && v.Scheduled(before)
}
