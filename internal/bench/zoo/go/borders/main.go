// Command borders shows the rows of the file $ROWS in a box, by Bubble Tea and Lip
// Gloss or by tview.
package main

import (
	"fmt"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/rivo/tview"
)

type box string

func (box) Init() tea.Cmd                         { return nil }
func (b box) Update(tea.Msg) (tea.Model, tea.Cmd) { return b, nil }
func (b box) View() string {
	return lipgloss.NewStyle().Border(lipgloss.NormalBorder()).Width(40).Render(string(b))
}

func main() {
	rows, err := os.ReadFile(os.Getenv("ROWS"))
	if err == nil && len(os.Args) > 1 && os.Args[1] == "tview" {
		text := tview.NewTextView().SetText(string(rows))
		text.SetBorder(true)
		err = tview.NewApplication().SetRoot(text, true).Run()
	} else if err == nil {
		_, err = tea.NewProgram(box(strings.TrimSpace(string(rows)))).Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
