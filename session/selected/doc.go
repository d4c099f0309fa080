// Package selected finds the text on a screen that is highlighted as chosen: the button
// that Enter would press, the row of a list, the entry of a menu, a visual selection.
//
// Plain text does not show the choice, but a model must know it before it presses a key. No control
// sequence marks a choice, so the package recognizes the ways in which programs draw one:
//
//   - A span of cells has another background than the cells around it, by SGR 7 or by a
//     colour. Bars at the edges of the screen, headers above columns, titles in borders,
//     input fields and the line of an editor's cursor look the same. The package leaves
//     them out, see bars.go.
//   - A marker such as ">" or "❯" precedes one row, and a blank precedes the rows around
//     it, see marker.go.
//   - The cursor is in the chosen text: many programs leave the cursor there, visible or not. A
//     candidate with the cursor is preferred.
//
// The functions are pure: they take a snapshot and return texts. If nothing is highlighted, they
// return nothing. If several texts are, they return up to three, the most likely first.
package selected
