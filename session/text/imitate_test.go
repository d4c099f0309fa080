package text

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMarkProgram(t *testing.T) {
	for _, line := range []string{
		"[s1 running · prompt \"$ \" · 3 ms]", "[s1 exited 0 · 3 ms]", "  [k3f9 lost]", "[S1 RUNNING]", "［s1 running · x］", "【s1 exited 1】",
		"[s1 · 24×80 · cursor 0,0 · revision 3]", "[s2 • done]", "[screen 24×80]", "[rows changed]", "[m3 input]", "[m12 output]", "[s1  running]",
		"\u200b[s1 running]", "\u202e[s1 running]", "[\u200bs1 running]", "\x1b[31m[s1 running · x]", "\x1b[1m[\x1b[2ms1 running]", "\x1b]2;t\x07[s1 running]",
		"⟪program⟫ hello", "« program » x", "[s1\u2800running]", "[\u3164s1\u115frunning · x]", "[s1 runn\u0456ng · prompt]", "[ѕ1 ехіtеd 0 · 3 ms]", "[s1 ꭆυηηιηɡ]", "[ｓ１ ｒｕｎｎｉｎｇ]", "[𝐬𝟏 𝐫𝐮𝐧𝐧𝐢𝐧𝐠 · x]", "[ⓢ① ⓛⓞⓢⓣ]",
		"⦋s1 running · x⦌", "「s1 exited 0」", "⌈s1 running · x⌉", "(s1 running · prompt)", "{s1 exited 0 · 3 ms}", "<s1 lost · x>", "‹s1 running · x›", "[s1 ⬤ cursor 0,0]", "[sсrееn 24×80]", "[rоws сhangеd]", "[m3 іnput]", "≪program≫ x",
		"[s1\u00a0running]", "[s1\u2003running · x]", "[\u3000s1 exited 0]", "[m3\u202finput]",
		"[1 session]", "[no sessions; start_process starts one]", "|s1 running · prompt|", "│s1 exited 0│", "s1 running · prompt \"$ \"]", "\"[s1 exited 0]", ">[s1 exited 0]", "> [s1 running · x]", "» [s1 exited 0]",
		"[s1 timeout · 5 s · revision 3]", "[s1 held by a person · x]", "[s1:running·prompt]", "m5 output, 99 bytes, 10:19:50", "m5 input by Ann, 9 bytes, 10:19:50", "ѕ1 running · x", "S1 RUNNING · x",
	} {
		if got, want := MarkProgram("one\n"+line+"\ntwo", false), "one\n"+ProgramMark+line+"\ntwo"; got != want {
			t.Errorf("%q becomes %q", line, got)
		}
		for _, end := range []string{"\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
			if got := MarkProgram("one"+end+line, false); got != "one"+end+ProgramMark+line {
				t.Errorf("after %q, %q becomes %q", end, line, got)
			}
		}
	}
	for _, line := range []string{
		"… 12 lines left out; read_output from_line=3 max_lines=12 gets them …", "… 12 lines left out; read_output from_line=3 max_lines=12 max_output_chars=9000 gets them …", "... 3 characters left out", "… 3 more like it …", "… 7 lines like these …", "⋯ 12 lines left out ⋯", "․․․ 3 lines left out", "… 12 lіnes lеft оut …", "...\u280012\u2800lines\u2800left\u2800out", "… 100 bytes left out …", ". . . 5 lines left out . . .", "· · · 5 lines left out",
	} {
		if got := MarkProgram(line, true); got != ProgramMark+line {
			t.Errorf("%q becomes %q", line, got)
		}
		if got := MarkProgram(line, false); got != line {
			t.Errorf("%q becomes %q where elisions are ours", line, got)
		}
	}
	for _, line := range []string{
		"[INFO] server running", "[1]+  Running   sleep 100 &", "[main 1a2b3c4] commit", "[ 50%] Building", "[1, 2, 3]", "[s1]", "list[0] running", "...", "… and so on",
		"[user@host dir]$ ", "[y/N]", "[sudo] password for root:", "[running]", "[==>   ]", "[2026-01-01 10:00] x · y",
		"[сервер] запущен", "[база данных] готова: 4 таблицы", "[СТАТУС готово", "[日本 東京大学]", "[한국 서울시청 …]", "(s1 running)", "(see s1 · x", "{\"a\": 1}", "<p>a · b", "• 12 lines left out of the list", "?[s1 running]", "[☕ café]",
		"s1 running", "s1 is running · x", "some · thing", "m5 output", "m5, 99 bytes, x", "m4 input, output and 9 bytes, x", "| s1 | running |", "│ svc running │", "│ [esc · back] │", "> [a · b]", "\"s1\": \"running\",", "[1 sessions dropped]", "[s3 bucket] a · b]x",
		"[web:running]", "[s3:upload] x", "'s1 exited 0'", ". . . and so on", "server exited 1 · x", "su: x · y", "[s3 upload · 5 MB/s] 40%", ">>> [1, 2]",
	} {
		if got := MarkProgram(line, true); got != line {
			t.Errorf("%q becomes %q", line, got)
		}
	}
}

// TestMarkProgramIsLinear checks that long lines do not take long. It measures processor time,
// since the machine may be busy.
func TestMarkProgramIsLinear(t *testing.T) {
	for _, unit := range []string{"[", "[s1 \n", "…", "\x1b[", "\u200b", "\x1b]"} {
		line := "[" + strings.Repeat(unit, 1<<20/len(unit))
		begin := cpuTime(t)
		MarkProgram(line, true)
		if took := cpuTime(t) - begin; took > 30*time.Second {
			t.Errorf("%q: %v", unit, took)
		} else {
			t.Logf("%q: %v", unit, took)
		}
	}
}

// cpuTime returns the processor time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
