package picture

import (
	"image"
	"image/draw"
)

// A tap holds the weights of source pixels in one dimension for one pixel of the result.
type tap struct {
	from   int
	weight []float32 // weights of the source pixels from index from; their sum is 1
}

// taps returns the taps of pixels [lo, hi) of the result if the source pixels [from, to) are
// stretched to n pixels. If there are more source pixels than n, a tap averages the pixels that it
// covers. If there are fewer, a tap interpolates between the nearest two.
func taps(lo, hi, n, from, to int) []tap {
	out := make([]tap, hi-lo)
	scale := float64(to-from) / float64(n)
	for i := range out {
		a, b := float64(lo+i)*scale, float64(lo+i+1)*scale
		if scale < 1 {
			mid := (a + b) / 2
			a, b = mid-0.5, mid+0.5
		}
		first, last := int(a), int(b)
		if a < 0 {
			first = -1
		}
		t := tap{from: from + min(max(first, 0), to-from-1)}
		for p := first; p <= last; p++ {
			w := min(b, float64(p+1)) - max(a, float64(p))
			if w <= 0 {
				continue
			}
			k := min(max(p, 0), to-from-1) - (t.from - from)
			for len(t.weight) <= k {
				t.weight = append(t.weight, 0)
			}
			t.weight[k] += float32(w / (b - a))
		}
		out[i] = t
	}
	return out
}

// stretch draws the rectangle part of src on dst, stretched to box and clipped to clip.
func stretch(dst *image.RGBA, clip, box image.Rectangle, src *image.RGBA, part image.Rectangle) {
	clip = clip.Intersect(box).Intersect(dst.Rect)
	if clip.Empty() || part.Empty() {
		return
	}
	if box.Size() == part.Size() {
		draw.Draw(dst, clip, src, part.Min.Add(clip.Min.Sub(box.Min)), draw.Over)
		return
	}
	across := taps(clip.Min.X-box.Min.X, clip.Max.X-box.Min.X, box.Dx(), part.Min.X, part.Max.X)
	down := taps(clip.Min.Y-box.Min.Y, clip.Max.Y-box.Min.Y, box.Dy(), part.Min.Y, part.Max.Y)
	for y, ty := range down {
		out := dst.Pix[dst.PixOffset(clip.Min.X, clip.Min.Y+y):]
		for x, tx := range across {
			mix(out[4*x:4*x+4:4*x+4], src, tx, ty)
		}
	}
}

// mix computes one pixel of the stretched image and draws it over out.
func mix(out []uint8, src *image.RGBA, tx, ty tap) {
	var sum [4]float32
	for j, wy := range ty.weight {
		in := src.Pix[src.PixOffset(tx.from, ty.from+j):]
		for i, wx := range tx.weight {
			w := wx * wy
			for c := range sum {
				sum[c] += w * float32(in[4*i+c])
			}
		}
	}
	rest := 1 - sum[3]/255
	for c := range sum {
		out[c] = uint8(min(sum[c]+rest*float32(out[c])+0.5, 255))
	}
}
