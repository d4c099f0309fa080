// The large screen: the size of its letters, scrolling, and the lines above the screen.

import { $ } from './dom.js';
import { facts, mine, state } from './state.js';
import { Screen, drawRows } from './screen.js';
import { get } from './wire.js';

export const screen = new Screen($('screen'));

const wide = 0.6021, high = 1.165; // of a cell, in em
const frame = 13; // pixels around the screen
const smallest = 4, largest = 32, readable = 11, actual = 14; // pixels
const below = 92, least = 120; // pixels that are kept for what is below the screen, and for the screen
const rowsAbove = 1000; // maximum number of rows that are shown above the screen

const stage = $('stage');
const large = new Set(); // sessions that the person has zoomed to the actual size
let loose = false; // the person has scrolled, so the cursor is not followed

// room returns the width and height that the screen may take, in pixels.
function room() {
  const pane = $('session'), top = $('view').getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop;
  const under = document.body.classList.contains('hands') ? $('touch').offsetHeight + 12 : below;
  return { width: $('one').clientWidth - frame, height: Math.max(least, pane.clientHeight - top - under) };
}

// fit makes the letters as large as possible with the whole screen in view. If they would be too
// small to read, it makes them as large as the width allows, and the screen scrolls.
export function fit() {
  const { rows, cols } = screen.empty() ? facts() ?? {} : screen;
  if (!cols) return;
  const { width, height } = room();
  if (width <= 0) return; // it is not shown
  const size = (pixels) => Math.max(smallest, Math.min(largest, Math.floor(pixels * 8) / 8));
  const byWidth = size(width / (cols * wide)), whole = Math.min(byWidth, size((height - frame) / (rows * high)));
  const best = whole >= Math.min(readable, byWidth) ? whole : Math.min(byWidth, readable);
  const letters = large.has(state.chosen) ? actual : best;
  // With the focus on the stage, arrow keys scroll.
  if (letters > byWidth || letters > whole) stage.tabIndex = 0; else stage.removeAttribute('tabindex');
  $('view').style.setProperty('--room', height + 'px'); // height that questions may take
  $('zoom').setAttribute('aria-pressed', large.has(state.chosen));
  $('screen').closest('.glass').style.setProperty('--size', letters + 'px');
  stage.style.maxHeight = Math.min(height, Math.ceil(letters * high * rows) + frame) + 'px';
  stage.style.minHeight = screen.empty() ? stage.style.maxHeight : ''; // keeps what is below in place until the screen arrives
  stage.style.minWidth = screen.empty() ? Math.min(width, letters * wide * cols) + 'px' : '';
}
addEventListener('resize', () => { fit(); follow(true); });

$('zoom').onclick = () => { if (!large.delete(state.chosen)) large.add(state.chosen); fit(); follow(true); };

// open prepares the stage for another session: the cursor is followed, and no lines are above the
// screen.
export function open() { loose = waiting = false; hideAbove(); showBack(); }

// firstRow returns the offset of the screen within the content of the stage, in pixels.
export const firstRow = () => $('screen').parentNode.offsetTop;

// follow scrolls to the cursor, unless the person has scrolled. With always, it always does.
export function follow(always = false) {
  showBack();
  if (loose && !always && !mine()) return;
  const cursor = stage.querySelector('.cursor'), margin = 24, left = cursor.offsetLeft, right = left + cursor.offsetWidth + margin;
  if (left - margin < stage.scrollLeft) stage.scrollLeft = Math.max(0, left - margin);
  else if (right > stage.scrollLeft + stage.clientWidth) stage.scrollLeft = right - stage.clientWidth;
  if (!loose || always) stage.scrollTop = end();
}

// end returns the scrollTop at which the whole screen is in view if it fits, or otherwise the cursor.
function end() {
  const cursor = stage.querySelector('.cursor'), first = firstRow(), top = first + cursor.offsetTop, bottom = top + cursor.offsetHeight + 8;
  if ($('screen').offsetHeight <= stage.clientHeight) return first;
  return Math.max(Math.min(stage.scrollTop, top), bottom - stage.clientHeight);
}

// showBack shows a button while the person has scrolled back. It says whether the program has
// printed since then.
let since = 0; // the revision at which the person scrolled
function showBack() {
  const b = $('to-end'), newest = Math.max(screen.rev, missed);
  const away = loose && !stage.classList.contains('past') && end() - stage.scrollTop > 8;
  if (away && b.hidden) since = newest;
  b.hidden = !away && !waiting;
  const text = waiting ? 'Still while text is selected: go on' : newest > since ? 'New output below: go to the end' : 'Scrolled back: go to the end';
  if (!b.hidden && b.textContent !== text) b.textContent = text;
}
stage.addEventListener('scroll', showBack, { passive: true });
$('to-end').onclick = () => { if (waiting) getSelection().removeAllRanges(); back(); if (mine()) $('typing').focus({ preventScroll: true }); };

// toEnd scrolls to the end, because the person types.
export function toEnd() { if (!$('to-end').hidden) $('to-end').click(); }

// The wheel fetches the lines above the screen and scrolls to them. Fingers and keys scroll to lines
// that are already shown.
stage.addEventListener('wheel', (e) => {
  if (screen.mouse && mine()) return;
  if (e.deltaY > 0 && !$('above').hidden && $('history').hidden && stage.scrollTop + stage.clientHeight >= stage.scrollHeight - 1) { back(); return; }
  loose = true;
  if (e.deltaY >= 0 || stage.scrollTop > 0 || !$('above').hidden || stage.classList.contains('past')) return;
  if (!owed) showAbove().then(() => { stage.scrollTop += owed; }).catch(() => {}).finally(() => { owed = 0; });
  owed += e.deltaY;
}, { passive: true });
let owed = 0; // pixels to scroll once the lines above are shown
stage.addEventListener('touchmove', () => { loose = true; }, { passive: true });
stage.addEventListener('keydown', () => { if (!mine()) loose = true; });

// Lines above the screen and the screen must be of one moment. A frame that changes the first row may
// have moved lines out of the screen. It is left out, and the screen is fetched together with the
// lines above it.
let missed = 0; // the revision of the last frame that was left out
let drawn = () => {}, whole = () => {};

// beginAbove sets toldDrawn, which gets the numbers of changed rows after the screen was drawn, and
// askWhole, which asks for the whole screen.
export function beginAbove(toldDrawn, askWhole) { drawn = toldDrawn; whole = askWhole; }

// drawLive draws a live frame and returns the numbers of the rows that changed, or null if it left
// the frame out.
export function drawLive(f) {
  if (!f.full && f.rev < screen.rev) return null;
  if (selected()) { waiting = true; showBack(); return null; }
  if ($('above').hidden || !missed && !f.full && !f.lines.some((l) => l.r === 0)) return screen.draw(f);
  missed = f.rev;
  renewAbove();
  return null;
}

// While text is selected, the screen does not change: the person copies what was selected.
let waiting = false; // frames were left out because text is selected
function selected() {
  const s = getSelection();
  return !s.isCollapsed && $('screen').contains(s.anchorNode) && $('screen').contains(s.focusNode);
}
document.addEventListener('selectionchange', () => { if (waiting && !selected()) { waiting = false; showBack(); whole(); } });

// showAbove shows the lines that have left the screen above it, without moving what is in view. It
// returns their number.
export async function showAbove() {
  const id = state.chosen, got = await get('lines', { id, rows: rowsAbove });
  if (id !== state.chosen || stage.classList.contains('past')) return 0;
  if (!got.lines.length) { hideAbove(); return 0; }
  const above = $('above'), before = stage.scrollHeight, old = above.hidden ? [] : [...above.children];
  const rows = drawRows(got.lines, got.inks ?? []), come = arrived(old, rows);
  missed = Math.max(missed, screen.rev);
  drawn(screen.draw(got.frame));
  if (missed > screen.rev) renewAbove(); else missed = 0;
  above.style.setProperty('--cols', got.cols);
  above.replaceChildren(...rows);
  above.hidden = false;
  // Lines are added at the end, and beyond rowsAbove others are removed at the beginning.
  if (!old.length) stage.scrollTop += stage.scrollHeight - before;
  else stage.scrollTop -= (old.length + come - rows.length) * (above.offsetHeight / rows.length || 0);
  return rows.length;
}

// arrived returns how many of rows are new. It finds the last of the old rows in them.
const compared = 20;
function arrived(old, rows) {
  const end = old.slice(-compared).map((r) => r.textContent), texts = rows.map((r) => r.textContent);
  for (let n = 0; n + end.length <= texts.length; n++) {
    const from = texts.length - n - end.length;
    if (end.every((t, i) => t === texts[from + i])) return n;
  }
  return rows.length;
}

// renewAbove fetches the lines above the screen again.
let renewing = 0, renewed = 0;
const renewEvery = 300; // milliseconds
function renewAbove() {
  renewing ||= setTimeout(async () => {
    if (!$('above').hidden) await showAbove().catch(() => {});
    renewing = 0; renewed = performance.now();
    if (missed && !$('above').hidden) renewAbove();
  }, Math.max(0, renewed + renewEvery - performance.now()));
}

// markRow marks the last row that begins with text, a line that was found.
export function markRow(text) {
  for (const row of stage.querySelectorAll('[data-hit]')) row.removeAttribute('data-hit');
  const begin = text.trim().slice(0, screen.cols);
  if (begin) [...$('screen').querySelectorAll('.row')].findLast((r) => r.textContent.trim().startsWith(begin))?.setAttribute('data-hit', '');
}

// scrollUp scrolls up by most of the stage's height.
export function scrollUp() { loose = true; stage.scrollTop -= stage.clientHeight * .8; }

function hideAbove() {
  $('above').hidden = true; $('above').replaceChildren();
  if (missed) { missed = 0; whole(); }
}

// back shows the live screen again.
export function back() { loose = false; hideAbove(); follow(true); showBack(); }

// windowSize returns the rows and columns that fit into the window, in letters of at most the actual
// size that can still be read.
export function windowSize() {
  const now = parseFloat(getComputedStyle($('screen')).fontSize), { width, height } = room();
  const size = Math.max(readable + 1, Math.min(actual, now));
  const cols = Math.floor(width / (size * wide)), rows = Math.floor((height - frame) / (size * high));
  return { rows: Math.max(5, Math.min(200, rows)), cols: Math.max(20, Math.min(300, cols)) };
}

// Copied text has no line break between the rows of a wrapped line.
stage.addEventListener('copy', (e) => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  let text = '';
  for (const row of stage.querySelectorAll('.row')) {
    if (!range.intersectsNode(row)) continue;
    const part = document.createRange();
    part.selectNodeContents(row);
    if (row.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
    if (row.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
    if (!row.classList.contains('soft')) text += part.toString().trimEnd() + '\n';
    else text += part.toString() + (row.contains(range.endContainer) ? '' : ' '.repeat(Math.max(0, screen.cols - row.dataset.cols)));
  }
  e.preventDefault();
  e.clipboardData.setData('text/plain', text.replace(/\n$/, ''));
});
