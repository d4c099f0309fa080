package conform

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Headless is @xterm/headless in a node process.
type Headless struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// StartHeadless starts node with the script in dir, where npm ci has been run.
func StartHeadless(node, dir string) (*Headless, error) {
	h := &Headless{cmd: exec.Command(node, "headless.js")}
	h.cmd.Dir = dir
	h.cmd.Stderr = os.Stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.out = bufio.NewReaderSize(out, 1<<20)
	return h, h.cmd.Start()
}

// Replay runs j through a new terminal.
func (h *Headless) Replay(j Job) ([]Screen, error) {
	line, err := json.Marshal(j.wire())
	if err != nil {
		return nil, err
	}
	if _, err := h.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	reply, err := h.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("headless.js ended: %w", err)
	}
	var r struct{ Screens []Screen }
	if err := json.Unmarshal(reply, &r); err != nil {
		return nil, err
	}
	for _, s := range r.Screens {
		trimRows(s.Above)
		trimRows(s.Grid)
	}
	return r.Screens, nil
}

func trimRows(rows []Row) {
	for i := range rows {
		rows[i].trim()
	}
}

// Close ends node.
func (h *Headless) Close() error {
	h.in.Close()
	return h.cmd.Wait()
}
