package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// The time after which progress is shown, and the interval between updates.
const (
	progressAfter = time.Second
	progressEvery = time.Second
)

// during calls work. If w is a terminal and work takes longer than progressAfter, it shows the
// elapsed time on w.
func during(w io.Writer, what string, work func() error) error {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	begin := time.Now()
	timer := time.NewTimer(progressAfter)
	defer timer.Stop()
	shown := false
	for {
		select {
		case err := <-done:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return err
		case <-timer.C:
			shown = true
			fmt.Fprintf(w, "\rglasstty: %s (%.0f s)", what, time.Since(begin).Seconds())
			timer.Reset(progressEvery)
		}
	}
}
