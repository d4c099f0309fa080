// Command tview is a form of tview beside a log, which is told of later.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/rivo/tview"
)

func main() {
	app := tview.NewApplication()
	log := tview.NewTextView()
	log.SetBorder(true).SetTitle("Log")
	form := tview.NewForm()
	form.AddInputField("Name", "", 20, nil, nil).
		AddDropDown("Wine", []string{"red", "white", "none"}, 0, nil).
		AddCheckbox("Bread", false, nil).
		AddButton("Save", func() {
			name := form.GetFormItem(0).(*tview.InputField).GetText()
			_, wine := form.GetFormItem(1).(*tview.DropDown).GetCurrentOption()
			bread := form.GetFormItem(2).(*tview.Checkbox).IsChecked()
			fmt.Fprintf(log, "saving %s\n", name)
			go func() {
				<-time.After(300 * time.Millisecond)
				app.QueueUpdateDraw(func() { fmt.Fprintf(log, "saved %s, %s, bread %v\n", name, wine, bread) })
			}()
		}).
		AddButton("Quit", app.Stop)
	form.SetBorder(true).SetTitle("Order")
	if err := app.SetRoot(tview.NewFlex().AddItem(form, 0, 1, true).AddItem(log, 0, 1, false), true).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "tview:", err)
		os.Exit(1)
	}
	fmt.Println("The table is laid.")
}
