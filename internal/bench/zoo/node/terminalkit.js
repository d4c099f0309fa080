// terminal-kit: a column menu, an input field with history, a progress bar.
import tk from 'terminal-kit';

const term = tk.terminal;
const sleep = ms => new Promise(r => setTimeout(r, ms));
const end = () => { term.grabInput(false); setTimeout(() => process.exit(0), 100); };
term.on('key', k => { if (k === 'CTRL_C') end(); });

term('Which way?\n');
const r = await term.singleColumnMenu(['north', 'east', 'south', 'west']).promise;
term(`\nYou go ${r.selectedText}.\n`);
term('How far? ');
const far = await term.inputField({}).promise;
term(`\nYou walk ${far} miles.\n`);
const bar = term.progressBar({width: 60, title: 'Walking', percent: true});
for (let i = 1; i <= 10; i++) { bar.update(i / 10); await sleep(100); }
await sleep(150);
term('\nYou are there. Again? [y|n] ');
const yes = await term.yesOrNo({yes: ['y'], no: ['n']}).promise;
term(yes ? '\nNo, rest now.\n' : '\nRest well.\n');
end();
