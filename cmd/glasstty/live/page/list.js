// The list of sessions, each with its screen small, and the names of those that
// a person should look at.

import { $, el } from './dom.js';
import { Screen } from './screen.js';
import { state, stateOf } from './state.js';

const cards = new Map(); // by session

// showCard shows a session's facts in the list; choose(id) is called on a click.
export function showCard(f, choose) {
  let card = cards.get(f.id);
  if (!card) { card = newCard(() => choose(f.id)); cards.set(f.id, card); }
  const [word, kind] = stateOf(f);
  card.name.textContent = f.name;
  card.sub.textContent = f.title || f.command;
  card.pill.textContent = word; card.pill.className = 'pill ' + kind;
  $('none').hidden = true;
  showNeeds(choose);
}

function newCard(onclick) {
  const name = el('b'), pill = el('span'), sub = el('bdi', { className: 'sub' }), root = el('span', { className: 'screen' });
  const mini = el('span', { className: 'mini', ariaHidden: 'true' }, root);
  const button = el('button', { type: 'button', className: 'card', onclick }, el('span', { className: 'line' }, name, pill), sub, mini);
  const item = el('li', {}, button);
  $('list').append(item);
  return { item, button, name, pill, sub, screen: new Screen(root) };
}

// dropCard takes a session out of the list.
export function dropCard(id, choose) {
  cards.get(id)?.item.remove();
  cards.delete(id);
  $('none').hidden = cards.size > 0;
  showNeeds(choose);
}

// drawCard draws a frame of a small screen.
export function drawCard(frame) { cards.get(frame.id)?.screen.draw(frame); }

// clearCards forgets what the small screens show.
export function clearCards() { for (const c of cards.values()) c.screen.clear(); }

// markChosen marks the chosen session in the list, and brings it into view.
export function markChosen() {
  for (const [id, c] of cards) c.button.setAttribute('aria-current', id === state.chosen);
  cards.get(state.chosen)?.button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

let shown = '';
function showNeeds(choose) {
  const needs = [...state.sessions.values()].map((f) => [f.id, f.name, ...stateOf(f)]).filter(([, , , , need]) => need)
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
