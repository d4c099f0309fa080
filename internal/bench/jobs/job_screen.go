package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
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

// hogC keeps the processor busy, with so many threads that it is the first of a
// busy machine too; hoardC more memory than anything else on most machines. Both
// end when their standard input does.
const (
	hogC = `#include <pthread.h>
#include <unistd.h>
static void *spin(void *arg) { for (;;) __asm__ volatile(""); return arg; }
int main(void) {
    pthread_t t; char c;
    for (int i = 0; i < 8; i++) pthread_create(&t, 0, spin, 0);
    return read(0, &c, 1) < 0;
}
`
	hoardC = `#include <stdlib.h>
#include <unistd.h>
int main(void) {
    size_t n = 700u << 20; char c; volatile char *kept = malloc(n);
    if (!kept) return 1;
    for (size_t i = 0; i < n; i += 1024) kept[i] = 'x';
    if (write(1, "ready\n", 6) != 6) return 1;
    return read(0, &c, 1) < 0;
}
`
)

// topJob finds out in top what uses the processor most, and what the memory.
func topJob() job {
	return job{
		name: "watch top", needs: []string{"top", "gcc"},
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

// prepareTop builds and starts both programs, and waits until the memory is in
// use.
func prepareTop(ctx context.Context, f *site) error {
	hog, _, err := f.spawn(ctx, "hog", hogC)
	if err != nil {
		return err
	}
	hoard, out, err := f.spawn(ctx, "hoard", hoardC)
	if err != nil {
		return err
	}
	f.hog, f.hoard = hog.Pid, hoard.Pid
	_, err = out.ReadString('\n')
	return err
}

// spawn builds a C program under a name and runs it until the site is closed.
func (f *site) spawn(ctx context.Context, name, text string) (*os.Process, *bufio.Reader, error) {
	if err := f.write(name+".c", text, 0o644); err != nil {
		return nil, nil, err
	}
	if _, err := f.exec(ctx, nil, "gcc", "-O1", "-pthread", "-o", name, name+".c"); err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(filepath.Join(f.dir, name))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	f.cleanup = append(f.cleanup, func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process, bufio.NewReader(out), nil
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
