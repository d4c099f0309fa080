package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// order is that of the servers in the table.
var order = []string{peer.Glasstty, peer.Desktop, peer.Amol, peer.Process}

// bench does the jobs with each server and prints the tables.
func bench(ctx context.Context, o options) error {
	scratch, err := os.MkdirTemp("", "jobs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	count, err := newCounter()
	if err != nil {
		return err
	}
	b := &runner{o: o, scratch: scratch, count: count}
	if b.o.glasstty == "" {
		b.o.glasstty = filepath.Join(scratch, "glasstty-under-test")
		if err := peer.Build(ctx, b.o.glasstty); err != nil {
			return err
		}
	}
	rep := report{cores: runtime.NumCPU(), rounds: o.rounds}
	for _, name := range order {
		if name != peer.Glasstty && o.peers[name] == "" {
			rep.notes = append(rep.notes, fmt.Sprintf("%s is left out: no directory given (-%s)", name, name))
			continue
		}
		col, err := b.server(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rep.columns = append(rep.columns, col)
	}
	rep.print(os.Stdout)
	return rep.verdict()
}

// A runner does jobs.
type runner struct {
	o       options
	scratch string
	count   counter
}

// server does all jobs with one server.
func (b *runner) server(ctx context.Context, name string) (column, error) {
	col := column{server: name}
	var err error
	if col.list, err = b.toolList(ctx, name); err != nil {
		return col, err
	}
	list := jobs()
	if b.o.menus {
		list = menuJobs()
	}
	for _, j := range peer.Pick(list, nameOf, b.o.jobs) {
		r := result{job: j.name, other: name == peer.Desktop && j.without != nil}
		if m := j.missing(); m != "" {
			r.err = fmt.Errorf("%s is not installed", m)
			col.results = append(col.results, r)
			continue
		}
		var bills []bill
		for range b.o.rounds {
			one, err := b.once(ctx, name, j)
			if ctx.Err() != nil {
				return col, ctx.Err()
			}
			if err != nil {
				r.err = err
				continue
			}
			bills = append(bills, one)
		}
		r.bill, r.done, r.rounds = median(bills), len(bills), b.o.rounds
		col.results = append(col.results, r)
	}
	return col, nil
}

// once does a job once, with a server and a site of its own.
func (b *runner) once(ctx context.Context, name string, j job) (bill, error) {
	dir, err := os.MkdirTemp(b.scratch, "site")
	if err != nil {
		return bill{}, err
	}
	f := &site{dir: dir}
	defer f.close()
	if err := j.prepare(ctx, f); err != nil {
		return bill{}, fmt.Errorf("prepare: %w", err)
	}
	log, err := b.transcript(name, j)
	if err != nil {
		return bill{}, err
	}
	defer log.Close()
	c, err := b.connect(ctx, name, dir)
	if err != nil {
		return bill{}, err
	}
	defer c.Close()
	m := &meter{c: c, count: b.count, log: log}
	a := &agent{ctx: ctx, server: name, d: newDriver(name, m)}
	script := j.script
	if name == peer.Desktop && j.without != nil {
		script = j.without
	}
	script(a, f)
	if a.err == nil {
		a.err = j.check(f, a.all.String())
	}
	if a.err == nil && j.whole != nil {
		var text string
		if text, a.err = j.whole(ctx, f); a.err == nil {
			m.bill.whole = b.count.text(text)
		}
	}
	return m.bill, a.err
}

// transcript opens the file that a job's calls are written to.
func (b *runner) transcript(name string, j job) (io.WriteCloser, error) {
	if b.o.log == "" {
		return discard{io.Discard}, nil
	}
	if err := os.MkdirAll(b.o.log, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(b.o.log, strings.ReplaceAll(j.name, " ", "-")+"."+name+".txt"))
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// connect starts a server in a job's directory, as clients do in a project's.
func (b *runner) connect(ctx context.Context, name, dir string) (*peer.Client, error) {
	home := filepath.Join(b.scratch, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	p := peer.Place{Home: home, Env: environ(home), Dir: dir}
	switch name {
	case peer.Desktop:
		return peer.StartDesktop(ctx, p, b.o.peers[name])
	case peer.Amol:
		return peer.StartAmol(ctx, p, b.o.peers[name])
	case peer.Process:
		return peer.StartProcess(ctx, p, b.o.peers[name], b.scratch)
	}
	return peer.StartGlasstty(ctx, p, b.o.glasstty)
}

// environ is the environment of every server: a home of its own and a plain
// locale, no settings of the user.
func environ(home string) []string {
	out := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(),
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/bash",
		"HISTFILE=", "PYTHON_HISTORY=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}
	for _, keep := range []string{"USER", "LOGNAME", "PYENV_ROOT", "PYENV_VERSION", "GOCOVERDIR"} {
		if v := os.Getenv(keep); v != "" {
			out = append(out, keep+"="+v)
		}
	}
	return out
}

// newDriver returns the driver of a server.
func newDriver(name string, m *meter) driver {
	switch name {
	case peer.Desktop:
		return &desktop{m: m}
	case peer.Amol:
		return &amol{m: m}
	case peer.Process:
		return &process{m: m}
	}
	return &glasstty{m: m}
}

// toolList returns the tokens of a server's tools as a model is given them:
// names, descriptions and input schemas.
func (b *runner) toolList(ctx context.Context, name string) (int, error) {
	c, err := b.connect(ctx, name, b.scratch)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	tools, err := c.Tools(ctx)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, t := range tools {
		schema, ok := t.InputSchema.(map[string]any)
		if !ok {
			return 0, fmt.Errorf("tool %s has no object as its schema", t.Name)
		}
		n, err := b.count.call(t.Name+" "+t.Description, schema)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// median returns the median of each figure.
func median(bills []bill) bill {
	if len(bills) == 0 {
		return bill{}
	}
	pick := func(get func(bill) int) int {
		var v []int
		for _, b := range bills {
			v = append(v, get(b))
		}
		slices.Sort(v)
		return v[(len(v)-1)/2]
	}
	return bill{
		calls:   pick(func(b bill) int { return b.calls }),
		written: pick(func(b bill) int { return b.written }),
		read:    pick(func(b bill) int { return b.read }),
		whole:   pick(func(b bill) int { return b.whole }),
		waited:  time.Duration(pick(func(b bill) int { return int(b.waited) })),
	}
}

// statusID returns the session id in the status line that ends a text, "" when
// there is none.
func statusID(text string) string {
	m := statusLine.FindStringSubmatch(text[strings.LastIndexByte(text, '\n')+1:])
	if m == nil {
		return ""
	}
	return m[1]
}

var statusLine = regexp.MustCompile(`^\[([a-z0-9]{1,8}) `)
