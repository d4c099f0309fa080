// Package selected finds the text on a screen that is highlighted as chosen: the button
// that Enter would press, the row of a list, the entry of a menu, a visual selection.
//
// Plain text does not show the choice, but a model must know it before it presses a key. No control
// sequence marks a choice, so the package goes by the ways in which programs draw one:
//
//   - A span of cells has a background of its own, by SGR 7 or by a colour, and the
//     cells around it have another. Bars at the edges of the screen, headers above
//     columns, titles in borders, input fields and the line of an editor's cursor look
//     the same and are left out, see bars.go.
//   - A marker such as ">" or "❯" precedes one row, and a blank precedes the rows around
//     it, see marker.go.
//   - The cursor is in it: many programs leave it there, visible or not. A candidate with
//     the cursor comes first.
//
// The package is pure: a snapshot goes in, texts come out. If nothing is highlighted it
// returns nothing; if several things are, it returns them all, the most likely first.
package selected
