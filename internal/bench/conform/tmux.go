package conform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/recording"
	"github.com/mattn/go-runewidth"
)

// Tmux is a private tmux server. It is a witness if the other two oracles disagree, not a reference,
// because it redraws the screen as it has understood it.
type Tmux struct {
	path, dir string
	sync      int
}

// StartTmux creates a directory for the server. Every Replay starts the server
// again.
func StartTmux(path string) (*Tmux, error) {
	dir, err := os.MkdirTemp("", "tmux")
	return &Tmux{path: path, dir: dir}, err
}

// Close ends the server and removes its directory.
func (t *Tmux) Close() error {
	t.run("kill-server")
	return os.RemoveAll(t.dir)
}

// run executes a tmux command and returns what it prints.
func (t *Tmux) run(args ...string) (string, error) {
	cmd := exec.Command(t.path, append([]string{"-u", "-S", filepath.Join(t.dir, "s"), "-f", "/dev/null"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "HOME=" + t.dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// Replay runs j in a new pane, whose program copies what we write to it.
func (t *Tmux) Replay(j Job) ([]Screen, error) {
	t.run("kill-server")
	fifo := filepath.Join(t.dir, "in")
	os.Remove(fifo)
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mkfifo: %w: %s", err, out)
	}
	_, err := t.run("new-session", "-d", "-x", strconv.Itoa(j.Cols), "-y", strconv.Itoa(j.Rows),
		"stty raw -echo; exec cat "+fifo, ";", "set", "-g", "status", "off", ";", "set", "-g", "history-limit", "10000",
		";", "set", "-g", "window-size", "manual", ";", "resize-window", "-x", strconv.Itoa(j.Cols), "-y", strconv.Itoa(j.Rows))
	if err != nil {
		return nil, err
	}
	in, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return t.events(j, in)
}

// events carries out the job's events.
func (t *Tmux) events(j Job, in *os.File) ([]Screen, error) {
	var out []Screen
	for _, e := range j.Events {
		var err error
		switch e.Kind {
		case recording.Output:
			err = t.write(in, e.Data)
		case recording.Resize:
			_, err = t.run("resize-window", "-x", strconv.Itoa(e.Cols), "-y", strconv.Itoa(e.Rows))
		case recording.Checkpoint:
			var s Screen
			s, err = t.screen(e.Label)
			out = append(out, s)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write sends p and waits until tmux has processed it: a new title comes last.
func (t *Tmux) write(in *os.File, p []byte) error {
	t.sync++
	title := fmt.Sprintf("sync-%d", t.sync)
	if _, err := in.Write(append(append([]byte{}, p...), "\x1b]2;"+title+"\a"...)); err != nil {
		return err
	}
	end := time.After(replyLimit)
	for {
		got, err := t.run("display", "-p", "#{pane_title}")
		if err != nil || strings.TrimSpace(got) == title {
			return err
		}
		select {
		case <-end:
			return fmt.Errorf("tmux has not processed %d bytes within %v", len(p), replyLimit)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// screen captures the pane.
func (t *Tmux) screen(label string) (Screen, error) {
	s := Screen{Label: label}
	state, err := t.run("display", "-p", "#{pane_height} #{pane_width} #{cursor_y} #{cursor_x} #{cursor_flag} #{alternate_on} #{history_size}")
	if err != nil {
		return s, err
	}
	var visible, alt int
	_, err = fmt.Sscan(state, &s.Rows, &s.Cols, &s.Cursor[0], &s.Cursor[1], &visible, &alt, &s.Scrollback)
	if err != nil {
		return s, fmt.Errorf("state %q: %w", state, err)
	}
	if s.Cursor[1] >= s.Cols {
		s.Cursor[1], s.Pending = s.Cols-1, true
	}
	s.Visible, s.Alt = visible == 1, alt == 1
	page, err := t.run("capture-pane", "-e", "-p", "-N", "-S", "-"+strconv.Itoa(aboveRows))
	if err != nil {
		return s, err
	}
	joined, err := t.run("capture-pane", "-p", "-J", "-S", "-"+strconv.Itoa(aboveRows))
	if err != nil {
		return s, err
	}
	rows := parseCapture(page)
	markWraps(rows, page, joined)
	n := min(s.Scrollback, aboveRows, len(rows))
	s.Above, s.Grid = rows[:n], rows[n:]
	return s, nil
}

// parseCapture reads what capture-pane -e prints: text with SGR, and SO and SI
// around line drawing.
func parseCapture(page string) []Row {
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	out := make([]Row, len(lines))
	var pen pen
	for i, line := range lines {
		out[i] = pen.line(line)
		out[i].trim()
	}
	return out
}

// markWraps finds the wrap flags by comparing the rows with the same text with
// wrapped rows joined.
func markWraps(rows []Row, page, joined string) {
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	i := 0
	for _, whole := range strings.Split(strings.TrimSuffix(joined, "\n"), "\n") {
		want := utf8.RuneCountInString(whole)
		for got := 0; i < len(lines); i++ {
			got += plainLength(lines[i])
			if got >= want {
				break
			}
			rows[i].Wrap = true
		}
		i++
	}
}

// plainLength returns the number of characters of a captured line without its
// escapes.
func plainLength(line string) int {
	n := 0
	for runes := []rune(line); len(runes) > 0; runes = runes[1:] {
		switch {
		case runes[0] == 0x0e, runes[0] == 0x0f:
		case runes[0] != 0x1b:
			n++
		default:
			for len(runes) > 1 && runes[0] != 'm' {
				runes = runes[1:]
			}
		}
	}
	return n
}

// A pen is the style in force while a capture is read.
type pen struct {
	on     map[string]bool
	fg, bg string
	acs    bool
}

// line reads one line.
func (p *pen) line(line string) Row {
	var r Row
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == 0x1b && i+1 < len(runes) && runes[i+1] == '[':
			end := i + 2
			for end < len(runes) && runes[end] != 'm' {
				end++
			}
			p.sgr(string(runes[i+2 : min(end, len(runes))]))
			i = end
		case c == 0x0e, c == 0x0f:
			p.acs = c == 0x0e
		case runewidth.RuneWidth(c) == 0 && len(r.Runs) > 0:
			r.combine(c)
		default:
			r.add(p.style(), max(1, runewidth.RuneWidth(c)), p.glyph(c))
		}
	}
	return r
}

// glyph returns the character for c in the current character set.
func (p *pen) glyph(c rune) string {
	const drawing = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
	if p.acs && c >= '`' && c <= '~' {
		return string([]rune(drawing)[c-'`'])
	}
	return string(c)
}

// sgr processes the parameters of one SGR.
func (p *pen) sgr(params string) {
	f := strings.Split(params, ";")
	for i := 0; i < len(f); i++ {
		n, err := strconv.Atoi(f[i])
		switch {
		case err != nil && f[i] != "": // a parameter with colons, such as 4:3
			p.turnOn(f[i])
		case n == 0:
			*p = pen{on: map[string]bool{}, acs: p.acs}
		case n == 38 || n == 48:
			var word string
			word, i = extended(f, i)
			if n == 38 {
				p.fg = "f" + word
			} else {
				p.bg = "g" + word
			}
		case n >= 30 && n <= 37:
			p.fg = "f" + strconv.Itoa(n-30)
		case n >= 90 && n <= 97:
			p.fg = "f" + strconv.Itoa(n-82)
		case n >= 40 && n <= 47:
			p.bg = "g" + strconv.Itoa(n-40)
		case n >= 100 && n <= 107:
			p.bg = "g" + strconv.Itoa(n-92)
		case n == 39:
			p.fg = ""
		case n == 49:
			p.bg = ""
		default:
			p.turnOn(f[i])
		}
	}
}

func (p *pen) turnOn(param string) {
	if p.on == nil {
		p.on = map[string]bool{}
	}
	p.on[param] = true
}

// extended reads 38;5;n or 38;2;r;g;b at i and returns the colour and the last
// parameter's index.
func extended(f []string, i int) (string, int) {
	if i+2 < len(f) && f[i+1] == "5" {
		return f[i+2], i + 2
	}
	if i+4 < len(f) && f[i+1] == "2" {
		return colorWord(strings.Join(f[i+1:i+5], ":")), i + 4
	}
	return "", len(f)
}

// style returns the current style. tmux's capture turns attributes off only with
// SGR 0.
func (p *pen) style() string {
	return styleOf(p.on, p.fg, p.bg)
}
