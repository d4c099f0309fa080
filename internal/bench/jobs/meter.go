package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A bill is the cost of a job.
type bill struct {
	calls   int
	written int // tokens of the calls
	read    int // tokens of the results
	waited  time.Duration
	whole   int // tokens of the text that had to be read, 0 where there is none
}

// tokens returns all tokens that the model paid for.
func (b bill) tokens() int { return b.written + b.read }

// A meter calls a server's tools and counts. One goroutine may use it.
type meter struct {
	c     *peer.Client
	count counter
	log   io.Writer
	bill  bill
}

// call calls a tool and returns the text that the model reads, even of a failed
// call.
func (m *meter) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	written, err := m.count.call(tool, args)
	if err != nil {
		return "", err
	}
	from := time.Now()
	res, err := m.c.Call(ctx, tool, args)
	if err != nil {
		return "", err
	}
	took := time.Since(from)
	text := peer.Text(res)
	read := m.count.text(text)
	m.bill.calls++
	m.bill.written += written
	m.bill.read += read
	m.bill.waited += took
	line, err := compact(args)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(m.log, ">>> %s %s  (%d tokens)\n%s\n<<< %d tokens, %d ms\n", tool, line, written, text, read, took.Milliseconds())
	return text, nil
}
