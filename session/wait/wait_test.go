package wait

import (
	"regexp"
	"testing"
)

func TestDefaults(t *testing.T) {
	x := regexp.MustCompile("x")
	for _, tt := range []struct{ w, want Wait }{
		{Wait{}, Wait{Until: UntilReady, Timeout: DefaultTimeout}},
		{Wait{Pattern: x}, Wait{Pattern: x, Timeout: DefaultTimeout}},
	} {
		if got := tt.w.WithDefaults(); got != tt.want {
			t.Errorf("%+v: %+v", tt.w, got)
		}
	}
}
