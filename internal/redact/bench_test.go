package redact

import (
	"fmt"
	"strings"
	"testing"
)

// texts returns typical outputs of programs, by kind.
func texts() map[string]string {
	var log, build, list, code strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&log, "2026-03-04T12:%02d:%02d.%03dZ INFO  http: GET /v1/items/%d 200 %d bytes in %d ms from 10.0.%d.%d\n", i/60%60, i%60, i%1000, i*7919, i*31%9999, i%97, i%256, i*7%256)
		fmt.Fprintf(&build, "[%5d/10000] Building CXX object src/module%d/CMakeFiles/mod.dir/file_%d.cpp.o\n", i, i%50, i)
		fmt.Fprintf(&list, "-rw-r--r-- 1 builder users %8d Mar  4 12:%02d report-%d.txt\n", i*7919, i%60, i)
		fmt.Fprintf(&code, "\tif err := store.Put(ctx, key, value%d); err != nil { return fmt.Errorf(\"token %%q: %%w\", auth.Name, err) }\n", i)
	}
	return map[string]string{"log": log.String(), "build": build.String(), "listing": list.String(), "code about keys": code.String(), "one line of 1 MB": strings.Repeat("x=1 ", 1<<18)}
}

func BenchmarkSpans(b *testing.B) {
	r := New()
	for name, text := range texts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			r.Spans(text[:1000]) // read the rules first
			for b.Loop() {
				r.Spans(text)
			}
		})
	}
}

// BenchmarkReply measures finding secrets in the text of one reply, and an unfinished one
// at its end.
func BenchmarkReply(b *testing.B) {
	r := New()
	text := texts()["log"][:20_000]
	r.Spans(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Spans(text)
		r.IncompleteFrom(text)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		New().Spans("some text")
	}
}
