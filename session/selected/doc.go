// Package selected finds the text on a screen that is highlighted as chosen: for example the button
// that Enter would press, the current row of a list or entry of a menu, or a visual selection.
//
// Plain text does not show the choice, but a model must know it before it presses a key. No control
// sequence marks a choice, so the package recognizes the ways in which programs draw one:
//
//   - A span of cells has another background than the cells around it, by SGR 7 or by a
//     colour. Bars at the edges of the screen, headers above columns, titles in borders,
//     input fields and the line of an editor's cursor look the same, and are left out
//     (bars.go).
//   - A marker such as ">" or "❯" precedes one row, and a blank precedes the rows around
//     that row (marker.go).
//   - The cursor is in the chosen text. Many programs leave the cursor there, visible or not,
//     so a text with the cursor is preferred to others.
//
// The functions are pure: they take a snapshot and return texts. If nothing is highlighted, they
// return nothing. If several texts are, they return up to three, the most likely first.
package selected
