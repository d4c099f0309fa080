// The list of sessions: a row for each, with its last line, in groups by node, client and folder;
// small screens if they are switched on; and the names of the sessions that a person should look at.

import { $, el } from './dom.js';
import { Screen } from './screen.js';
import { state, stateOf, urgency } from './state.js';
import { nodeOf } from './wire.js';

const cards = new Map(); // by session ID

// showCard shows a session's facts in the list; choose(id) is called on a click.
export function showCard(f, choose) {
  let card = cards.get(f.id);
  if (!card) { card = newCard(() => choose(f.id)); cards.set(f.id, card); }
  card.facts = f;
  card.name.textContent = f.name;
  card.sub.textContent = f.title || f.command;
  card.last.textContent = f.last || '';
  card.screen.still(urgency(f) === ended);
  say(card);
  $('none').hidden = true;
  place(f, card);
  showNeeds(choose);
}

// say shows what a session does.
function say(card) {
  const node = state.nodes.get(nodeOf(card.facts.id)), gone = node?.away;
  card.item.classList.toggle('away', !!gone);
  const [word, kind] = gone ? [gone, 'held'] : stateOf(card.facts);
  card.pill.textContent = word; card.pill.className = 'pill ' + kind;
}

// tick shows how long programs have been working, each second.
export function tick() { for (const c of cards.values()) if (urgency(c.facts) !== ended) say(c); }

// Rows keep their places while the person may click one; the head of the page names the sessions
// that wait for a person. The rows are sorted when the page is opened, hidden or filtered, when
// another session or all of them are shown, and a second after the mouse has left the list.
const ended = 2, pause = 1000; // milliseconds
const groupOf = (f) => [nodeOf(f.id), f.agent, f.folder].filter(Boolean).join(' · ');
let opening = 0; // until when new sessions count as older than the page
export function opened() { opening = performance.now() + pause; }

// place adds a new card to the list, or records that a card is no longer in the right place.
function place(f, card) {
  const rank = urgency(f), group = rank === 1 ? groupOf(f) : '', fresh = !card.item.parentNode;
  if (!fresh && card.rank === rank && card.group === group) { sift(); return; }
  card.rank = rank; card.group = group;
  if (!fresh) late = true;
  else if (performance.now() < opening) { opened(); arrange(); }
  else if (rank === ended) $('ended-list').prepend(card.item);
  else {
    late = true;
    if (lastGroup !== groupOf(f)) $('list').append(heading(lastGroup = groupOf(f)));
    $('list').append(card.item);
  }
  sift(); showEnded();
}
const heading = (group) => el('li', { className: 'group', textContent: group || 'others' });

let hand = false, late = false, leaving = 0, lastGroup = '';
$('list').addEventListener('pointerenter', (e) => { hand = e.pointerType === 'mouse'; clearTimeout(leaving); });
$('list').addEventListener('pointerleave', () => { hand = false; leaving = setTimeout(tidy, pause); });
document.addEventListener('visibilitychange', () => { if (document.hidden && late) arrange(); });

// tidy sorts the rows unless the mouse or the keyboard focus is in the list.
export function tidy() { if (late && !hand && !$('list').querySelector(':focus-visible')) arrange(); }

// arrange sorts all rows, with the names of their groups.
function arrange() {
  const focus = document.activeElement;
  late = false;
  const all = [...cards.values()].filter((c) => c.rank !== undefined);
  const live = all.filter((c) => c.rank !== ended).sort((a, b) => a.rank - b.rank || (a.rank === 1 && nodeOf(a.facts.id).localeCompare(nodeOf(b.facts.id))) || first(a) - first(b) || a.facts.created - b.facts.created);
  const groups = new Set(live.filter((c) => c.rank === 1).map((c) => c.group));
  const items = [];
  let group = null;
  for (const c of live) {
    if (c.rank === 1 && groups.size > 1 && c.group !== group) {
      items.push(heading(group = c.group));
    }
    items.push(c.item);
    lastGroup = groupOf(c.facts);
  }
  renew($('list'), items);
  renew($('ended-list'), all.filter((c) => c.rank === ended).sort((a, b) => b.facts.created - a.facts.created).map((c) => c.item));
  if ($('list').contains(focus)) focus.focus({ preventScroll: true });
  sift(); showEnded();
  // first returns when the oldest session of a card's group began.
  function first(c) { return c.rank === 1 ? Math.min(...all.filter((o) => o.rank === 1 && o.group === c.group).map((o) => o.facts.created)) : 0; }
}

// renew makes items the children of list. It does not move items that are in the right place.
function renew(list, items) {
  for (const old of [...list.children]) if (!items.includes(old)) old.remove();
  items.forEach((item, i) => { if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null); });
}

// sift applies the filter: it hides rows that do not contain all of its words, and the names of
// groups without a visible row. If an ended session matches, it opens the list of those.
function sift() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { item, facts: f } of cards.values()) {
    const text = [f.name, f.command, f.title, f.agent, f.folder, f.last, stateOf(f)[0]].join('\n').toLowerCase();
    item.hidden = !words.every((w) => w === f.id || text.includes(w));
  }
  let group = null, any = 0;
  for (const item of $('list').children) {
    if (item.className === 'group') { group = item; item.hidden = true; } else if (!item.hidden) { any++; if (group) group.hidden = false; }
  }
  const ended = [...$('ended-list').children].filter((i) => !i.hidden).length;
  if (words.length && ended) $('ended').open = true;
  $('unmatched').hidden = !words.length || any + ended > 0;
}
$('filter').oninput = () => { tidy(); sift(); };

function showEnded() {
  const n = $('ended-list').children.length;
  $('ended').hidden = !n;
  const failed = $('ended-list').querySelectorAll('.pill.failed').length;
  $('ended-count').textContent = `${n} ended${failed ? `, ${failed} failed` : ''}`;
  $('forget-all').disabled = !state.me.type || !!state.away;
  $('filter').hidden = !cards.size;
}

function newCard(onclick) {
  const name = el('b'), pill = el('span'), sub = el('bdi', { className: 'sub' }), root = el('span', { className: 'screen' });
  const last = el('span', { className: 'last', dir: 'auto' });
  const mini = el('span', { className: 'mini', ariaHidden: 'true' }, root);
  const button = el('button', { type: 'button', className: 'card', onclick }, el('span', { className: 'line' }, name, pill), sub, last, mini);
  const item = el('li', {}, button);
  return { item, button, name, pill, sub, last, screen: new Screen(root) };
}

// dropCard removes a session. Its row stays in the list, disabled, until the rows are sorted.
export function dropCard(id, choose) {
  const { item, button, pill } = cards.get(id) ?? newCard();
  cards.delete(id);
  if ($('list').contains(item)) { late = button.disabled = true; pill.textContent = 'gone'; } else item.remove();
  $('none').hidden = cards.size > 0;
  showEnded();
  showNeeds(choose);
}

// thumbs reports whether the person has switched on the small screens.
export const thumbs = () => document.body.classList.contains('thumbs');
export function beginThumbs(changed) {
  const show = (on) => { document.body.classList.toggle('thumbs', on); $('thumbs').setAttribute('aria-pressed', on); };
  show(localStorage.thumbs === 'on');
  $('thumbs').onclick = () => { show(!thumbs()); localStorage.thumbs = thumbs() ? 'on' : 'off'; changed(); };
}

// drawCard draws a frame of a small screen.
export function drawCard(frame) { cards.get(frame.id)?.screen.draw(frame); }

// clearCards clears the small screens of a node.
export function clearCards(node) { for (const [id, c] of cards) if (nodeOf(id) === node) c.screen.clear(); showEnded(); }

// markChosen marks the chosen session in the list, and brings it into view.
export function markChosen() {
  if ($('ended-list').contains(cards.get(state.chosen)?.item)) $('ended').open = true;
  for (const [id, c] of cards) c.button.setAttribute('aria-current', id === state.chosen);
  cards.get(state.chosen)?.button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

// A failed session counts as one to look at until the person has seen it.
const seenKey = 'seen', mostSeen = 1000;
const looked = new Set(JSON.parse(sessionStorage[seenKey] ?? '[]'));
const nameOf = (f) => `${f.id} ${f.created}`;
const seen = (f) => urgency(f) === ended && looked.has(nameOf(f));

// look records that the person has seen how a session ended.
export function look(f, choose) {
  if (urgency(f) !== ended || seen(f)) return;
  looked.add(nameOf(f));
  sessionStorage[seenKey] = JSON.stringify([...looked].slice(-mostSeen));
  showNeeds(choose);
}

let shown = '';
let told = () => {};
// tellNeeds makes the list call tell whenever the sessions that need a person change. tell gets a text
// for each.
export function tellNeeds(tell) { told = tell; }
function showNeeds(choose) {
  const needs = [...state.sessions.values()].filter((f) => !seen(f)).map((f) => [f.id, f.name, ...stateOf(f)]).filter(([, , , , need]) => need)
    .sort((a, b) => (a[3] === 'failed') - (b[3] === 'failed'));
  const now = JSON.stringify(needs.map(([id, name, , kind, need]) => [id, name, kind, need]));
  if (now === shown) return;
  shown = now;
  $('needs').replaceChildren(...needs.map(([id, name, , kind, need]) => {
    const chip = el('button', { type: 'button', className: 'pill ' + kind }, el('b', { textContent: name }), ` ${need}`);
    chip.onclick = () => choose(id);
    return el('li', {}, chip);
  }));
  if (needs.length > 1) {
    const count = el('button', { type: 'button', className: `count pill held ${needs.length > 3 ? 'many' : ''}`, textContent: `${needs.length} to look at`, onclick: () => $('all').getAttribute('aria-pressed') === 'false' && $('all').click() });
    $('needs').append(el('li', { className: 'first' }, count));
  }
  told(needs.filter(([, , , kind]) => kind === 'held').map(([, name, , , need]) => `${name} ${need}`));
}
