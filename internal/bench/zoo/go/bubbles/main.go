// Command bubbles is a Bubble Tea program of the parts in Bubbles: a text field,
// then a list that can be filtered, on the alternate screen.
package main

import (
	"fmt"
	"os"

	"github.com/charmbracelet/bubbles/list"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

type item string

func (i item) Title() string       { return string(i) }
func (i item) Description() string { return "number of letters: " + fmt.Sprint(len(i)) }
func (i item) FilterValue() string { return string(i) }

type model struct {
	field textinput.Model
	list  list.Model
	named bool
	taken string
}

func (m model) Init() tea.Cmd { return textinput.Blink }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		m.list.SetSize(size.Width, size.Height-1)
	}
	if key, ok := msg.(tea.KeyMsg); ok {
		switch {
		case key.String() == "ctrl+c":
			return m, tea.Quit
		case key.String() == "enter" && !m.named:
			m.named = true
			m.list.Title = "Cities for " + m.field.Value()
			return m, nil
		case key.String() == "enter" && m.list.FilterState() != list.Filtering:
			if i, ok := m.list.SelectedItem().(item); ok {
				m.taken = string(i)
			}
			return m, tea.Quit
		}
	}
	var cmd tea.Cmd
	if !m.named {
		m.field, cmd = m.field.Update(msg)
	} else {
		m.list, cmd = m.list.Update(msg)
	}
	return m, cmd
}

func (m model) View() string {
	if !m.named {
		return "Who travels?\n" + m.field.View() + "\n"
	}
	return m.list.View()
}

func main() {
	var items []list.Item
	for _, c := range []string{"Athens", "Bergen", "Cairo", "Dublin", "Essen", "Florence", "Ghent", "Hanoi", "Istanbul", "Jakarta"} {
		items = append(items, item(c))
	}
	field := textinput.New()
	field.Focus()
	m := model{field: field, list: list.New(items, list.NewDefaultDelegate(), 0, 0)}
	end, err := tea.NewProgram(m, tea.WithAltScreen()).Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bubbles:", err)
		os.Exit(1)
	}
	if m := end.(model); m.taken != "" {
		fmt.Println(m.field.Value(), "travels to", m.taken)
	}
}
