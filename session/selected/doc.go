// Package selected finds the text on a screen that stands out as chosen: the button
// that Enter would press, the row of a list, the entry of a menu, a visual selection.
//
// Plain text hides it, and it is what a model has to know before it presses a key.
// Nothing says which cells mean it, so this is a judgement by how programs draw:
//
//   - A span of cells has a background of its own, by SGR 7 or by a colour, and the
//     cells around it have another. Bars at the edges of the screen, headers above
//     columns, titles in borders, input fields and the line of an editor's cursor look
//     the same and are left out, see bars.go.
//   - A marker such as ">" or "❯" stands before one row, and a blank before the rows
//     around it, see marker.go.
//   - The cursor stands in it: many programs leave it there, visible or not. It decides
//     which of several candidates comes first.
//
// The package is pure: a snapshot goes in, texts come out. When nothing stands out it
// returns nothing; where several things do, it returns all, the likeliest first.
package selected
