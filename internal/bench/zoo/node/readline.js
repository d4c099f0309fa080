// node's own readline: questions whose answers come late.
import readline from 'node:readline/promises';

const sleep = ms => new Promise(r => setTimeout(r, ms));
const rl = readline.createInterface({input: process.stdin, output: process.stdout});
let sum = 0;
for (;;) {
	const n = await rl.question('number> ');
	if (n === '') break;
	await sleep(400);
	sum += Number(n);
	console.log(`the sum is ${sum}`);
}
console.log(`in all ${sum}`);
rl.close();
