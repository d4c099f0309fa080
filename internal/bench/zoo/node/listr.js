// listr2: a list of tasks that are drawn anew while they run, one of which asks.
import {Listr} from 'listr2';

const sleep = ms => new Promise(r => setTimeout(r, ms));
await new Listr([
	{title: 'Fetch', task: async (_, t) => { await sleep(700); t.title = 'Fetched 3 files'; }},
	{title: 'Compile', task: async (_, t) => {
		for (let i = 1; i <= 8; i++) { t.output = `file ${i} of 8`; await sleep(150); }
		t.title = 'Compiled 8 files';
	}},
	{title: 'Test', task: async (_, t) => { await sleep(1500); t.title = 'Tested, 12 passed'; }},
]).run();
console.log('All is built.');
