package graphics

// Limits on the images of a terminal. An image that exceeds a limit on one image is ignored as a
// whole. If a limit on all images is exceeded, the oldest are dropped.
const (
	MaxSide   = 10000    // pixels of an image in each direction, as in kitty
	MaxPixels = 16 << 20 // pixels of one image
	MaxBytes  = 16 << 20 // bytes of one image as it is stored
	MaxTotal  = 32 << 20 // bytes of all stored images; the pixels of the oldest images are dropped first
	MaxString = 24 << 20 // bytes of a control string with an image, in base64

	MaxRows   = 512  // rows of a placement
	MaxCols   = 1000 // columns of a placement
	maxImages = 1024 // images with an ID of kitty's protocol; the oldest image loses its ID first
	maxPlaced = 4096 // placements; the oldest are dropped first
	maxScans  = 100  // scans of a progressive JPEG; each is a pass over all pixels
)

// The size of a cell in pixels, for converting sizes in pixels to sizes in cells.
const (
	CellWidth  = 10
	CellHeight = 20
)
