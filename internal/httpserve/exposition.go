package httpserve

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The kinds of families.
const (
	gauge     = "gauge"
	counter   = "counter"
	histogram = "histogram"
)

// An exposition holds the metrics of /metrics and writes them in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). It replaces the Prometheus
// client library, which would add eight modules and 2 MB. It is safe for concurrent use.
type exposition struct {
	mu       sync.Mutex // guards families
	families map[string]*family
}

// A family contains the series of one metric. It is safe for concurrent use.
type family struct {
	name, kind, help string
	labels           []string
	bounds           []float64 // upper bounds of a histogram's buckets, ascending

	mu     sync.Mutex         // guards series
	series map[string]*series // by label values, joined with NUL
}

// A series is one line of a family, or one histogram.
type series struct {
	values  []string // of the labels
	sum     float64
	read    func() float64 // returns the value in place of sum; may be nil
	buckets []uint64       // counts of a histogram's buckets; the last one has no bound
}

// add returns the family of a name, and creates it if there is none.
func (x *exposition) add(name, kind, help string, labels ...string) *family {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f := x.families[name]; f != nil {
		return f
	}
	f := &family{name: name, kind: kind, help: help, labels: labels, series: map[string]*series{}}
	if x.families == nil {
		x.families = map[string]*family{}
	}
	x.families[name] = f
	return f
}

// text returns all families in the text format.
func (x *exposition) text() []byte {
	x.mu.Lock()
	families := slices.SortedFunc(maps.Values(x.families), func(a, b *family) int { return cmp.Compare(a.name, b.name) })
	x.mu.Unlock()
	var b bytes.Buffer
	for _, f := range families {
		f.write(&b)
	}
	return b.Bytes()
}

// seriesLocked returns the series with these label values.
func (f *family) seriesLocked(values []string) *series {
	key := strings.Join(values, "\x00")
	s := f.series[key]
	if s == nil {
		s = &series{values: values, buckets: make([]uint64, len(f.bounds)+1)}
		f.series[key] = s
	}
	return s
}

// count adds n to the series with these label values.
func (f *family) count(n float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seriesLocked(values).sum += n
}

// observe adds a value to the histogram with these label values.
func (f *family) observe(value float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.seriesLocked(values)
	s.sum += value
	i, _ := slices.BinarySearch(f.bounds, value)
	s.buckets[i]++
}

// watch makes read the source of a series' value.
func (f *family) watch(read func() float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seriesLocked(values).read = read
}

// write appends the family in the text format.
func (f *family) write(b *bytes.Buffer) {
	f.mu.Lock()
	all := make([]series, 0, len(f.series))
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		s := *f.series[key]
		s.buckets = slices.Clone(s.buckets)
		all = append(all, s)
	}
	f.mu.Unlock() // the read functions may take long
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	for _, s := range all {
		switch {
		case f.kind == histogram:
			f.writeHistogram(b, s)
		case s.read != nil:
			writeLine(b, f.name, f.labels, s.values, s.read())
		default:
			writeLine(b, f.name, f.labels, s.values, s.sum)
		}
	}
}

// writeHistogram appends a histogram: its cumulative buckets, the sum and the count.
func (f *family) writeHistogram(b *bytes.Buffer, s series) {
	labels := append(slices.Clone(f.labels), "le")
	total := uint64(0)
	for i, n := range s.buckets {
		total += n
		bound := "+Inf"
		if i < len(f.bounds) {
			bound = number(f.bounds[i])
		}
		writeLine(b, f.name+"_bucket", labels, append(slices.Clone(s.values), bound), float64(total))
	}
	writeLine(b, f.name+"_sum", f.labels, s.values, s.sum)
	writeLine(b, f.name+"_count", f.labels, s.values, float64(total))
}

// writeLine appends one line.
func writeLine(b *bytes.Buffer, name string, labels, values []string, value float64) {
	b.WriteString(name)
	for i, label := range labels {
		b.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(b, "%s=%q", label, values[i])
	}
	if len(labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
}

// number formats a number for Prometheus.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
