'use strict';
// Measures how long @xterm/headless takes for a file: node speed.js FILE PIECE
// prints milliseconds.

const fs = require('fs');
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

const WINDOW = 1 << 20; // bytes on their way before the terminal is waited for

async function main(file, piece) {
  const data = fs.readFileSync(file);
  const term = new Terminal({ rows: 24, cols: 80, scrollback: 10000, allowProposedApi: true, logLevel: 'off' });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  const start = process.hrtime.bigint();
  let since = 0;
  for (let at = 0; at < data.length; at += piece) {
    const part = data.subarray(at, at + piece);
    since += part.length;
    if (since < WINDOW && at + piece < data.length) {
      term.write(part);
      continue;
    }
    since = 0;
    await new Promise((done) => term.write(part, done));
  }
  console.log(Number(process.hrtime.bigint() - start) / 1e6);
}

main(process.argv[2], Number(process.argv[3]));
