// What has left the screen, and what was typed.

import { $, el, clock, trouble } from './dom.js';
import { drawRow } from './screen.js';
import { state } from './state.js';
import { get } from './wire.js';

const kept = 1000; // rows above the screen

async function tried(what) { try { await what(); trouble(); } catch (err) { trouble(err.message); } }

export function openHistory(open) {
  $('history').hidden = !open;
  $('look').setAttribute('aria-expanded', open);
  if (!open) { $('above').replaceChildren(); $('found').replaceChildren(); }
}

$('look').onclick = () => {
  openHistory($('history').hidden);
  if ($('history').hidden) return;
  tried(async () => {
    const got = await get('lines', { id: state.chosen, rows: kept });
    $('above').style.setProperty('--cols', got.cols);
    $('above').replaceChildren(...got.lines.map((l) => drawRow(l, got.inks ?? [])));
    if (!got.lines.length) $('above').textContent = 'Nothing has left the screen yet.';
    $('above').scrollTop = $('above').scrollHeight;
    $('session').scrollTop = 0; // it stands above the screen
  });
};

$('find').onsubmit = (e) => {
  e.preventDefault();
  tried(async () => {
    const { hits } = await get('search', { id: state.chosen, q: $('query').value });
    const n = hits.reduce((sum, h) => sum + h.hits.length, 0);
    const head = el('p', { textContent: n ? `${n} line${n > 1 ? 's' : ''} found` : 'Nothing found.' });
    $('found').replaceChildren(head, ...hits.map(drawHit));
  });
};

function drawHit(hit) {
  return el('pre', { tabIndex: 0 }, ...hit.text.flatMap((text, i) => {
    const n = hit.line + i;
    return [el(hit.hits.includes(n) ? 'mark' : 'span', { textContent: `${n}  ${text}` }), '\n'];
  }));
}

// inputs lists who typed what; go(t) shows the moment of one.
export function inputs({ go, marks }) {
  let shown = '', busy = false;
  async function load(f) {
    const want = JSON.stringify([f.id, f.typed]);
    if (busy || want === shown) return;
    busy = true;
    try {
      const list = await get('inputs', { id: f.id });
      if (f.id === state.chosen) { shown = want; marks(list); show(list); }
    } catch { shown = ''; } finally { setTimeout(() => { busy = false; const now = state.sessions.get(state.chosen); if (now) load(now); }, pause); }
  }
  function show(list) {
    $('typings').replaceChildren(...list.toReversed().map((i) => {
      const b = el('button', { type: 'button', onclick: () => go(i.at) },
        el('time', { textContent: clock(i.at) }), el('b', { textContent: i.by || 'the agent' }), el('code', { textContent: i.text.replaceAll('\n', '⏎') }));
      return el('li', { className: i.by ? 'person' : 'agent' }, b);
    }));
    if (!list.length) $('typings').replaceChildren(el('li', { textContent: 'Nobody has typed yet.' }));
  }
  return load;
}
const pause = 1000; // milliseconds between two looks
