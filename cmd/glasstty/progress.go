package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progressInterval is the interval at which progress is shown.
const progressInterval = time.Second

// withProgress calls work and returns its error. If w is a terminal and work takes longer than
// progressInterval, withProgress shows what is done and the elapsed time on w.
func withProgress(w io.Writer, what string, work func() error) error {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	begin := time.Now()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	shown := false
	for {
		select {
		case err := <-done:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return err
		case <-ticker.C:
			shown = true
			fmt.Fprintf(w, "\rglasstty: %s (%.0f s)", what, time.Since(begin).Seconds())
		}
	}
}
