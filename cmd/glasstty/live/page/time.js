// The time line: it goes back to any moment of a session's recording, and plays
// it from there.

import { $, clock } from './dom.js';
import { get } from './wire.js';

const step = 100; // milliseconds between two moments while playing

// timeline calls draw(frame) for a moment of the past, and live() on the way back.
export function timeline({ session, draw, live }) {
  let at = null, from = 0, to = 0, timer = 0, asked = 0, kept = null, inputs = [];

  // One moment is asked for at a time: a hand on the slider passes many, and only
  // the last matters.
  let next = null, busy = false;
  async function show(t) {
    next = t;
    if (busy) return;
    busy = true;
    while (next !== null) { const now = next; next = null; await fetchMoment(now); }
    busy = false;
  }

  async function fetchMoment(t) {
    const id = session(), n = ++asked;
    try {
      const frame = await get('at', { id, t });
      if (n !== asked || id !== session()) return;
      at = t;
      $('moment').value = (t - from) / (to - from) * 1000;
      tell(clock(t));
      $('live').hidden = false;
      draw(frame);
    } catch (err) {
      if (n !== asked) return;
      stop();
      $('when').textContent = err.message;
    }
  }
  function tell(when) { $('when').textContent = when; $('moment').setAttribute('aria-valuetext', when); }
  function stop() { clearInterval(timer); timer = 0; $('play').textContent = 'Play'; $('play').setAttribute('aria-pressed', 'false'); }
  function leave() {
    stop(); asked++; next = null;
    if (at === null) return false;
    at = null; tell('live'); $('live').hidden = true; $('moment').value = 1000;
    return true;
  }

  // The right end is now, and has not come yet: go back to live.
  $('moment').oninput = () => {
    stop();
    if ($('moment').value >= 1000) { if (leave()) live(); return; }
    show(from + (to - from) * $('moment').value / 1000);
  };
  $('live').onclick = () => { if (leave()) live(); $('play').focus(); };
  $('play').onclick = () => {
    if (timer) { stop(); return; }
    let t = at ?? from, last = performance.now();
    $('play').textContent = 'Stop'; $('play').setAttribute('aria-pressed', 'true');
    timer = setInterval(() => {
      if (busy) return;
      const now = performance.now();
      t += (now - last) / 1000 * $('speed').value; last = now;
      if (t >= to) { if (leave()) live(); return; }
      show(t);
    }, step);
  };

  function drawMarks() {
    $('marks').replaceChildren(...inputs.filter((i) => i.at >= from && i.at <= to).map((i) => {
      const mark = document.createElement('i');
      mark.className = i.by ? 'person' : 'agent';
      mark.style.left = (i.at - from) / (to - from) * 100 + '%';
      return mark;
    }));
  }

  return {
    on: () => at !== null,
    leave,
    // go shows a moment, in Unix seconds.
    go(t) { stop(); show(Math.max(from, Math.min(t, to))); },
    // mark marks the moments of inputs.
    mark(list) { inputs = list; drawMarks(); },
    // show sets the bounds of the session's recording, in Unix seconds.
    show(f) {
      if (kept !== f.id) { kept = f.id; from = f.created; inputs = []; }
      const end = Math.max(f.active, from + 0.001); // since then it has looked as it does live
      if (end !== to) { to = end; drawMarks(); }
    },
  };
}
