// ora: three pieces of work of which each spins for a while, then a question.
import ora from 'ora';
import readline from 'node:readline/promises';

const sleep = ms => new Promise(r => setTimeout(r, ms));
const rl = readline.createInterface({input: process.stdin, output: process.stdout});
for (;;) {
	const what = await rl.question('What shall be built? ');
	if (what === 'nothing') break;
	const spin = ora({text: `Building ${what}`, discardStdin: false}).start();
	await sleep(1800);
	spin.text = `Linking ${what}`;
	await sleep(1200);
	if (what === 'castle') spin.fail(`No stones for a ${what}`);
	else spin.succeed(`Built ${what}`);
}
rl.close();
console.log('Nothing left to build.');
