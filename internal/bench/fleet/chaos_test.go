package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/internal/relay"
)

// Environment variables that set the number of kills and the random seed of TestChaos.
const (
	killsVar = "GLASSTTY_KILLS"
	seedVar  = "GLASSTTY_SEED"
)

// number returns the value of an environment variable, or otherwise if it is not set.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("invalid %s: %v", name, err)
	}
	return n
}

// TestChaos checks that no session loses a line or receives one twice, and that no client gets a
// false answer, while nodes, gateways and NATS servers are killed and stopped at random and
// clients type numbered lines.
func TestChaos(t *testing.T) {
	t.Parallel()
	kills, seed := int(number(t, killsVar, 10)), number(t, seedVar, rand.Uint64())
	t.Logf("%s=%d %s=%d", killsVar, kills, seedVar, seed)
	c := newChaos(t, rand.New(rand.NewPCG(seed, 0)))
	for _, ty := range c.typists {
		go ty.run(c.ctx)
	}
	for range kills {
		c.kill()
		c.pause(2 * time.Second)
		for _, v := range c.victims {
			if !v.back.IsZero() && time.Now().After(v.back) {
				c.revive(v)
			}
		}
	}
	for _, v := range c.victims {
		if !v.back.IsZero() {
			c.revive(v)
		}
	}
	for _, ty := range c.typists {
		ty.finish(t)
	}
}

// A chaos is a fleet whose processes are killed at random.
type chaos struct {
	t       *testing.T
	ctx     context.Context
	random  *rand.Rand
	victims []*victim
	typists []*typist
}

// A victim is a process that is killed and restarted.
type victim struct {
	name    string
	command func() *exec.Cmd
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has exited
	log     *os.File
	stopped bool      // stopped with SIGSTOP, not killed
	back    time.Time // when to restart or continue it; zero while it runs
}

// newChaos starts three NATS servers, three nodes and two gateways, and clients that type into
// two sessions on each node.
func newChaos(t *testing.T, random *rand.Rand) *chaos {
	c := &chaos{t: t, random: random}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(context.Background())
	nats := natsProgram(t)
	files, urls := natsCluster(t, 3)
	for i, file := range files {
		c.add(fmt.Sprintf("nats%d", i+1), func() *exec.Cmd { return exec.Command(nats, "-c", file) })
	}
	homes := map[string]string{}
	for name, flags := range map[string][]string{"a": {"--leave"}, "b": {"--leave"}, "c": {"--leave"}, "gate1": {"--gateway"}, "gate2": {"--gateway"}} {
		homes[name] = t.TempDir()
		c.add(name, func() *exec.Cmd { return fleetServer(homes[name], strings.Join(urls, ","), name, flags...) })
	}
	slices.SortFunc(c.victims, func(a, b *victim) int { return strings.Compare(a.name, b.name) })
	t.Cleanup(func() {
		cancel()
		for _, ty := range c.typists {
			<-ty.ended
		}
		for _, v := range c.victims {
			c.signal(v, syscall.SIGKILL)
			<-v.ended
		}
		for _, node := range []string{"a", "b", "c"} { // to end its programs
			p := newProcess(t, homes[node], serveCommand(homes[node]))
			p.connect()
			p.end(syscall.SIGTERM)
		}
	})
	for i, host := range []string{"a", "b", "c", "a", "a", "b"} { // one of the sessions on a is local to its client
		at := []string{"gate1", "gate2", "a"}[i/2]
		c.typists = append(c.typists, newTypist(t, c.ctx, filepath.Join(homes[at], "s"), host, i))
	}
	return c
}

// add adds a victim and starts it.
func (c *chaos) add(name string, command func() *exec.Cmd) {
	c.t.Helper()
	log, err := os.Create(filepath.Join(c.t.TempDir(), name))
	if err != nil {
		c.t.Fatal(err)
	}
	v := &victim{name: name, command: command, log: log}
	c.t.Cleanup(func() {
		log.Close()
		if text, err := os.ReadFile(log.Name()); c.t.Failed() {
			c.t.Logf("output of %s (%v):\n%s", name, err, text)
		}
	})
	c.victims = append(c.victims, v)
	c.start(v)
}

// start starts a victim's process.
func (c *chaos) start(v *victim) {
	c.t.Helper()
	v.cmd, v.ended, v.back, v.stopped = v.command(), make(chan struct{}), time.Time{}, false
	v.cmd.Stdout, v.cmd.Stderr = v.log, v.log
	if err := v.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // returns an error if it was killed
		close(ended)
	}(v.cmd, v.ended)
}

// signal sends a signal to a victim.
func (c *chaos) signal(v *victim, sig syscall.Signal) {
	if err := v.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Errorf("%s: %v", v.name, err)
	}
}

// pause sleeps for a random time, at most most.
func (c *chaos) pause(most time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(most))))
}

// kill kills or stops a running victim and sets when it comes back.
func (c *chaos) kill() {
	var running []*victim
	for _, v := range c.victims {
		if v.back.IsZero() {
			running = append(running, v)
		}
	}
	v := running[c.random.IntN(len(running))]
	sig := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSTOP}[c.random.IntN(4)]
	away := time.Duration(c.random.Int64N(int64(3 * time.Second)))
	if sig == syscall.SIGSTOP {
		v.stopped = true
		away *= 3 // longer than a gateway waits for a sign of life
	}
	select {
	case <-v.ended:
		c.t.Errorf("%s exited by itself", v.name)
	default:
	}
	c.t.Logf("%s %s: %v, for %v", time.Now().Format("15:04:05.000"), v.name, sig, away)
	c.signal(v, sig)
	v.back = time.Now().Add(away)
}

// revive restarts or continues a victim.
func (c *chaos) revive(v *victim) {
	c.t.Logf("%s %s: back", time.Now().Format("15:04:05.000"), v.name)
	if v.stopped {
		v.stopped, v.back = false, time.Time{}
		c.signal(v, syscall.SIGCONT)
		return
	}
	select {
	case <-v.ended:
	case <-time.After(patience):
		c.t.Fatalf("%s does not exit", v.name)
	}
	c.start(v)
}

// A typist types numbered lines into a session, connected through a relay to a server that may be
// killed.
type typist struct {
	t       *testing.T
	socket  string
	client  *mcp.ClientSession
	session string
	file    string // to which the session's program writes the lines that it reads
	sign    string // prefix of its lines
	ended   chan struct{}

	mu   sync.Mutex // guards what follows
	told []report   // one report for each line
	seen map[string]int
	stop bool
}

// A report says what a client was told about a line.
type report struct {
	line    string
	typed   bool // the call succeeded
	unknown bool // the error says that the line may have been typed
	err     error
}

// newTypist starts a session on a host and connects to it.
func newTypist(t *testing.T, ctx context.Context, socket, host string, i int) *typist {
	t.Helper()
	ty := &typist{
		t: t, socket: socket, sign: string(rune('p' + i)), file: filepath.Join(t.TempDir(), "lines"),
		ended: make(chan struct{}), seen: map[string]int{},
	}
	const program = `stty -echo; while IFS= read -r line; do printf '%s\n' "$line" >> "$1"; sleep .3; echo "got $line"; done`
	limit := time.Now().Add(patience)
	for {
		err := ty.connect(ctx)
		if err == nil {
			var data map[string]any
			_, data, err = ty.call(ctx, "start_process", args{"host": host, "command": "sh", "args": []string{"-c", program, "sh", ty.file}})
			if err == nil {
				ty.session = data["session_id"].(string)
				return ty
			}
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// connect connects to the server through a relay, as glasstty mcp --daemon does.
func (ty *typist) connect(ctx context.Context) error {
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	dial := func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", ty.socket)
	}
	go func() {
		err := relay.New(relay.Options{Dial: dial, Dir: "/"}).Run(ctx, in, out)
		in.CloseWithError(errors.Join(io.EOF, err))
		out.CloseWithError(errors.Join(io.EOF, err))
	}()
	var err error
	ty.client, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromRelay, Writer: toRelay, MaxLineLength: -1}, nil)
	return err
}

// errTool is an error returned by a tool.
type errTool struct{ text string }

func (e errTool) Error() string { return e.text }

// call calls a tool.
func (ty *typist) call(ctx context.Context, tool string, a args) (string, map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	res, err := ty.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return "", nil, err
	}
	if res.IsError {
		return "", nil, errTool{peer.Text(res)}
	}
	data, _ := res.StructuredContent.(map[string]any)
	return peer.Text(res), data, nil
}

// uncertain matches the error of a call whose text may have been typed.
var uncertain = regexp.MustCompile("before repeating the call")

// gotLines finds the lines in the output of a session's program.
var gotLines = regexp.MustCompile(`got ([a-z][0-9]+)`)

// run types lines until it is told to stop and the last line was answered.
func (ty *typist) run(ctx context.Context) {
	defer close(ty.ended)
	for n := 1; ; n++ {
		line := fmt.Sprintf("%s%05d", ty.sign, n)
		ty.mu.Lock()
		stop := ty.stop
		ty.mu.Unlock()
		text, data, err := ty.call(ctx, "send_and_read", args{
			"session_id": ty.session, "text": line, "press_enter": true, "wait_for": "got " + line, "timeout": 30, "view": "output",
		})
		r := report{line: line, typed: err == nil, err: err}
		var said errTool
		if err != nil {
			r.unknown = !errors.As(err, &said) || uncertain.MatchString(said.text)
		}
		output, _ := data["output"].(string)
		ty.mu.Lock()
		ty.told = append(ty.told, r)
		for _, m := range gotLines.FindAllStringSubmatch(output, -1) {
			ty.seen[m[1]]++
		}
		ty.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && ty.seen[line] != 1:
			ty.t.Errorf("%s: the call for line %s answers %s", ty.session, line, text)
		case err == nil && stop:
			return
		case err != nil && !errors.As(err, &said):
			ty.t.Logf("%s %s: line %s: %v", time.Now().Format("15:04:05.000"), ty.session, line, err)
			if err := ty.connect(ctx); err != nil {
				ty.t.Logf("%s: %v", ty.session, err)
			}
		case err != nil:
			ty.t.Logf("%s %s: line %s: %v", time.Now().Format("15:04:05.000"), ty.session, line, err)
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// finish waits for an answer after the last kill, and compares what the client was told with what
// was typed and shown.
func (ty *typist) finish(t *testing.T) {
	t.Helper()
	ty.mu.Lock()
	ty.stop = true
	ty.mu.Unlock()
	select {
	case <-ty.ended:
	case <-time.After(4 * patience):
		t.Fatalf("%s: no call succeeds after the last kill; the last report is %v", ty.session, ty.told[len(ty.told)-1])
	}
	raw, err := os.ReadFile(ty.file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(raw))
	typed := map[string]int{}
	for _, line := range lines {
		typed[line]++
	}
	failed, unknown := 0, 0
	for _, r := range ty.told {
		n := typed[r.line]
		delete(typed, r.line)
		switch {
		case n > 1, r.typed && n != 1, !r.typed && !r.unknown && n != 0:
			t.Errorf("%s: line %s was typed %d times, but its call returned: %v", ty.session, r.line, n, r.err)
		case ty.seen[r.line] > 1 || r.typed && ty.seen[r.line] != 1:
			t.Errorf("%s: line %s was read %d times, want once", ty.session, r.line, ty.seen[r.line])
		}
		if !r.typed {
			failed++
		}
		if r.unknown {
			unknown++
		}
	}
	if len(typed) > 0 {
		t.Errorf("%s: the program read lines that nobody typed: %v", ty.session, typed)
	}
	if !slices.IsSorted(lines) {
		t.Errorf("%s: the lines are out of order", ty.session)
	}
	_, data, err := ty.call(t.Context(), "register_reader", args{"session_id": ty.session})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for more := true; more; {
		var page map[string]any
		if _, page, err = ty.call(t.Context(), "read_output", args{"session_id": ty.session, "reader_id": data["reader_id"]}); err != nil {
			t.Fatal(err)
		}
		for _, m := range gotLines.FindAllStringSubmatch(page["output"].(string), -1) {
			shown = append(shown, m[1])
		}
		more, _ = page["has_more"].(bool)
	}
	if !slices.Equal(shown, lines) {
		t.Errorf("%s: the session shows %d lines, its program read %d; the first difference: %s", ty.session, len(shown), len(lines), firstDifference(shown, lines))
	}
	t.Logf("%s: %d lines, %d calls failed, %d of them with an unknown result", ty.session, len(ty.told), failed, unknown)
}

// firstDifference returns the first pair of lines that differ.
func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " and " + b[i]
		}
	}
	return "the end"
}
