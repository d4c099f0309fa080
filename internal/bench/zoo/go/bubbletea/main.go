// Command bubbletea is a Bubble Tea program: a list of things to do of which one
// takes a while, with a spinner meanwhile. With -alt it is on the alternate
// screen; without, in the lines below the prompt, and leaves its last words.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"
)

var jobs = []string{"wash", "cook", "sweep", "sleep"}

type done string

type model struct {
	at   int
	busy string
	did  []string
	spin spinner.Model
	wait time.Duration
	quit bool
}

func (m model) Init() tea.Cmd { return nil }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m.key(msg.String())
	case done:
		m.did, m.busy = append(m.did, string(msg)), ""
	case spinner.TickMsg:
		if m.busy != "" {
			var cmd tea.Cmd
			m.spin, cmd = m.spin.Update(msg)
			return m, cmd
		}
	}
	return m, nil
}

func (m model) key(k string) (tea.Model, tea.Cmd) {
	switch k {
	case "q", "ctrl+c":
		m.quit = true
		return m, tea.Quit
	case "down", "j":
		m.at = min(m.at+1, len(jobs)-1)
	case "up", "k":
		m.at = max(m.at-1, 0)
	case "enter":
		if m.busy == "" {
			m.busy = jobs[m.at]
			work := func() tea.Msg { <-time.After(m.wait); return done("did " + jobs[m.at]) }
			return m, tea.Batch(m.spin.Tick, work)
		}
	}
	return m, nil
}

func (m model) View() string {
	if m.quit {
		return "Did " + fmt.Sprint(len(m.did)) + " things.\n"
	}
	var b strings.Builder
	b.WriteString("What is to be done?\n")
	for i, j := range jobs {
		mark := "  "
		if i == m.at {
			mark = "> "
		}
		b.WriteString(mark + j + "\n")
	}
	if m.busy != "" {
		b.WriteString(m.spin.View() + " (doing " + m.busy + ")\n")
	}
	for _, d := range m.did {
		b.WriteString(d + "\n")
	}
	return b.String()
}

func main() {
	alt := flag.Bool("alt", false, "use the alternate screen")
	wait := flag.Duration("wait", 400*time.Millisecond, "how long a thing takes")
	flag.Parse()
	var opts []tea.ProgramOption
	if *alt {
		opts = append(opts, tea.WithAltScreen())
	}
	m := model{spin: spinner.New(spinner.WithSpinner(spinner.Dot)), wait: *wait}
	if _, err := tea.NewProgram(m, opts...).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bubbletea:", err)
		os.Exit(1)
	}
}
