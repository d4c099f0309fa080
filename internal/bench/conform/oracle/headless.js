'use strict';
// Replays streams through @xterm/headless and prints what its screen holds.
//
// One JSON line in, one JSON line out:
//   {"rows":24,"cols":80,"above":100,"events":[["o","<base64>"],["r",30,100],["m","label"]]}
//   {"screens":[...]}, one screen for every "m".
//
// The form of a screen is documented at the Screen type in ../dump.go.

const readline = require('readline');
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

const SPECIAL = 0x1c000000; // the underline style's bits in ExtendedAttrs._ext

function color(isDefault, isRGB, value) {
  if (isDefault) return '';
  return isRGB ? '#' + value.toString(16).padStart(6, '0') : String(value);
}

// underline reads the style that SGR set; a hyperlink would otherwise count as
// a dashed underline.
function underline(cell) {
  if (!cell.hasExtendedAttrs()) return cell.isUnderline() ? 1 : 0;
  const style = (cell.extended._ext & SPECIAL) >>> 26;
  return style;
}

function style(cell) {
  const out = [];
  if (cell.isBold()) out.push('b');
  if (cell.isDim()) out.push('d');
  if (cell.isItalic()) out.push('i');
  if (cell.isBlink()) out.push('k');
  if (cell.isInverse()) out.push('r');
  if (cell.isInvisible()) out.push('h');
  if (cell.isStrikethrough()) out.push('s');
  if (cell.isOverline()) out.push('o');
  const ul = underline(cell);
  if (ul) {
    out.push('u' + ul);
    // -1: no colour of its own, so the text's colour.
    if (cell.hasExtendedAttrs() && ~cell.extended.underlineColor) {
      const c = color(cell.isUnderlineColorDefault(), cell.isUnderlineColorRGB(), cell.getUnderlineColor());
      if (c) out.push('U' + c);
    }
  }
  const fg = color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  if (fg) out.push('f' + fg);
  const bg = color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  if (bg) out.push('g' + bg);
  return out.join(' ');
}

// row turns a buffer line into runs of equal style and width.
function row(line, next, cols) {
  const runs = [];
  let run = null;
  for (let x = 0; x < cols; x++) {
    const cell = line.getCell(x);
    if (!cell) break;
    const width = cell.getWidth();
    if (width === 0) continue; // the right half of a wide cell
    const text = cell.getChars() || ' ';
    const s = style(cell);
    if (!run || run.s !== s || run.w !== width) {
      run = { s, w: width, t: [] };
      runs.push(run);
    }
    run.t.push(text);
  }
  const out = { r: runs.map((r) => [r.s, r.w, r.t]) };
  if (next && next.isWrapped) out.wrap = true;
  return out;
}

function screen(term, label, above) {
  const b = term.buffer.active;
  const rows = (from, to) => {
    const out = [];
    for (let y = from; y < to; y++) out.push(row(b.getLine(y), b.getLine(y + 1), term.cols));
    return out;
  };
  const pending = b.cursorX >= term.cols;
  return {
    label, rows: term.rows, cols: term.cols,
    cursor: [b.cursorY, pending ? term.cols - 1 : b.cursorX],
    pending,
    visible: !term._core.coreService.isCursorHidden,
    alt: b.type === 'alternate',
    scrollback: b.baseY,
    above: rows(Math.max(0, b.baseY - above), b.baseY),
    grid: rows(b.baseY, b.baseY + term.rows),
  };
}

async function replay(job) {
  const term = new Terminal({
    rows: job.rows, cols: job.cols, scrollback: 10000, allowProposedApi: true,
    logLevel: 'off', reflowCursorLine: true,
  });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  const screens = [];
  for (const e of job.events) {
    switch (e[0]) {
      case 'o':
        await new Promise((done) => term.write(Buffer.from(e[1], 'base64'), done));
        break;
      case 'r':
        term.resize(e[2], e[1]);
        break;
      case 'm':
        screens.push(screen(term, e[1], job.above));
        break;
    }
  }
  term.dispose();
  return { screens };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await replay(JSON.parse(line))) + '\n');
  }
}

main();
