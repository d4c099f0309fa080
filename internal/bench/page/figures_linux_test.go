package page

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/need"
)

// A whole is a server that serves an agent and people at the same time.
type whole struct {
	b     *testing.B
	agent *mcp.ClientSession
	pid   int
	base  string       // URL of the page
	let   *http.Client // has the server's cookie
	proof string       // which the page sends in addition to the cookie
}

// newWhole builds the server and starts it as an agent's client does.
func newWhole(b *testing.B) *whole {
	b.Helper()
	path := filepath.Join(b.TempDir(), "glasstty")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/glasstty/glasstty/cmd/glasstty").CombinedOutput(); err != nil {
		b.Fatalf("build the server: %v\n%s", err, out)
	}
	cmd := exec.Command(path, "mcp", "--watch", "--data-dir", b.TempDir())
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+b.TempDir())
	said, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-bench", Version: "1"}, nil)
	agent, err := client.Connect(context.WithoutCancel(b.Context()), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := agent.Close(); err != nil {
			b.Error(err)
		}
	})
	w := &whole{b: b, agent: agent, pid: cmd.Process.Pid}
	w.enter(said)
	return w
}

// enter opens the link that the server prints.
func (w *whole) enter(said io.Reader) {
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	link := regexp.MustCompile(`http://\S+/link/\S+`).FindString(line)
	if err != nil || link == "" {
		w.b.Fatalf("the server printed %q, %v; want a link", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // until the server exits
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.b.Fatal(err)
	}
	w.let = &http.Client{Jar: jar, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if _, proof, ok := strings.Cut(req.Response.Header.Get("Location"), "#"); ok {
			w.proof = proof
		}
		return nil
	}}
	res, err := w.let.Get(link)
	if err != nil {
		w.b.Fatal(err)
	}
	_ = res.Body.Close()
	w.base, _, _ = strings.Cut(res.Request.URL.String(), "#")
}

// call calls a tool as the agent.
func (w *whole) call(tool string, args map[string]any) map[string]any {
	w.b.Helper()
	res, err := w.agent.CallTool(w.b.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		w.b.Fatal(err)
	}
	if res.IsError {
		w.b.Fatalf("%s: %v", tool, res.Content[0].(*mcp.TextContent).Text)
	}
	return res.StructuredContent.(map[string]any)
}

// start starts a program and returns its session ID.
func (w *whole) start(command string, args ...string) string {
	w.b.Helper()
	need.Program(w.b, command)
	r := w.call("start_process", map[string]any{"command": command, "args": append([]string{}, args...), "timeout": 2, "env": map[string]any{"PS1": "$ "}})
	return r["session_id"].(string)
}

// visit opens the page of a session in a browser, and counts the bytes of the frames that it
// receives from then on.
func (w *whole) visit(id string) (context.Context, *frameCount) {
	w.b.Helper()
	tab := browser(w.b)
	count := &frameCount{}
	chromedp.ListenTarget(tab, count.take)
	u := w.base
	c := w.let.Jar.Cookies(w.at())[0]
	do(w.b, tab, network.Enable(), network.SetCookie(c.Name, c.Value).WithURL(u),
		chromedp.Navigate(u+"#"+w.proof), chromedp.WaitVisible("#list .card"), chromedp.Navigate(u+"#"+id), chromedp.WaitVisible("#screen .row"))
	return tab, count
}

// A frameCount counts the frames of a large screen. It is safe for concurrent use.
type frameCount struct {
	mu                 sync.Mutex // guards what follows
	whole              int        // bytes of the last whole screen
	changes, sentBytes int
}

// take counts the frame in a browser event.
func (f *frameCount) take(ev any) {
	e, ok := ev.(*network.EventWebSocketFrameReceived)
	if !ok {
		return
	}
	var head struct {
		Type string `json:"t"`
		Full bool   `json:"full"`
	}
	data := e.Response.PayloadData
	if json.Unmarshal([]byte(data), &head) != nil || head.Type != "frame" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if head.Full {
		f.whole = len(data)
		return
	}
	f.changes++
	f.sentBytes += len(data)
}

// report reports the size of a change and of the whole screen.
func (f *frameCount) report(b *testing.B, what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changes == 0 {
		b.Fatal("the page received no changes")
	}
	each := float64(f.sentBytes) / float64(f.changes)
	b.ReportMetric(each, "B/change-"+what)
	b.ReportMetric(float64(f.whole), "B/screen-"+what)
	b.ReportMetric(each/float64(f.whole), "change/screen-"+what)
}

// strike is JavaScript that presses keys in the page. It resolves to the times in
// milliseconds from each key until the screen changes.
const strike = `(async () => {
  const times = [], field = document.getElementById('typing');
  for (let i = 0; i < %d; i++) {
    await new Promise((r) => setTimeout(r, 30));
    const begun = performance.now();
    await new Promise((r) => {
      const o = new MutationObserver(() => { o.disconnect(); r(); });
      o.observe(document.getElementById('screen'), { childList: true, characterData: true, subtree: true });
      field.dispatchEvent(new KeyboardEvent('keydown', { key: i %% 2 ? 'Backspace' : 'x', bubbles: true, cancelable: true }));
    });
    times.push(performance.now() - begun);
  }
  return times;
})()`

// BenchmarkKey measures the time from a key press in the page until the cell in the page
// changes, in the same run the same key through MCP, and the bytes of the changes.
func BenchmarkKey(b *testing.B) {
	const keys = 200
	w := newWhole(b)
	id := w.start("cat")
	tab, count := w.visit(id)
	var page, agent []float64
	for b.Loop() {
		do(b, tab, chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
		var times []float64
		do(b, tab, chromedp.Evaluate(strings.NewReplacer("%d", strconv.Itoa(keys), "%%", "%").Replace(strike), &times, awaited))
		page = append(page, times...)
		do(b, tab, chromedp.Click("#give"), chromedp.Click("#ask-note button.main"), text("#holder", "The agent"))
		for i := range keys {
			start := time.Now()
			w.call("send_keys", map[string]any{"session_id": id, "keys": []string{[]string{"x", "backspace"}[i%2]}, "until": "change", "view": "diff"})
			agent = append(agent, float64(time.Since(start).Microseconds())/1000)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(page), "ms/page-key")
	b.ReportMetric(middle(agent), "ms/mcp-key")
	b.ReportMetric(middle(page)/middle(agent), "page/mcp")
	count.report(b, "key")
}

// middle returns the median.
func middle(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}

// sixty is a program that changes the screen sixty times a second, printing a number in each
// row in turn.
const sixty = `
import sys, time
n, t = 0, time.monotonic()
while True:
    n += 1
    sys.stdout.write("\x1b[%d;1H\x1b[3%dm%8d\x1b[m" % (n %% 24 + 1, n %% 8, n)); sys.stdout.flush()
    t += 1 / 60
    time.sleep(max(0, t - time.monotonic()))
`

// smooth is JavaScript that measures the page for some time. It resolves to the changes drawn
// per second, the frames painted per second, and the 99th percentile of the time between two
// frames in milliseconds.
const smooth = `(async () => {
  let changes = 0, frames = [], last = performance.now(), begun = last;
  const o = new MutationObserver(() => { changes++; });
  o.observe(document.getElementById('screen'), { childList: true, characterData: true, subtree: true });
  await new Promise((done) => requestAnimationFrame(function next(now) {
    frames.push(now - last); last = now;
    if (now - begun < 5000) requestAnimationFrame(next); else done();
  }));
  o.disconnect();
  frames.sort((a, b) => a - b);
  const s = (last - begun) / 1000;
  return [changes / s, frames.length / s, frames[Math.floor(frames.length * .99)]];
})()`

// BenchmarkSixty measures how the page shows a program that changes the screen sixty times a
// second.
func BenchmarkSixty(b *testing.B) {
	w := newWhole(b)
	tab, count := w.visit(w.start("python3", "-c", strings.ReplaceAll(sixty, "%%", "%")))
	var got []float64
	for b.Loop() {
		do(b, tab, chromedp.Evaluate(smooth, &got, awaited))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(got[0], "changes/s")
	b.ReportMetric(got[1], "frames/s")
	b.ReportMetric(got[2], "ms/frame-p99")
	count.report(b, "sixty")
}

// BenchmarkWatchers measures the server's processor time for a session that changes sixty
// times a second, with no, one and twenty watchers.
func BenchmarkWatchers(b *testing.B) {
	const (
		most = 20
		long = 3 * time.Second
	)
	w := newWhole(b)
	id := w.start("python3", "-c", strings.ReplaceAll(sixty, "%%", "%"))
	used := map[int]float64{}
	watchers := 0
	for b.Loop() {
		for _, n := range []int{0, 1, most} {
			for ; watchers < n; watchers++ {
				w.watch(id, strconv.Itoa(watchers))
			}
			before := used[n]
			start, begun := w.cpu(), time.Now()
			time.Sleep(long)
			used[n] = before + 100*float64(w.cpu()-start)/float64(time.Since(begun))
		}
	}
	b.ReportMetric(0, "ns/op")
	for n, percent := range used {
		b.ReportMetric(percent, strconv.Itoa(n)+"-%cpu")
	}
	b.ReportMetric(used[1]/used[0], "1/0")
	b.ReportMetric(used[most]/used[0], strconv.Itoa(most)+"/0")
}

// watch receives the large screen of a session until the benchmark ends.
func (w *whole) watch(id, me string) {
	w.b.Helper()
	u := w.at()
	u.Scheme, u.Path, u.RawQuery = "ws", u.Path+"ws", "me="+me+"&"+w.proof
	ws, _, err := websocket.Dial(w.b.Context(), u.String(), &websocket.DialOptions{HTTPClient: w.let, HTTPHeader: http.Header{"Origin": {"http://" + u.Host}}})
	if err != nil {
		w.b.Fatal(err)
	}
	w.b.Cleanup(func() { _ = ws.CloseNow() })
	ws.SetReadLimit(-1)
	if err := wsjson.Write(w.b.Context(), ws, live.Action{Do: "watch", Large: id}); err != nil {
		w.b.Fatal(err)
	}
	go func() {
		for {
			if _, _, err := ws.Read(w.b.Context()); err != nil {
				return
			}
		}
	}()
}

// cpu returns the processor time that the server has used (proc_pid_stat(5)).
func (w *whole) cpu() time.Duration {
	w.b.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(w.pid) + "/stat")
	if err != nil {
		w.b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	f := strings.Fields(rest)
	const tick = time.Second / 100 // USER_HZ
	var sum time.Duration
	for _, ticks := range f[11:13] { // utime and stime
		n, err := strconv.Atoi(ticks)
		if err != nil {
			w.b.Fatal(err)
		}
		sum += time.Duration(n) * tick
	}
	return sum
}

// at returns the page's URL.
func (w *whole) at() *url.URL {
	w.b.Helper()
	u, err := url.Parse(w.base)
	if err != nil {
		w.b.Fatal(err)
	}
	return u
}
