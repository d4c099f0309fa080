package detect

import "testing"

func TestSaysBusy(t *testing.T) {
	for row, want := range map[string]Busy{
		"(loading)": BusySays, "Loading...": BusySays, "  loading… ": BusySays, "⠙ Thinking": BusySays, "Please wait": BusySays,
		"Installing dependencies...": BusySays, "⠙ npm create": BusySpins, "◐": BusySpins, "[Working]": BusySays,
		"": BusyNot, "> loading": BusyNot, "how loading works": BusyNot, "Loading the dishwasher": BusyNot,
		"a-b|c/d": BusyNot, "wait for it": BusyNot, "running.go": BusyNot, "x⠙y": BusyNot,
	} {
		if got := SaysBusy(row); got != want {
			t.Errorf("SaysBusy(%q) = %v, want %v", row, got, want)
		}
	}
}
