// @inquirer/prompts: input, select, checkbox, search, confirm.
import {input, select, checkbox, search, confirm} from '@inquirer/prompts';

const fruit = ['apple', 'banana', 'cherry', 'damson', 'elderberry', 'fig', 'grape'];
const sleep = ms => new Promise(r => setTimeout(r, ms));

const name = await input({message: 'Project name', validate: v => v.includes(' ') ? 'No blanks, please' : true});
const lang = await select({message: 'Language', choices: ['Go', 'Rust', 'Zig', 'C'].map(value => ({value}))});
const extras = await checkbox({message: 'Extras', choices: ['lint', 'test', 'docs'].map(value => ({value}))});
const found = await search({message: 'Favorite fruit', source: async term => {
	await sleep(60);
	return fruit.filter(f => f.includes(term ?? '')).map(value => ({value}));
}});
const ok = await confirm({message: 'Write it?'});
console.log(`${ok ? 'Wrote' : 'Left out'} ${name}: ${lang}, ${extras.join('+')}, ${found}`);
