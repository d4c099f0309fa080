package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pageLines is the length of the text that less and nano show.
const pageLines = 20000

// writePage writes that text: numbered lines.
func writePage(dir string) error {
	var b strings.Builder
	for i := 1; i <= pageLines; i++ {
		fmt.Fprintf(&b, "this is row R%dx of the page\n", i)
	}
	return os.WriteFile(filepath.Join(dir, "page.txt"), []byte(b.String()), 0o600)
}

// number derives a number below n from a trial's name.
func number(id string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % uint32(n))
}

// vimTrial shows a message, at once or after vim has slept: while it sleeps it
// polls the terminal for ctrl+c, as if it waited for a key.
func vimTrial(id string) tuiTrial {
	t := tuiTrial{name: "message", enter: true, want: "<" + id + ">"}
	if n := number(id, 6); n >= 3 {
		t.name = "message after sleep"
		t.text = fmt.Sprintf(":sleep %dm | echo '<'.'%s>'", 100*n, id)
	} else {
		t.text = fmt.Sprintf(":echo '<'.'%s>'", id)
	}
	return t
}

// emacsTrial evaluates an expression in the minibuffer.
func emacsTrial(id string) tuiTrial {
	return tuiTrial{name: "message", text: fmt.Sprintf("\x1b:(concat \"<\" \"%s>\")", id), enter: true, want: "<" + id + ">"}
}

// tmuxTrial runs a command in the shell inside.
func tmuxTrial(id string) tuiTrial {
	s := script{{op: opPause, d: time.Duration(number(id, 8)) * 100 * time.Millisecond}, last(id)}
	return tuiTrial{name: "command", text: emitName + " " + s.String(), enter: true, want: "<" + id + ">", endless: true}
}

// fzfTrial filters the list, and clears the filter again.
func fzfTrial(id string) tuiTrial {
	row := fmt.Sprintf("R%dx", 1000+number(id, pageLines-2000))
	clear := tuiTrial{name: "clear", text: "\x15", want: "R1x"}
	return tuiTrial{name: "filter", text: row, want: "this is row " + row, then: &clear}
}

// lessTrial goes to a row far away.
func lessTrial(id string) tuiTrial {
	row := 100 + number(id, pageLines-200)
	return tuiTrial{name: "search", text: fmt.Sprintf("g/R%d[x]", row), enter: true, want: fmt.Sprintf("R%dx", row)}
}

// nanoTrial types into the text.
func nanoTrial(id string) tuiTrial {
	return tuiTrial{name: "type", text: "<" + id + ">", want: "<" + id + ">"}
}

// topTrial shows each processor by itself, and all together again.
func topTrial(string) tuiTrial {
	together := tuiTrial{name: "toggle back", text: "1", want: "%Cpu(s)", endless: true}
	return tuiTrial{name: "toggle", text: "1", want: "%Cpu0", endless: true, then: &together}
}
