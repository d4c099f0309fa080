package xcolor

// A matrix is a linear transformation of triples.
type matrix [3]triple

func (m matrix) times(v triple) (out triple) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

// xyzToRGB converts XYZ to intensities of Xlib's default monitor, and white is that
// monitor's white in XYZ (XcmsDefaultCCC; confirmed with xterm 379).
var (
	xyzToRGB = matrix{
		{3.483404812535390, -1.521763749272852, -0.559231333540498},
		{-1.071527513061936, 1.965937952043724, 0.036736913395535},
		{0.063511797904978, -0.200205010004965, 0.810709420316482},
	}
	white = triple{0.949664400, 1, 1.406040300}
)

// A channel maps intensities to levels of a monitor channel, with linear interpolation.
// dark is the level of intensities just above 0. millionths lists the intensities, in
// millionths, of the levels first, first+5, and so on. The values were measured by querying
// xterm 379 for 16,385 intensities.
type channel struct {
	dark, first float64
	millionths  []float64
}

// level returns the level, from 0 to 255, for intensity x.
func (c *channel) level(x float64) uint32 {
	if x <= 0 {
		return 0
	}
	x *= 1e6
	fromX, from := 0.0, c.dark
	for i, toX := range c.millionths {
		to := c.first + 5*float64(i)
		if x <= toX {
			return uint32(from + (to-from)*(x-fromX)/(toX-fromX) + 0.5)
		}
		fromX, from = toX, to
	}
	return 255
}

// profile holds the red, green and blue channels.
var profile = [3]channel{
	{9, 10, []float64{
		938, 1480, 2330, 3529, 5128, 7171, 9702, 12755, 16393, 20636, 25526, 31121, 37423, 44511, 52383,
		61078, 70632, 81082, 92444, 104755, 118039, 132308, 147613, 163960, 181374, 199883, 219486, 240189,
		262100, 285092, 309290, 334641, 361199, 388991, 417968, 448115, 479589, 512242, 546079, 581241,
		617613, 655180, 693973, 734049, 775275, 817893, 861573, 906576, 952726, 1000000,
	}},
	{19, 20, []float64{
		835, 1999, 3614, 5738, 8425, 11743, 15740, 20459, 25964, 32282, 39451, 47524, 56529, 66486, 77442,
		89419, 102421, 116498, 131624, 147851, 165200, 183602, 203158, 223814, 245550, 268401, 292337,
		317363, 343465, 370604, 398770, 427954, 458041, 489180, 521195, 554042, 587778, 622324, 657646,
		693643, 730218, 767492, 805192, 843443, 882221, 921130, 960491, 1000000,
	}},
	{14, 15, []float64{
		1343, 2079, 3189, 4731, 6767, 9356, 12563, 16421, 21005, 26350, 32485, 39484, 47351, 56162, 65901,
		76640, 88360, 101162, 114968, 129872, 145848, 162931, 181102, 200413, 220776, 242348, 264949,
		288667, 313500, 339414, 366405, 394434, 423467, 453573, 484565, 516614, 549512, 583295, 617980,
		653371, 689535, 726432, 764035, 802180, 840907, 880158, 919773, 959658, 1000000,
	}},
}
