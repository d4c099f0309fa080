// Package graphics decodes the images that programs send to their terminal: sixel,
// the kitty graphics protocol and iTerm2's inline images.
//
//	DCS q      ─▶ NewSixel ──────┐
//	APC G      ─▶ ParseCommand ──┼─▶ Image ─▶ Placement ─▶ Store
//	OSC 1337   ─▶ ParseInline ───┘
//
// An Image is stored in the format in which it was sent, and its pixels are decoded only when
// it is drawn. On arrival, only its size is read. PNG, JPEG and GIF are decoded by the standard
// library, TIFF by golang.org/x/image. The sixel decoder is our own, because those of
// mattn/go-sixel and charmbracelet/x/ansi do not limit their allocations and loops.
//
// A Placement is an Image at a size in cells. Each of these cells is a tile. A cell of the terminal
// contains the number of the placement and the row and column of the tile, so that tiles
// scroll and are erased and overwritten like text. A Store maps numbers to placements, and
// the image IDs of kitty's protocol to images.
//
// Programs are not trusted: the limits in limits.go apply to every allocation and loop.
// The package opens no files: transmission by file or shared memory is refused.
package graphics
