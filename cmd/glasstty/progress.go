package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Work that takes longer than progressAfter reports that it continues, this often.
const (
	progressAfter = time.Second
	progressEvery = time.Second
)

// during does work and meanwhile, once it takes longer than a second, says on w how long
// it has taken. It says nothing where w is not a terminal.
func during(w io.Writer, what string, work func() error) error {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	begin := time.Now()
	timer := time.NewTimer(progressAfter)
	defer timer.Stop()
	said := false
	for {
		select {
		case err := <-done:
			if said {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return err
		case <-timer.C:
			said = true
			fmt.Fprintf(w, "\rglasstty: %s (%.0f s)", what, time.Since(begin).Seconds())
			timer.Reset(progressEvery)
		}
	}
}
