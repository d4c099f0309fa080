package main

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

const serverConf = `# web server
host = 0.0.0.0
port = 8080
workers = 4
timeout = 30

[log]
file = /var/log/web.log
level = info
debug_sql = true
rotate = daily

[proxy]
upstream = 127.0.0.1:8080
retries = 3
debug_headers = true
buffer = 64k

[static]
root = /srv/www
index = index.html
`

// vimJob changes a port and drops two settings.
func vimJob() job {
	return job{
		name: "edit in vim", needs: []string{"vim"},
		prepare: func(_ context.Context, f *site) error { return f.write("server.conf", serverConf, 0o644) },
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"vim", "server.conf"}}, `debug_headers`)
			a.line(":%s/8080/9090/\n:g/^debug/d\n:x", anything)
		},
		without: func(a *agent, _ *site) {
			a.run(program{argv: []string{"cat", "server.conf"}}, `debug_headers`)
			a.run(program{argv: []string{"sed", "-i", "s/8080/9090/;/^debug/d", "server.conf"}}, `Process started`)
		},
		check: func(f *site, _ string) error {
			want := strings.NewReplacer("8080", "9090", "debug_sql = true\n", "", "debug_headers = true\n", "").Replace(serverConf)
			// The last key is read before the file is written.
			return eventually(func() error {
				got, err := f.read("server.conf")
				if err == nil && got != want {
					return fmt.Errorf("server.conf is\n%s", got)
				}
				return err
			})
		},
	}
}

// hogPl keeps a core busy, hoardPl more memory than anything else on most
// machines, until their parent is gone. The kernel names a script by its file.
const (
	hogPl   = "#!%s\nmy $parent = getppid; 1 while getppid == $parent;\n"
	hoardPl = "#!%s\n$| = 1; my $n = 700 << 20; my $kept = 'x' x $n; print \"ready\\n\"; <STDIN>;\n"
)

// topJob finds out in top what uses the processor most, and what the memory.
func topJob() job {
	return job{
		name: "watch top", needs: []string{"top", "perl"},
		prepare: prepareTop,
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"top", "-d", "1"}, rows: topRows}, ` hog`)
			a.pressDiff(` hoard`, "M")
		},
		without: func(a *agent, _ *site) {
			a.run(program{shell: fmt.Sprintf("top -b -n 1 | head -%d", topRows)}, ` hog`)
			a.run(program{shell: fmt.Sprintf("top -b -n 1 -o %%MEM | head -%d", topRows)}, ` hoard`)
		},
		check: func(f *site, read string) error {
			return contains(read, strconv.Itoa(f.hog)+" ", strconv.Itoa(f.hoard)+" ")
		},
	}
}

// topRows are enough for top's head and the busiest seven.
const topRows = 14

// prepareTop starts both programs, and waits until the memory is in use.
func prepareTop(_ context.Context, f *site) error {
	perl, err := exec.LookPath("perl")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"hog": hogPl, "hoard": hoardPl} {
		if err := f.write(name, fmt.Sprintf(text, perl), 0o755); err != nil {
			return err
		}
	}
	hog := exec.Command(filepath.Join(f.dir, "hog"))
	if err := hog.Start(); err != nil {
		return err
	}
	f.hog = hog.Process.Pid
	f.cleanup = append(f.cleanup, func() { _ = hog.Process.Kill(); _ = hog.Wait() })
	hoard := exec.Command(filepath.Join(f.dir, "hoard"))
	in, err := hoard.StdinPipe()
	if err != nil {
		return err
	}
	out, err := hoard.StdoutPipe()
	if err != nil {
		return err
	}
	if err := hoard.Start(); err != nil {
		return err
	}
	f.hoard = hoard.Process.Pid
	f.cleanup = append(f.cleanup, func() { _ = in.Close(); _ = hoard.Process.Kill(); _ = hoard.Wait() })
	_, err = bufio.NewReader(out).ReadString('\n')
	return err
}

// eventually waits up to two seconds until look finds nothing wrong.
func eventually(look func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for {
		err := look()
		if err == nil || !peer.Pause(ctx, 20*time.Millisecond) {
			return err
		}
	}
}

// manualPage is the page that manJob reads.
const manualPage = "cp"

// manJob reads all of a manual page in the pager.
func manJob() job {
	return job{
		name: "page through man", needs: []string{"man", "less"},
		prepare: func(ctx context.Context, f *site) error {
			_, err := f.exec(ctx, nil, "man", "-w", manualPage)
			return err
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"man", manualPage}, rows: manRows, terse: true}, `NAME`)
			for i := 0; i < maxMore && a.err == nil && !strings.Contains(a.all.String(), "(END)"); i++ {
				a.press(`.`, "<space>")
			}
		},
		without: func(a *agent, _ *site) {
			a.run(program{argv: []string{"man", manualPage}}, `SEE ALSO`)
		},
		whole: readPage,
		check: func(f *site, read string) error {
			page, err := readPage(context.Background(), f)
			if err != nil {
				return err
			}
			for _, word := range strings.FieldsFunc(page, func(r rune) bool { return !strings.ContainsRune(optionRunes, r) }) {
				if strings.HasPrefix(word, "--") && !strings.Contains(read, word) {
					return fmt.Errorf("option %s of the page was never read", word)
				}
			}
			return contains(read, "SEE ALSO")
		},
	}
}

// readPage returns the page as plain text.
func readPage(ctx context.Context, f *site) (string, error) {
	return f.exec(ctx, nil, "man", manualPage)
}

// optionRunes are the characters of long options.
const optionRunes = "-abcdefghijklmnopqrstuvwxyz"

// manRows are the rows of the terminal to read a page in.
const manRows = 200
