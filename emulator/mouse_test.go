package emulator

import (
	"errors"
	"strings"
	"testing"
)

func TestEncodeMouse(t *testing.T) {
	at := Point{Row: 2, Col: 4}
	press := Mouse{Action: MousePress, Button: 1, At: at}
	release := Mouse{Action: MouseRelease, Button: 1, At: at}
	drag := Mouse{Action: MouseMove, Button: 1, At: at}
	move := Mouse{Action: MouseMove, At: at}
	with := func(e Mouse, button int, mods Mods) Mouse {
		e.Button, e.Mods = button, mods
		return e
	}
	far := func(row, col int) Mouse {
		return Mouse{Button: 1, At: Point{row, col}}
	}
	for _, tt := range []struct {
		name string
		e    Mouse
		mode MouseTracking
		enc  MouseEncoding
		want string
	}{
		{"x10 press", press, MouseX10, 0, "\x1b[M %#"},
		{"x10 button 3, modifiers unseen", with(press, 3, Ctrl|Shift), MouseX10, 0, "\x1b[M\"%#"},
		{"press", press, MouseNormal, 0, "\x1b[M %#"},
		{"release", release, MouseNormal, 0, "\x1b[M#%#"},
		{"ctrl", with(press, 2, Ctrl), MouseNormal, 0, "\x1b[M1%#"},
		{"shift alt", with(press, 1, Shift|Alt), MouseNormal, 0, "\x1b[M,%#"},
		{"super unseen", with(press, 1, Super), MouseNormal, 0, "\x1b[M %#"},
		{"wheel up", with(press, MouseWheelUp, 0), MouseNormal, 0, "\x1b[M`%#"},
		{"wheel down", with(press, MouseWheelDown, 0), MouseNormal, 0, "\x1b[Ma%#"},
		{"wheel release", with(release, MouseWheelDown, 0), MouseNormal, 0, ""},
		{"drag", drag, MouseButton, 0, "\x1b[M@%#"},
		{"move", move, MouseAny, 0, "\x1b[MC%#"},
		{"last byte", far(222, 222), MouseNormal, 0, "\x1b[M \xff\xff"},
		{"utf8 one byte", far(0, 94), MouseNormal, MouseUTF8, "\x1b[M \x7f!"},
		{"utf8 two bytes", far(2, 999), MouseNormal, MouseUTF8, "\x1b[M \u0408#"},
		{"sgr press", press, MouseNormal, MouseSGR, "\x1b[<0;5;3M"},
		{"sgr release", with(release, 3, Ctrl), MouseNormal, MouseSGR, "\x1b[<18;5;3m"},
		{"sgr drag", with(drag, 2, 0), MouseAny, MouseSGR, "\x1b[<33;5;3M"},
		{"sgr move", move, MouseAny, MouseSGR, "\x1b[<35;5;3M"},
		{"sgr wheel", with(press, MouseWheelUp, Shift), MouseButton, MouseSGR, "\x1b[<68;5;3M"},
		{"sgr button 8", with(press, 8, 0), MouseNormal, MouseSGR, "\x1b[<128;5;3M"},
		{"sgr far", far(999, 999), MouseNormal, MouseSGR, "\x1b[<0;1000;1000M"},
		{"urxvt press", press, MouseNormal, MouseURXVT, "\x1b[32;5;3M"},
		{"urxvt release", release, MouseNormal, MouseURXVT, "\x1b[35;5;3M"},
		{"pixels", press, MouseNormal, MouseSGRPixels, "\x1b[<0;45;50M"},
		{"pixels release", release, MouseNormal, MouseSGRPixels, "\x1b[<0;45;50m"},
	} {
		got, err := EncodeMouse(tt.e, Modes{Mouse: tt.mode, MouseEncoding: tt.enc})
		if string(got) != tt.want || err != nil {
			t.Errorf("%s: EncodeMouse = %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestEncodeMouseErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Mouse
		m    Modes
		err  error
		says string
	}{
		{"off", Mouse{Button: 1}, Modes{}, ErrMouseOff, "1000"},
		{"x10 release", Mouse{Action: MouseRelease, Button: 1}, Modes{Mouse: MouseX10}, ErrMouseOff, "mode 9"},
		{"x10 wheel", Mouse{Button: 4}, Modes{Mouse: MouseX10}, ErrMouseOff, "buttons 1 to 3"},
		{"move in 1000", Mouse{Action: MouseMove, Button: 1}, Modes{Mouse: MouseNormal}, ErrMouseOff, "mode 1000"},
		{"free move in 1002", Mouse{Action: MouseMove}, Modes{Mouse: MouseButton}, ErrMouseOff, "held"},
		{"no button", Mouse{}, Modes{Mouse: MouseAny}, ErrMouse, "1 to 11"},
		{"button 12", Mouse{Button: 12}, Modes{Mouse: MouseAny}, ErrMouse, "button 12"},
		{"button -1", Mouse{Button: -1}, Modes{Mouse: MouseAny}, ErrMouse, "button -1"},
		{"action", Mouse{Action: 9, Button: 1}, Modes{Mouse: MouseAny}, ErrMouse, "action 9"},
		{"negative", Mouse{Button: 1, At: Point{-1, 0}}, Modes{Mouse: MouseAny}, ErrMouse, "row -1"},
		{"too far", Mouse{Button: 1, At: Point{0, 223}}, Modes{Mouse: MouseAny}, ErrMouse, "222"},
	} {
		got, err := EncodeMouse(tt.e, tt.m)
		if !errors.Is(err, tt.err) || got != nil || err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: EncodeMouse = %q, %v; want %v saying %q", tt.name, got, err, tt.err, tt.says)
		}
	}
}

func TestEncodeMouseAlternateScroll(t *testing.T) {
	m := Modes{AltScroll: true, AltScreen: true, AppCursor: true}
	got, err := EncodeMouse(Mouse{Button: MouseWheelDown}, m)
	if want := strings.Repeat("\x1bOB", altScrollLines); string(got) != want || err != nil {
		t.Errorf("wheel down = %q, %v; want %q", got, err, want)
	}
	m.AltScreen = false
	if _, err := EncodeMouse(Mouse{Button: MouseWheelDown}, m); !errors.Is(err, ErrMouseOff) {
		t.Errorf("wheel on the main screen: error %v, want ErrMouseOff", err)
	}
}

// TestEncodeMouseAsXterm compares with bytes recorded from xterm 379, whose
// mouse was moved by the X server.
func TestEncodeMouseAsXterm(t *testing.T) {
	near, far := Point{Row: 7, Col: 66}, Point{Row: 15, Col: 116}
	for _, tt := range []struct {
		e    Mouse
		mode MouseTracking
		enc  MouseEncoding
		want string
	}{
		{Mouse{Button: 3, At: near}, MouseX10, MouseDefault, "\x1b[M\"c("},
		{Mouse{Button: 1, At: near, Mods: Alt}, MouseX10, MouseDefault, "\x1b[M c("},
		{Mouse{Button: 1, At: far}, MouseX10, MouseDefault, "\x1b[M \x950"},
		{Mouse{Button: 4, At: near}, MouseNormal, MouseDefault, "\x1b[M`c("},
		{Mouse{Button: 1, At: near, Mods: Alt}, MouseNormal, MouseDefault, "\x1b[M(c("},
		{Mouse{Action: MouseRelease, Button: 1, At: near, Mods: Alt}, MouseNormal, MouseDefault, "\x1b[M+c("},
		{Mouse{Button: 1, At: far}, MouseNormal, MouseUTF8, "\x1b[M \xc2\x950"},
		{Mouse{Action: MouseRelease, Button: 3, At: near}, MouseNormal, MouseSGR, "\x1b[<2;67;8m"},
		{Mouse{Button: 5, At: near}, MouseNormal, MouseURXVT, "\x1b[97;67;8M"},
		{Mouse{Action: MouseRelease, Button: 1, At: near, Mods: Alt}, MouseNormal, MouseURXVT, "\x1b[43;67;8M"},
		{Mouse{Button: 4, At: near, Mods: Ctrl}, MouseNormal, MouseSGR, "\x1b[<80;67;8M"},
		{Mouse{Action: MouseMove, At: far}, MouseAny, MouseSGR, "\x1b[<35;117;16M"},
		{Mouse{Action: MouseMove, Button: 1, At: far}, MouseButton, MouseSGR, "\x1b[<32;117;16M"},
	} {
		got, err := EncodeMouse(tt.e, Modes{Mouse: tt.mode, MouseEncoding: tt.enc})
		if string(got) != tt.want || err != nil {
			t.Errorf("EncodeMouse(%+v), modes %d, %d = %q, %v; xterm sent %q", tt.e, tt.mode, tt.enc, got, err, tt.want)
		}
	}
}
