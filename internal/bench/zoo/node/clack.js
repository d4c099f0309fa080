// @clack/prompts, as npm create vite uses it: text, select, multiselect, a spinner, an outro.
import * as p from '@clack/prompts';

const sleep = ms => new Promise(r => setTimeout(r, ms));
const stop = v => { if (p.isCancel(v)) { p.cancel('Given up'); process.exit(1); } return v; };

p.intro('create-thing');
const name = stop(await p.text({message: 'Where?', placeholder: './thing', validate: v => v?.startsWith('.') ? undefined : 'Begin with a dot'}));
const kind = stop(await p.select({message: 'Which framework?', options: ['Vue', 'React', 'Svelte', 'Solid'].map(value => ({value}))}));
const tools = stop(await p.multiselect({message: 'Tools?', required: false, options: ['eslint', 'prettier', 'vitest'].map(value => ({value}))}));
const go = stop(await p.confirm({message: 'Install now?'}));
if (go) {
	const s = p.spinner();
	s.start('Installing');
	await sleep(2500);
	s.stop('Installed 42 packages');
}
p.outro(`${kind} in ${name} with ${tools.join('+') || 'nothing'}`);
