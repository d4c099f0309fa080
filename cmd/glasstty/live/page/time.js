// The time line shows any moment of a session's recording, and plays the recording from there.

import { $, clock, el } from './dom.js';
import { markRow } from './stage.js';
import { get } from './wire.js';

const step = 100; // milliseconds between two moments while playing
const idle = 1; // seconds of a pause that are played at each end; the rest is skipped

// timeline returns a time line that calls draw(frame) for a moment of the past, and live() to return
// to the live screen.
export function timeline({ session, draw, live }) {
  let at = null, from = 0, to = 0, timer = 0, asked = 0, kept = null, inputs = [], line = { busy: [], commands: [] };

  // One moment is fetched at a time. While the slider moves over many, only the last one matters.
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
      markRow(wanted); wanted = '';
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
    const was = at !== null;
    at = null; tell('live'); $('live').hidden = true; $('moment').value = 1000;
    return was;
  }

  // The right end means the live screen.
  $('moment').oninput = async () => {
    stop();
    if ($('moment').value >= 1000) { if (leave()) live(); return; }
    await load();
    show(from + (to - from) * $('moment').value / 1000);
  };
  $('live').onclick = () => { if (leave()) live(); if ($('typing').hidden) $('moment').focus(); };
  $('play').onclick = async () => {
    if (timer) { stop(); return; }
    await load();
    let t = at ?? from, last = performance.now();
    $('play').textContent = 'Stop'; $('play').setAttribute('aria-pressed', 'true');
    timer = setInterval(() => {
      if (busy) return;
      const now = performance.now();
      t = skipped(t + (now - last) / 1000 * $('speed').value); last = now;
      if (t >= to) { if (leave()) live(); return; }
      show(t);
    }, step);
  };

  // skipped returns t or, in a long pause, a time just before its end.
  function skipped(t) {
    for (const [begin, end] of line.busy) {
      if (t < begin - idle) return begin - idle;
      if (t <= end + idle) return t;
    }
    return line.busy.length ? Math.max(t, to) : t;
  }

  // load fetches when the recording begins, when the session was busy, and how the shell's commands
  // ended. It does so again if the session has been active since.
  let wanted = ''; // the text of the line to mark
  let loaded = '', ended = '';
  async function load() {
    const id = session(), now = JSON.stringify([id, to]);
    if (loaded === now) return;
    try {
      const got = await get('timeline', { id });
      if (id !== session()) return;
      loaded = now;
      line = got; from = got.from;
      drawMarks();
    } catch { /* moving the slider will show why */ }
  }
  $('time').addEventListener('pointerenter', load);
  $('time').addEventListener('focusin', load);

  const place = (t) => (t - from) / (to - from) * 100 + '%';
  function drawMarks() {
    const within = (t) => t >= from && t <= to;
    $('marks').replaceChildren(
      ...inputs.filter((i) => within(i.at)).map((i) => mark(i.at, i.by ? 'person' : 'agent')),
      ...line.commands.filter((c) => within(c.at)).map((c) => mark(c.at, c.exit ? 'failed' : 'done')));
  }
  function mark(t, className) { const m = el('i', { className }); m.style.left = place(t); return m; }

  return {
    on: () => at !== null,
    leave,
    // go shows a moment, in Unix seconds, and marks a line of its screen.
    go(t, line = '') { stop(); load(); wanted = line; show(Math.max(from, Math.min(t, to))); },
    // mark marks the moments of inputs.
    mark(list) { inputs = list; drawMarks(); },
    // show sets the bounds of the session's recording, in Unix seconds.
    show(f) {
      if (kept !== f.id) { kept = f.id; from = f.created; inputs = []; line = { busy: [], commands: [] }; loaded = ''; }
      const end = Math.max(f.active, f.answer?.at ?? 0, from + 0.001); // the screen has not changed after this
      if (end !== to) { to = end; drawMarks(); }
      const done = `${f.id} ${f.doing === 'works' ? '' : f.typed.at}`;
      if (done !== ended) { ended = done; load(); } // a command may have ended
    },
  };
}
