// enquirer: input, select, multiselect, autocomplete, confirm.
import enquirer from 'enquirer';

const fruit = ['apple', 'banana', 'cherry', 'damson', 'elderberry', 'fig', 'grape'];
const a = await enquirer.prompt([
	{type: 'input', name: 'user', message: 'User name'},
	{type: 'select', name: 'size', message: 'Size', choices: ['small', 'medium', 'large']},
	{type: 'multiselect', name: 'days', message: 'Days', choices: ['Monday', 'Tuesday', 'Wednesday']},
	{type: 'autocomplete', name: 'fruit', message: 'Fruit', limit: 4, choices: fruit},
	{type: 'confirm', name: 'sure', message: 'Sure?'},
]);
console.log(`${a.user} takes ${a.size}, ${a.days.join('+')}, ${a.fruit}: ${a.sure}`);
