package main

import (
	"strings"
	"testing"
)

const sampleLog = `Run test: A.test_one
Passed.

Run test: A.test_two
*** TEST A.test_two FAILED:
Traceback (most recent call last):

Run test: A.test_three
Fails as expected: xterm cannot
KNOWN BUG: x

Run test: A.test_four
Skipped because terminal lacks requisite capability: (4, 5)
`

func TestParseLog(t *testing.T) {
	got := parseLog(sampleLog)
	want := results{"A.test_one": passed, "A.test_two": failed, "A.test_three": skipped, "A.test_four": skipped}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s: %s, want %s", name, got[name], v)
		}
	}
}

// TestSurprises checks that a test that fails without a reason and one that passes
// in spite of one are errors.
func TestSurprises(t *testing.T) {
	for text, want := range map[string]string{
		"A.test_two: a\nA.test_three: b\nA.test_four: c\n":                "",
		"A.test_three: b\nA.test_four: c\n":                               "failed unexpectedly  A.test_two",
		"A.test_one: z\nA.test_two: a\nA.test_three: b\nA.test_four: c\n": "passed, but expected.txt has it  A.test_one: z",
	} {
		expected, err := parseExpected(text)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err = parseLog(sampleLog).print(&out, expected)
		if (err == nil) != (want == "") || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v\n%s", text, err, out.String())
		}
	}
}

// TestExpected checks that expected.txt can be parsed, and that invalid lists are
// refused.
func TestExpected(t *testing.T) {
	expected, err := parseExpected(expectedText)
	if err != nil || len(expected) == 0 {
		t.Fatalf("parsed %d reasons: %v", len(expected), err)
	}
	for _, bad := range []string{"A.test_one", "A: b\nA: c\n"} {
		if _, err := parseExpected(bad); err == nil {
			t.Errorf("parseExpected(%q) succeeds, want an error", bad)
		}
	}
}
