import { get } from './wire.js';

const $ = (id) => document.getElementById(id);
const step = 100; // milliseconds between two moments while playing

// timeline goes back to any moment of a session's recording, and plays it from
// there. It calls draw(frame) for a moment of the past and live() on the way
// back.
export function timeline({ session, draw, live }) {
  let at = null, from = 0, to = 0, timer = 0, asked = 0, kept = null;

  async function show(t) {
    const id = session(), n = ++asked;
    try {
      const frame = await get('at', { id, t });
      if (n !== asked || id !== session()) return;
      at = t;
      $('moment').value = (t - from) / (to - from) * 1000;
      $('when').textContent = new Date(t * 1000).toLocaleTimeString();
      draw(frame);
    } catch (err) {
      if (n !== asked) return;
      stop();
      $('when').textContent = err.message;
    }
  }
  function stop() { clearInterval(timer); timer = 0; $('play').textContent = 'Play'; $('play').setAttribute('aria-pressed', 'false'); }
  function leave() { stop(); asked++; if (at === null) return false; at = null; $('when').textContent = 'live'; $('moment').value = 1000; return true; }

  // The right end is now, and has not come yet: go back to live.
  $('moment').oninput = () => {
    stop();
    if ($('moment').value >= 1000) { if (leave()) live(); return; }
    show(from + (to - from) * $('moment').value / 1000);
  };
  $('live').onclick = () => { if (leave()) live(); };
  $('play').onclick = () => {
    if (timer) { stop(); return; }
    let t = at ?? from, last = performance.now(), busy = false;
    $('play').textContent = 'Stop'; $('play').setAttribute('aria-pressed', 'true');
    timer = setInterval(async () => {
      if (busy) return;
      const now = performance.now();
      t += (now - last) / 1000; last = now;
      if (t >= to) { if (leave()) live(); return; }
      busy = true; await show(t); busy = false;
    }, step);
  };

  return {
    on: () => at !== null,
    leave,
    // show sets the bounds of the session's recording, in Unix seconds.
    show(f) {
      $('time').hidden = false;
      if (kept !== f.id) { kept = f.id; from = f.created; }
      to = Math.max(f.active, from + 0.001); // since then it has looked as it does live
    },
  };
}
