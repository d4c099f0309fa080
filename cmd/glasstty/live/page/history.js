// The search of the history, and the list of inputs.

import { $, el, clock, onGlass, trouble } from './dom.js';
import { back, scrollUp, showAbove } from './stage.js';
import { own, state } from './state.js';
import { get } from './wire.js';

async function tried(what) { try { await what(); trouble(); } catch (err) { trouble(err.message); } }

export function openHistory(open) {
  $('history').hidden = !open;
  $('look').setAttribute('aria-expanded', open);
  if (!open) { $('found').replaceChildren(); $('query').value = ''; }
}

$('look').onclick = () => {
  openHistory($('history').hidden);
  if ($('history').hidden) { back(); return; }
  $('history').scrollIntoView({ block: 'nearest' });
  if (!onGlass()) $('query').focus({ preventScroll: true }); // the on-screen keyboard would cover the lines
  if ($('stage').classList.contains('past')) return;
  tried(async () => {
    if (await showAbove()) scrollUp(); else $('found').replaceChildren(el('p', { textContent: 'Nothing has left the screen yet.' }));
  });
};
$('close-history').onclick = () => { openHistory(false); back(); $('look').focus(); };

$('history').addEventListener('keydown', (e) => { if (e.key === 'Escape' && !(e.target === $('query') && e.target.value)) $('close-history').click(); });

$('find').onsubmit = (e) => {
  e.preventDefault();
  tried(async () => {
    const { hits } = await get('search', { id: state.chosen, q: $('query').value });
    const n = hits.reduce((sum, h) => sum + h.hits.length, 0);
    const head = el('p', { textContent: n ? `${n} line${n > 1 ? 's' : ''} found` : 'Nothing found.' });
    $('found').replaceChildren(head, ...hits.map(drawHit));
  });
};

// drawHit returns an element with matching lines and the lines around them. A click on a matching
// line shows the moment at which it first had this text.
function drawHit(hit) {
  return el('div', { className: 'hit' }, ...hit.text.map((text, i) => {
    const n = hit.line + i, shown = `${n + 1}  ${text}`;
    if (!hit.hits.includes(n)) return el('span', { textContent: shown });
    return el('button', { type: 'button', title: 'Go to the moment of this line',
      onclick: () => tried(async () => jump((await get('moment', { id: state.chosen, line: n, text })).at, text)) }, el('mark', { textContent: shown }));
  }));
}
let jump = () => {};

// inputs returns a function that lists the inputs of a session. go(t) shows the moment of an input,
// and marks(list) gets the list.
export function inputs({ go, marks }) {
  jump = go;
  let shown = '', busy = false;
  async function load(f) {
    const want = JSON.stringify([f.id, f.typed, f.answer]);
    if (busy || want === shown) return;
    busy = true;
    try {
      const list = await get('inputs', { id: f.id });
      if (f.id === state.chosen) { shown = want; marks(list); show(list, f.id, f.agent || 'the agent'); }
    } catch { shown = ''; } finally { setTimeout(() => { busy = false; const now = state.sessions.get(state.chosen); if (now) load(now); }, pause); }
  }
  function show(list, id, agent) {
    $('inputs').querySelector('.agent').textContent = agent;
    $('typings').replaceChildren(...list.toReversed().map((i) => {
      const b = el('button', { type: 'button', onclick: () => go(i.at) },
        el('time', { textContent: clock(i.at) }), el('b', { textContent: [i.mine || i.by && !i.did && own(id, i.at) ? 'you' : i.by || agent, i.did].filter(Boolean).join(' ') }), el('code', { textContent: i.text.replaceAll('\n', '⏎') }));
      return el('li', { className: i.by ? 'person' : 'agent' }, b);
    }));
    if (!list.length) $('typings').replaceChildren(el('li', { textContent: 'Nobody has typed yet.' }));
  }
  return load;
}
const pause = 1000; // milliseconds between two requests
