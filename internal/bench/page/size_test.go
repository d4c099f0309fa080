package page

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLoaded checks that a browser loads at most 120,000 bytes, headers included, for a
// session whose program prints bold and italic text and boxes. The rest of the font is loaded
// when a program prints one of its characters.
func TestLoaded(t *testing.T) {
	const most = 120_000
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, `clear; printf '\033[1mbold \033[3mboth\033[m \033[3mitalic\033[m ┌─┐█ ✔ é\n'`); err != nil {
		t.Fatal(err)
	}
	var loaded float64
	var faces []string
	tab := browser(t)
	fonts := chromedp.Evaluate(`document.fonts.ready.then(() => [...document.fonts].filter(f => f.status !== 'unloaded').map(f => f.status + ' ' + f.unicodeRange.slice(0, 6)))`, &faces, awaited)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("italic ┌─┐█ ✔ é"), fonts,
		chromedp.Evaluate(`['resource', 'navigation'].flatMap(t => performance.getEntriesByType(t)).reduce((sum, e) => sum + e.transferSize, 0)`, &loaded))
	t.Logf("the page loads %.0f bytes", loaded)
	if loaded > most || loaded < most/10 {
		t.Errorf("the page loads %.0f bytes, want at most %d", loaded, most)
	}
	if len(faces) != 4 {
		t.Errorf("loaded font faces %q", faces)
	}
	for _, f := range faces {
		if f != "loaded U+20-7" {
			t.Errorf("loaded font faces %q", faces)
			break
		}
	}
	if _, err := agentTypes(t, s, `printf 'λ\n'`); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("\nλ"), fonts)
	if len(faces) != 5 {
		t.Errorf("with a rare character, loaded font faces %q", faces)
	}
}
