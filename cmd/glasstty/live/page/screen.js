// Draws the frames of a session as rows of spans. The server says how many columns a span takes.

import { shownBy } from './wire.js';

const bold = 1, italic = 4, blink = 8, strike = 64, overline = 128; // emulator.Attrs
const lines = ['', 'underline', 'underline double', 'underline wavy', 'underline dotted', 'underline dashed'];

// drawRows returns elements that show lines.
export function drawRows(lines, inks) {
  const looks = inks.map(look);
  return lines.map((line) => { const row = document.createElement('div'); fill(row, line, looks); return row; });
}

// fill makes a row show a line. It reuses the row's spans, because a page may have to draw thousands
// of spans a second.
function fill(row, line, looks) {
  const soft = line.w ? 'row soft' : 'row';
  if (row.className !== soft) row.className = soft;
  if (line.w) row.dataset.cols = line.s.reduce((sum, s) => sum + s[1], 0); // the server leaves out blanks at the end
  let old = row.firstChild;
  for (const [text, cols, index, loose] of line.s) {
    const look = looks[index], next = old?.nextSibling;
    if (old && !loose && (old.look === look || dress(old, look))) {
      const node = look ? old.firstChild : old;
      if (node.data !== text) node.data = text;
    } else if (old) old.replaceWith(drawSpan(text, cols, look, loose));
    else row.append(drawSpan(text, cols, look, loose));
    old = next;
  }
  while (old) { const next = old.nextSibling; old.remove(); old = next; }
  for (const image of line.i || []) row.append(drawImage(image));
}

// dress changes the look of a span. It returns false if that needs a new element.
function dress(span, look) {
  if (!span.look || !look || span.tagName !== 'SPAN' || look.tagName !== 'SPAN') return false;
  span.style.cssText = look.css;
  span.className = look.className;
  span.look = look;
  return true;
}

// drawImage returns the part of an image that is in one row. It covers the row's text, which shows
// if the image cannot be loaded.
function drawImage([col, cols, source, row, column, ofRows, ofCols]) {
  const part = document.createElement('span'), img = document.createElement('img');
  part.className = 'image';
  part.style.left = col + 'ch'; part.style.width = cols + 'ch';
  img.style.left = -column + 'ch'; img.style.top = row * -1.165 + 'em';
  img.style.width = ofCols + 'ch'; img.style.height = ofRows * 1.165 + 'em';
  img.alt = '';
  img.addEventListener('error', () => part.remove());
  img.src = shownBy(source);
  part.append(img);
  return part;
}

// drawSpan returns a node with text of one look: a text node for the default look.
function drawSpan(text, cols, look, loose) {
  if (!loose && !look) { const plain = document.createTextNode(text); plain.look = null; return plain; }
  const span = look ? look.cloneNode() : document.createElement('span');
  span.textContent = text;
  if (loose) { span.style.width = cols + 'ch'; span.classList.add('box'); } else span.look = look;
  return span;
}

// look returns an empty element that is copied for the spans of an ink, or null for the default
// look.
const looks = new Map(), mostLooks = 2000;
function look(ink) {
  const name = JSON.stringify(ink);
  if (name === '{}') return null;
  let span = looks.get(name);
  if (!span) {
    if (looks.size >= mostLooks) looks.clear();
    looks.set(name, span = newLook(ink));
    span.css = span.style.cssText;
  }
  return span;
}

function newLook(ink) {
  const span = document.createElement(ink.h ? 'a' : 'span');
  if (ink.h) { span.href = ink.h; span.target = '_blank'; span.rel = 'noopener noreferrer'; span.tabIndex = -1; span.title = ink.h; }
  const s = span.style, a = ink.a || 0;
  if (ink.f) s.color = ink.f;
  if (ink.b) { s.background = ink.b; span.classList.add('box'); }
  if (a & bold) s.fontWeight = 'bold';
  if (a & italic) s.fontStyle = 'italic';
  if (a & blink) span.classList.add('blink');
  const line = [lines[ink.u || 0], a & strike ? 'line-through' : '', a & overline ? 'overline' : ''].filter(Boolean).join(' ');
  if (line) { s.textDecoration = line; if (ink.l) s.textDecorationColor = ink.l; }
  return span;
}

export class Screen {
  rows = 0; cols = 0; rev = 0; mouse = 0; texts = []; at = [0, 0]; // the cursor's row and column
  #root; #rows = []; #cursor; #still = false; #stale = false;

  constructor(root) {
    this.#root = root;
    this.#cursor = document.createElement('div');
    this.#cursor.className = 'cursor';
    this.clear();
  }

  // empty reports whether nothing is drawn yet.
  empty() { return !this.#rows.length; }

  clear() {
    this.rev = 0; this.#rows = []; this.texts = []; this.#stale = false;
    this.#root.replaceChildren(this.#cursor);
    this.#cursor.hidden = true;
  }

  // expect keeps what is drawn until a frame of the whole screen arrives, so that nothing below the
  // screen moves.
  expect() { this.rev = 0; this.#stale = true; }

  // draw applies a frame and returns the numbers of the rows that changed.
  draw(f) {
    const other = !this.#rows.length || f.rows !== this.rows || f.cols !== this.cols;
    if (f.full && other) this.#resize(f.rows, f.cols);
    else if (f.full) this.#stale = false;
    else if (this.#stale || other) return []; // these changes are to a screen that is not drawn; a whole one follows
    this.rev = f.rev; this.mouse = f.modes?.mouse || 0;
    const looks = (f.inks || []).map(look), changed = [];
    for (const line of f.lines) {
      const text = line.s.map((s) => s[0]).join('');
      fill(this.#rows[line.r], line, looks);
      if (text !== this.texts[line.r]) changed.push(line.r);
      this.texts[line.r] = text;
    }
    this.#place(f.cur);
    return changed;
  }

  #resize(rows, cols) {
    this.clear();
    this.rows = rows; this.cols = cols;
    this.#root.style.setProperty('--cols', cols);
    this.#rows = drawRows(Array(rows).fill({ s: [] }), []);
    this.texts = Array(rows).fill('');
    this.#root.append(...this.#rows);
  }

  #place([row, col, visible, shape]) {
    const c = this.#cursor;
    this.at = [row, Math.min(col, this.cols - 1)];
    c.hidden = !visible;
    c.className = 'cursor' + ['', ' under', ' bar'][shape] + (this.#still ? ' still' : '');
    c.style.top = row * 1.165 + 'em';
    c.style.left = this.at[1] + 'ch';
  }

  // still hides the cursor of an ended session, into which nobody can type.
  still(is) { this.#cursor.classList.toggle('still', is); this.#still = is; }

  // line returns the text of the cursor's row.
  line() { return this.texts[this.at[0]]?.trim() ?? ''; }

  // text returns the whole screen as text.
  text() { return this.texts.map((t) => t.trimEnd()).join('\n').trimEnd(); }

  // cell returns the row and column under a mouse event.
  cell(event) {
    const box = this.#rows[0].getBoundingClientRect();
    const at = (x, size, n) => Math.max(0, Math.min(n - 1, Math.floor(x / size)));
    return { r: at(event.clientY - box.top, box.height, this.rows), c: at(event.clientX - box.left, box.width / this.cols, this.cols) };
  }
}
