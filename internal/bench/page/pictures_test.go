package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	shots "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A window is a window size in which each view is drawn, and the scale of its picture.
type window struct {
	width, height int64
	phone         bool
	scale         float64
}

// open gives a tab the window's size and a theme.
func (w window) open(theme string) chromedp.Action {
	return chromedp.Tasks{
		scheme(theme),
		chromedp.ActionFunc(func(ctx context.Context) error {
			if err := emulation.SetDeviceMetricsOverride(w.width, w.height, 1, w.phone).Do(ctx); err != nil {
				return err
			}
			return emulation.SetTouchEmulationEnabled(w.phone).Do(ctx)
		}),
	}
}

// TestPictures checks that no view in any window and theme is wider than the window. If
// GLASSTTY_PICTURES names a directory, it also draws the pictures of docs/page there.
func TestPictures(t *testing.T) {
	r := newRig(t)
	tests := showcase(t, r)
	views := []struct {
		name string
		open chromedp.Action
	}{
		{"list", chromedp.Tasks{to("*"), chromedp.WaitNotVisible("#one"), text("#list", "tests")}},
		{"session", chromedp.Tasks{to(tests.ID()), shows("the whole log"), chromedp.WaitNotVisible("#ask-held")}},
		{"held", chromedp.Tasks{to("s3"), text("#ask-held", "git push --force"), steady()}},
		{"password", chromedp.Tasks{to("s5"), chromedp.WaitVisible("#secret"), text("#secret-line", "Password for ann:")}},
		{"history", chromedp.Tasks{to("s4"), shows("2**200"), chromedp.Click("#look"), chromedp.WaitVisible("#query"),
			chromedp.SendKeys("#query", "sqrt\r"), text("#found", "found")}},
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), text("#needs", "deploy wants to run a command"), text("#needs", "login asks for a password"))
	for _, w := range []window{{1280, 713, false, 0.75}, {1920, 1080, false, 0.6}, {390, 844, true, 1}} {
		for _, theme := range []string{"light", "dark"} {
			do(t, tab, w.open(theme))
			for _, v := range views {
				name := fmt.Sprintf("%s-%d-%s", v.name, w.width, theme)
				var wide float64
				do(t, tab, v.open, chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide))
				if wide > float64(w.width) {
					t.Errorf("%s: the page is %v pixels wide, wider than the window", name, wide)
				}
				w.draw(t, tab, name)
			}
			neutral(t, tab)
		}
	}
}

// to opens a session by its hash.
func to(hash string) chromedp.Action {
	return chromedp.Evaluate(`location.hash = `+quote(hash), nil)
}

// draw saves a screenshot of the window as WebP.
func (w window) draw(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("GLASSTTY_PICTURES")
	if dir == "" {
		return
	}
	var data []byte
	do(t, tab, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		data, err = shots.CaptureScreenshot().WithFormat(shots.CaptureScreenshotFormatWebp).WithQuality(55).
			WithClip(&shots.Viewport{Width: float64(w.width), Height: float64(w.height), Scale: w.scale}).Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(dir, name+".webp"), data, 0o644); err != nil {
		t.Error(err)
	}
}
