// The list of sessions, each with its screen small, and the names of those that
// a person should look at.

import { $, el } from './dom.js';
import { Screen } from './screen.js';
import { state, stateOf, urgency } from './state.js';

const cards = new Map(); // by session

// showCard shows a session's facts in the list; choose(id) is called on a click.
export function showCard(f, choose) {
  let card = cards.get(f.id);
  if (!card) { card = newCard(() => choose(f.id)); cards.set(f.id, card); }
  const [word, kind] = stateOf(f);
  card.name.textContent = f.name;
  card.sub.textContent = f.title || f.command;
  card.pill.textContent = word; card.pill.className = 'pill ' + kind;
  card.screen.still(urgency(f) === ended);
  $('none').hidden = true;
  place(f, card);
  showNeeds(choose);
}

// place puts a card where it belongs: first what waits for a person, then what runs,
// each by age; what has ended is folded away, the newest first.
const ended = 2;
function place(f, card) {
  const rank = urgency(f);
  if (card.rank === rank) return;
  card.rank = rank; card.created = f.created;
  const focused = card.item.contains(document.activeElement);
  const before = rank === ended
    ? [...cards.values()].filter((c) => c.rank === ended && c !== card && c.created < f.created).sort((a, b) => b.created - a.created)
    : [...cards.values()].filter((c) => c !== card && (c.rank > rank || c.rank === rank && c.created > f.created) && c.rank < ended).sort((a, b) => a.rank - b.rank || a.created - b.created);
  (rank === ended ? $('ended-list') : $('list')).insertBefore(card.item, before[0]?.item ?? null);
  if (focused) card.button.focus();
  showEnded();
}

function showEnded() {
  const n = [...cards.values()].filter((c) => c.rank === ended).length;
  $('ended').hidden = !n;
  $('ended-count').textContent = `${n} ended`;
  $('forget-all').disabled = !state.me.type;
}

function newCard(onclick) {
  const name = el('b'), pill = el('span'), sub = el('bdi', { className: 'sub' }), root = el('span', { className: 'screen' });
  const mini = el('span', { className: 'mini', ariaHidden: 'true' }, root);
  const button = el('button', { type: 'button', className: 'card', onclick }, el('span', { className: 'line' }, name, pill), sub, mini);
  const item = el('li', {}, button);
  return { item, button, name, pill, sub, screen: new Screen(root) };
}

// dropCard takes a session out of the list.
export function dropCard(id, choose) {
  cards.get(id)?.item.remove();
  cards.delete(id);
  $('none').hidden = cards.size > 0;
  showEnded();
  showNeeds(choose);
}

// drawCard draws a frame of a small screen.
export function drawCard(frame) { cards.get(frame.id)?.screen.draw(frame); }

// clearCards forgets what the small screens show.
export function clearCards() { for (const c of cards.values()) c.screen.clear(); }

// markChosen marks the chosen session in the list, and brings it into view.
export function markChosen() {
  if (cards.get(state.chosen)?.rank === ended) $('ended').open = true;
  for (const [id, c] of cards) c.button.setAttribute('aria-current', id === state.chosen);
  cards.get(state.chosen)?.button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

// A failure is news until the session was looked at.
const seenKey = 'seen', mostSeen = 1000;
const looked = new Set(JSON.parse(sessionStorage[seenKey] ?? '[]'));
const nameOf = (f) => `${f.id} ${f.created}`;
const seen = (f) => urgency(f) === ended && looked.has(nameOf(f));

// look notes that a person sees a session, and how it has ended.
export function look(f, choose) {
  if (urgency(f) !== ended || seen(f)) return;
  looked.add(nameOf(f));
  sessionStorage[seenKey] = JSON.stringify([...looked].slice(-mostSeen));
  showNeeds(choose);
}

let shown = '';
function showNeeds(choose) {
  const needs = [...state.sessions.values()].filter((f) => !seen(f)).map((f) => [f.id, f.name, ...stateOf(f)]).filter(([, , , , need]) => need)
    .sort((a, b) => (a[3] === 'failed') - (b[3] === 'failed'));
  const now = JSON.stringify(needs);
  if (now === shown) return;
  shown = now;
  $('needs').replaceChildren(...needs.map(([id, name, , kind, need]) => {
    const chip = el('button', { type: 'button', className: 'pill ' + kind, textContent: `${name} ${need}` });
    chip.onclick = () => choose(id);
    return el('li', {}, chip);
  }));
}
