// Package graphics understands the images that programs send to their terminal:
// sixel, the kitty graphics protocol and iTerm2's inline images.
//
//	DCS q      ─▶ Sixel ─────────┐
//	APC G      ─▶ ParseCommand ──┼─▶ Image ─▶ Placement ─▶ Store
//	OSC 1337   ─▶ ParseInline ───┘
//
// An Image is kept as it was sent and decoded only when somebody draws it. What is
// read on arrival is its size. PNG, JPEG and GIF are decoded by the standard
// library, TIFF by golang.org/x/image. The sixel decoder is our own: those of mattn/go-sixel and
// charmbracelet/x/ansi allocate and loop as long as the data says.
//
// A Placement is an Image at a size in cells. Each of its cells is a tile; the
// terminal's cells hold the number of the placement and the tile's row and column,
// so that tiles scroll, are erased and overwritten as text is. A Store has the
// placements by number and the images that kitty's protocol names by id.
//
// Data is hostile: every allocation and every loop is bounded by the limits in
// limits.go. Nothing opens a file: kitty's transmission by file or shared memory is
// refused.
package graphics
