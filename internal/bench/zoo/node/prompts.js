// prompts: text, number, select, multiselect, autocomplete, toggle.
import prompts from 'prompts';

const fruit = ['apple', 'banana', 'cherry', 'damson', 'elderberry', 'fig', 'grape'];
const a = await prompts([
	{type: 'text', name: 'who', message: 'Name?'},
	{type: 'number', name: 'age', message: 'Age?', validate: n => n < 18 ? 'Too young' : true},
	{type: 'select', name: 'color', message: 'Color?', choices: ['red', 'green', 'blue'].map(title => ({title, value: title}))},
	{type: 'autocomplete', name: 'fruit', message: 'Fruit?', choices: fruit.map(title => ({title}))},
	{type: 'toggle', name: 'ok', message: 'Go on?', initial: false, active: 'yes', inactive: 'no'},
]);
console.log(`${a.who} is ${a.age}, likes ${a.color} and ${a.fruit}: ${a.ok}`);
