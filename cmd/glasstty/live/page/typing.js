// Typing into the session: keys, on-screen keyboards, pasting and the mouse.

import { $, el, onGlass, trouble } from './dom.js';
import { keyOf, leaves, withModifiers } from './keys.js';
import { screen, toEnd } from './stage.js';
import { facts, inOtherTab, mine, sentence, state } from './state.js';

const typing = $('typing');
let wire = null, touched = () => {};

// begin sets the wire to which input is sent. inPast reports whether a moment of the past is shown.
export function begin(w, inPast) { wire = w; touched = () => mine() && !inPast(); }

// showTyping shows or hides the controls for typing.
export function showTyping(may) {
  const was = !typing.hidden, focused = document.activeElement === typing;
  typing.hidden = !may;
  $('send-key').hidden = !may || onGlass();
  $('touch').hidden = !may || !onGlass();
  $('stage').classList.toggle('mine', may);
  document.body.classList.toggle('hands', may && onGlass());
  // After a reload, Tab walks through the page until the person has used it: the focus is not taken.
  if (may) thief = false;
  if (may && !was) { reset(); if (navigator.userActivation?.hasBeenActive ?? true) typing.focus({ preventScroll: true }); }
  if (!may) release();
  const f = facts(), k = f?.keyboard;
  if (was && !may && k?.state === 'held' && !k.mine) robbed(`${inOtherTab(f) ? 'Your other tab' : sentence(f)} has taken the keyboard.`, focused);
}

// Keys, pastes and mouse events are sent in order, one request at a time, and only to the session for
// which they were made. While a request is under way, keys are collected, and only the last move of
// the mouse is kept.
let queue = [], sending = false;
const most = 500; // keys of one message

async function send(request) {
  const id = state.chosen;
  if (queue.length && queue[0].id !== id) queue = [];
  if (!request.mouse) toEnd();
  const last = queue.at(-1);
  if (last?.keys && request.keys && last.keys.length + request.keys.length <= most) last.keys.push(...request.keys);
  else if (last?.mouse?.a === moved && request.mouse?.a === moved) last.mouse = request.mouse;
  else queue.push({ id, ...request });
  if (sending) return;
  sending = true;
  while (queue.length) {
    const next = queue.shift();
    try { await wire.ask(next); arrived(); } catch (err) { const rest = queue; queue = []; lose(err, next, rest); }
  }
  sending = false;
}

// A message about lost input stays until the person dismisses it or has typed on for lostShown:
// people who type look at the screen, not at messages.
let lost = [], lostIn = '', lostWhy = '', forget = 0;
const lostShown = 15_000, mostLost = 200; // milliseconds, characters
function lose(err, first, rest) {
  if (lostIn !== first.id || $('trouble').hidden) lost = [];
  lostIn = first.id;
  lost.push({ ...first, unsure: err.unsure }, ...rest);
  clearTimeout(forget); forget = 0;
  if (!thief || lostIn !== state.chosen) lostWhy = `${err.message}.`;
  if (state.chosen === lostIn) tellLost();
}
const tellLost = () => trouble([lostWhy, named('Perhaps not typed', lost.filter((r) => r.unsure)), named('Not typed', lost.filter((r) => !r.unsure))].filter(Boolean).join(' '));

// robbed reports that another person has taken the keyboard. If this person was typing, it also shows
// what is typed from then on, until the focus moves.
let thief = false;
function robbed(why, focused) {
  if (lostIn !== state.chosen || $('trouble').hidden) lost = [];
  lostIn = state.chosen; lostWhy = why; thief = focused;
  clearTimeout(forget); forget = 0;
  tellLost();
  if (focused) $('trouble').focus({ preventScroll: true });
}
$('trouble').addEventListener('keydown', (e) => {
  const key = keyOf(e);
  if (!thief || !key || e.key === 'Tab' || e.target !== $('trouble')) return;
  e.preventDefault();
  if (e.key === 'Escape') { trouble(); $('take').focus(); return; }
  lost.push({ keys: [key] });
  tellLost();
});
$('trouble').addEventListener('focusout', () => { thief = false; });

function arrived() {
  if (!losing()) trouble();
  else forget ||= setTimeout(() => { lost = []; forget = 0; trouble(); }, lostShown);
}

// losing reports whether a message about lost input of the chosen session is shown.
export const losing = () => lost.length > 0 && lostIn === state.chosen && !$('trouble').hidden;

// named describes the input of requests. It shows only the number of keys if they may be a secret.
function named(what, requests) {
  const all = requests.flatMap((r) => r.keys?.map((k) => (k.k === 'enter' ? '⏎' : k.t ?? `<${k.k}>`)) ?? [...r.text ?? '']);
  if (!all.length) return '';
  if (facts()?.secret) return `${what}: ${all.length} key${all.length > 1 ? 's' : ''}.`;
  const text = all.join('');
  return `${what}: “${text.length > mostLost ? text.slice(0, mostLost) + '…' : text}”.`;
}

function press(keys) {
  for (let i = 0; i < keys.length; i += most) send({ do: 'type', keys: keys.slice(i, i + most) });
}

// Modifiers that were tapped apply to the next key.
const sticky = new Set();
function release() { sticky.clear(); for (const b of $('touch').children) if (b.hasAttribute('aria-pressed')) b.setAttribute('aria-pressed', false); }
function strike(key) { press([withModifiers(key, sticky)]); if (sticky.size) release(); }

// Selecting text with the mouse moves the focus to the text. Keys still go to the program.
addEventListener('keydown', (e) => {
  const at = document.activeElement;
  if (e.defaultPrevented || typing.hidden || !touched() || at === typing) return;
  if (leaves(e)) { e.preventDefault(); typing.focus({ preventScroll: true }); return; } // back to the terminal
  if (at && !at.contains(stage) && !stage.contains(at)) return;
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'c' && !getSelection().isCollapsed) { setTimeout(() => getSelection().removeAllRanges()); return; } // this Ctrl+C copies the selection; the next one interrupts
  if (e.key === 'Tab' || !keyOf(e)) return; // Tab moves on in the page
  typing.focus({ preventScroll: true });
  typing.onkeydown(e);
});

typing.onkeydown = (e) => {
  if (leaves(e)) { e.preventDefault(); $('give').focus(); return; }
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'v') return; // the browser pastes
  const key = keyOf(e);
  if (!key) return;
  e.preventDefault();
  taken = true;
  strike(key);
};
// A key that was sent must not be sent again as text.
let taken = false;
typing.onkeyup = () => { taken = false; };

// On-screen keyboards send changes of the field's text instead of keys. So the field always contains
// text that can be deleted, and its changes are typed. A word that is being composed is typed as it
// grows if it is ASCII, so that the person sees at once what the program shows for it. Otherwise it
// may belong to an input method, and is typed when it is complete.
const filler = '  ';
let composed = '';
typing.addEventListener('compositionstart', () => place());
function reset() {
  typing.classList.remove('composing');
  typing.style.removeProperty('--wide');
  typing.value = filler; typing.setSelectionRange(filler.length, filler.length); composed = ''; }

const edits = {
  insertLineBreak: 'enter', insertParagraph: 'enter', deleteContentBackward: 'backspace', deleteContentForward: 'delete',
  deleteWordBackward: 'ctrl+w', deleteSoftLineBackward: 'ctrl+u', deleteHardLineBackward: 'ctrl+u',
};
typing.addEventListener('beforeinput', (e) => {
  if (e.isComposing) return;
  if (taken) { e.preventDefault(); return; }
  const k = edits[e.inputType];
  if (k) { e.preventDefault(); strike({ k }); } else if (e.inputType === 'insertText' && e.data) { e.preventDefault(); text(e.data); }
});
typing.addEventListener('input', (e) => {
  if (e.isComposing) return;
  if (typing.value !== filler && typing.value.startsWith(filler)) text(typing.value.slice(filler.length));
  reset();
});
// place moves the field to the cursor: an input method shows its text and its candidates there.
export function place() {
  typing.style.setProperty('--row', screen.at[0]); typing.style.setProperty('--col', screen.at[1]);
}
typing.addEventListener('compositionupdate', (e) => {
  typing.classList.toggle('composing', !/^[\x20-\x7e]*$/.test(e.data));
  typing.style.setProperty('--wide', 2 * [...e.data].length + 3);
  if (onGlass() && /^[\x20-\x7e]*$/.test(e.data)) compose(e.data);
});
typing.addEventListener('compositionend', (e) => { compose(e.data); reset(); });

function text(t) {
  if (sticky.size && [...t].length === 1) { strike({ t }); return; }
  const lines = t.split('\n');
  press(lines.flatMap((line, i) => [...(i ? [{ k: 'enter' }] : []), ...(line ? [{ t: line }] : [])]));
}

// compose types the difference between the composed text and what was typed of it before.
function compose(now) {
  const was = [...composed], is = [...now];
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  if (was.length > same) press([{ k: `backspace*${was.length - same}` }]);
  if (is.length > same) text(is.slice(same).join(''));
  composed = now;
}

typing.addEventListener('paste', (e) => {
  e.preventDefault();
  const t = e.clipboardData.getData('text');
  if (t) send({ do: 'paste', text: t });
});

// Keys that an on-screen keyboard does not have. Tapping one does not move the focus, so that the
// keyboard stays open.
const keys = [
  ['Esc', 'escape'], ['/'], ['-'], ['Home', 'home'], ['↑', 'up', 'Up'], ['End', 'end'], ['PgUp', 'pageup', 'Page up'],
  ['Tab', 'tab'], ['Ctrl'], ['Alt'], ['←', 'left', 'Left'], ['↓', 'down', 'Down'], ['→', 'right', 'Right'], ['PgDn', 'pagedown', 'Page down'],
];
for (const [face, name, label] of keys) {
  const b = el('button', { type: 'button', textContent: face, onpointerdown: (e) => e.preventDefault() });
  if (label) b.setAttribute('aria-label', label);
  const mod = { Ctrl: 'ctrl', Alt: 'alt' }[face];
  if (mod) b.setAttribute('aria-pressed', false);
  b.onclick = () => {
    if (!mod) { strike(name ? { k: name } : { t: face }); return; }
    if (!sticky.delete(mod)) sticky.add(mod);
    b.setAttribute('aria-pressed', sticky.has(mod));
  };
  $('touch').append(b);
}
$('send-key').onsubmit = (e) => { e.preventDefault(); const k = $('key').value.trim(); if (k) press([{ k }]); };

// Mouse events are sent to programs that have asked for them. Otherwise the mouse selects text and
// follows links, and a click moves the focus to the terminal.
const stage = $('stage'), mods = (e) => (e.shiftKey ? 1 : 0) | (e.altKey ? 2 : 0) | (e.ctrlKey ? 4 : 0);
const drags = 1002, moves = 1003; // DEC private modes that report moves of the mouse
const pressed = 0, released = 1, moved = 2; // emulator.MouseAction
let button = 0, at = '';
function point(e, a, b) {
  e.preventDefault();
  send({ do: 'mouse', mouse: { a, b, ...screen.cell(e), m: mods(e) } });
}
const tracked = () => screen.mouse && touched();
stage.addEventListener('mousedown', (e) => { if (tracked()) { typing.focus({ preventScroll: true }); button = e.button + 1; point(e, pressed, button); } });
addEventListener('mouseup', (e) => { if (button) { point(e, released, button); button = 0; } });
stage.addEventListener('mousemove', (e) => {
  if (!tracked() || !(screen.mouse >= moves || (screen.mouse >= drags && button))) return;
  const cell = JSON.stringify(screen.cell(e));
  if (cell !== at) { at = cell; point(e, moved, button); }
});
stage.addEventListener('wheel', (e) => { if (tracked() && e.deltaY) point(e, pressed, e.deltaY < 0 ? 4 : 5); }, { passive: false });
stage.addEventListener('contextmenu', (e) => { if (tracked()) e.preventDefault(); });
let pressedAt = [0, 0];
stage.addEventListener('pointerdown', (e) => { pressedAt = [e.clientX, e.clientY]; });
stage.addEventListener('click', (e) => {
  const still = Math.hypot(e.clientX - pressedAt[0], e.clientY - pressedAt[1]) < 4; // pixels; otherwise text was selected
  if (touched() && still && e.detail < 2 && !e.target.closest('a')) typing.focus({ preventScroll: true });
});
