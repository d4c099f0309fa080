package graphics

// The limits of a terminal's images. What exceeds them is ignored whole.
const (
	MaxSide   = 10000    // pixels of an image in either direction, as in kitty
	MaxPixels = 16 << 20 // of one image
	MaxBytes  = 16 << 20 // of one image as it is kept
	MaxTotal  = 32 << 20 // of all images kept; the oldest lose their pixels first
	MaxString = 24 << 20 // of one control string that carries an image, in base64

	MaxRows   = 512  // cells of a placement from top to bottom
	MaxCols   = 1000 // cells of a placement from left to right
	maxImages = 1024 // images that kitty's protocol names
	maxPlaced = 4096 // placements; the oldest go first
	maxScans  = 100  // scans of a progressive JPEG, each of which costs a pass over all pixels
)

// The pixels of a cell, by which sizes in pixels become sizes in cells.
const (
	CellWidth  = 10
	CellHeight = 20
)
