// Answers lines in an event loop and shows no prompt: only what the loop waits for
// tells whether an answer is over. With the argument raw it edits its input itself.
const {ea} = require('./emit.js');
const raw = process.argv[2] === 'raw';
let line = '', last = Promise.resolve();

if (raw) process.stdin.setRawMode(true);
process.stdin.on('data', data => {
  for (const c of data.toString()) {
    if (c === '\x03') process.exit();
    if (raw) process.stdout.write(c === '\r' ? '\r\n' : c);
    if (c !== '\r' && c !== '\n') { line += c; continue; }
    const text = line;
    line = '';
    last = last.then(() => ea(text));
  }
});
