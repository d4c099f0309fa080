// Does what a script of words says; see script.go.
const fs = require('fs');

function put(s) { fs.writeSync(1, s); }
function block(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); }
function spin(ms) { const end = Date.now() + ms; while (Date.now() < end); }

function quick(o, a) {
  if (o === 'l') put('<' + a + '>\n');
  else if (o === 'h') put(Buffer.from(a, 'hex').toString());
  else if (o === 'x') spin(+a);
  else if (o === 'n') { let s = ''; for (let i = 1; i <= +a; i++) s += '<' + i + '>\n'; put(s); }
}

exports.e = text => {
  for (const w of text.split(' ')) {
    const o = w[0], a = w.slice(1);
    if (o === 's') block(+a);
    else if (o === 'b') { const [n, ms] = a.split('x'); for (let i = 1; i <= +n; i++) { put('<' + i + '>\n'); block(+ms); } }
    else quick(o, a);
  }
};

const wait = ms => new Promise(done => setTimeout(done, ms));
exports.ea = async text => {
  for (const w of text.split(' ')) {
    const o = w[0], a = w.slice(1);
    if (o === 's') await wait(+a);
    else if (o === 'b') { const [n, ms] = a.split('x'); for (let i = 1; i <= +n; i++) { put('<' + i + '>\n'); await wait(+ms); } }
    else quick(o, a);
  }
};
