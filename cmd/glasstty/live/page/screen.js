// A screen draws the frames of a session: rows of spans, each as wide as the
// columns that the server says it takes.

const bold = 1, italic = 4, blink = 8, strike = 64, overline = 128; // emulator.Attrs
const lines = ['', 'underline', 'underline double', 'underline wavy', 'underline dotted', 'underline dashed'];

// row returns an element that shows a line of a frame.
export function drawRow(line, inks) {
  const row = document.createElement('div');
  row.className = 'row';
  for (const [text, cols, index, loose] of line.s) row.append(drawSpan(text, cols, inks[index], loose));
  return row;
}

function drawSpan(text, cols, ink, loose) {
  const span = document.createElement(ink.h ? 'a' : 'span');
  span.textContent = text;
  if (loose) span.style.width = cols + 'ch';
  if (ink.h) { span.href = ink.h; span.target = '_blank'; span.rel = 'noopener noreferrer'; span.tabIndex = -1; span.title = ink.h; }
  const s = span.style, a = ink.a || 0;
  if (ink.f) s.color = ink.f;
  if (ink.b) s.background = ink.b;
  if (a & bold) s.fontWeight = 'bold';
  if (a & italic) s.fontStyle = 'italic';
  if (a & blink) span.classList.add('blink');
  const line = [lines[ink.u || 0], a & strike ? 'line-through' : '', a & overline ? 'overline' : ''].filter(Boolean).join(' ');
  if (line) { s.textDecoration = line; if (ink.l) s.textDecorationColor = ink.l; }
  return span;
}

export class Screen {
  rows = 0; cols = 0; rev = 0; mouse = 0; texts = [];
  #root; #rows = []; #cursor; #still = false;

  constructor(root) {
    this.#root = root;
    this.#cursor = document.createElement('div');
    this.clear();
  }

  clear() {
    this.rev = 0; this.#rows = []; this.texts = [];
    this.#root.replaceChildren(this.#cursor);
    this.#cursor.hidden = true;
  }

  // draw applies a frame and returns the numbers of the rows that changed.
  draw(f) {
    if (f.full) this.#resize(f.rows, f.cols);
    else if (f.rows !== this.rows || !this.#rows.length) return []; // changes of what is not here any more; the whole comes
    this.rev = f.rev; this.mouse = f.modes?.mouse || 0;
    const inks = f.inks || [], changed = [];
    for (const line of f.lines) {
      const row = drawRow(line, inks), text = line.s.map((s) => s[0]).join('');
      this.#rows[line.r].replaceWith(row);
      this.#rows[line.r] = row;
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
    for (let i = 0; i < rows; i++) {
      const row = drawRow({ s: [] }, []);
      this.#rows.push(row);
      this.texts.push('');
      this.#root.append(row);
    }
  }

  #place([row, col, visible, shape]) {
    const c = this.#cursor;
    c.hidden = !visible;
    c.className = 'cursor' + ['', ' under', ' bar'][shape] + (this.#still ? ' still' : '');
    c.style.top = row * 1.165 + 'em';
    c.style.left = Math.min(col, this.cols - 1) + 'ch';
  }

  // still shows no cursor: nobody can type there.
  still(is) { this.#cursor.classList.toggle('still', is); this.#still = is; }

  // text returns the whole screen as text.
  text() { return this.texts.map((t) => t.trimEnd()).join('\n').trimEnd(); }

  // cell returns the row and column under a mouse event.
  cell(event) {
    const box = this.#rows[0].getBoundingClientRect();
    const at = (x, size, n) => Math.max(0, Math.min(n - 1, Math.floor(x / size)));
    return { r: at(event.clientY - box.top, box.height, this.rows), c: at(event.clientX - box.left, box.width / this.cols, this.cols) };
  }
}
