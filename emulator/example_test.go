package emulator_test

import (
	"fmt"
	"os"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A terminal takes a program's output in pieces of any size and shows the
// screen.
func Example() {
	t := emulator.New(emulator.Options{Size: emulator.Size{Rows: 3, Cols: 20}})
	for _, piece := range []string{"building... 10 %", "\rbuilding... 100", " %\r\n\x1b[3", "2mdone\x1b[m\r\n$ "} {
		if _, err := t.Write([]byte(piece)); err != nil {
			fmt.Println(err)
		}
	}
	shot := t.Snapshot(0)
	fmt.Println(shot.Text())
	fmt.Println("cursor in row", shot.Cursor.Row, "column", shot.Cursor.Col)
	// Output:
	// building... 100 %
	// done
	// $
	// cursor in row 2 column 2
}

// A program asks for the cursor position. The reply is for the program's
// input.
func ExampleTerminal_TakeReplies() {
	t := emulator.New(emulator.Options{})
	if _, err := t.Write([]byte("hello\x1b[6n")); err != nil { // DSR, cursor position
		fmt.Println(err)
	}
	fmt.Printf("%q\n", t.TakeReplies())
	// Output: "\x1b[1;6R"
}

// The bytes of a key depend on the modes that the program has set.
func ExampleEncodeKey() {
	t := emulator.New(emulator.Options{})
	up, _, err := emulator.ParseKey("up")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%q\n", emulator.EncodeKey(up, t.Modes()))
	if _, err := t.Write([]byte("\x1b[?1h")); err != nil { // DECCKM, application cursor keys
		fmt.Println(err)
	}
	fmt.Printf("%q\n", emulator.EncodeKey(up, t.Modes()))
	// Output:
	// "\x1b[A"
	// "\x1bOA"
}

// A snapshot can be drawn in other formats.
func ExampleTerminal_Snapshot() {
	t := emulator.New(emulator.Options{Size: emulator.Size{Rows: 1, Cols: 8}})
	if _, err := t.Write([]byte("\x1b[1;31mred\x1b[m")); err != nil {
		fmt.Println(err)
	}
	if err := picture.JSON(os.Stdout, t.Snapshot(0), picture.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output: [{"row":0,"col":0,"cols":3,"text":"red","fg":"red","attrs":["bold"]}]
}
