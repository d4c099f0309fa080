// Ink 6: a text field, a list, a spinner while it works, and what it says last.
import React, {useEffect, useState} from 'react';
import {render, Box, Text, Static, useApp} from 'ink';
import TextInput from 'ink-text-input';
import SelectInput from 'ink-select-input';
import Spinner from 'ink-spinner';

const h = React.createElement;
const items = ['red', 'green', 'blue', 'black', 'white'].map(c => ({label: c, value: c}));

function App() {
	const {exit} = useApp();
	const [name, setName] = useState('');
	const [step, setStep] = useState('name');
	const [said, setSaid] = useState([]);
	const say = line => setSaid(s => [...s, line]);
	useEffect(() => {
		if (step !== 'work') return;
		const t = setTimeout(() => { say('Painted the house.'); setStep('again'); }, 1500);
		return () => clearTimeout(t);
	}, [step]);
	return h(Box, {flexDirection: 'column'},
		h(Static, {items: said}, (s, i) => h(Text, {key: i}, s)),
		step === 'name' && h(Box, null, h(Text, null, 'Your name: '),
			h(TextInput, {value: name, onChange: setName, onSubmit: v => { say(`Hello, ${v}.`); setStep('color'); }})),
		step === 'color' && h(Box, {flexDirection: 'column'}, h(Text, null, 'Pick a color'),
			h(SelectInput, {items, onSelect: i => { say(`You took ${i.label}.`); setStep('work'); }})),
		step === 'work' && h(Text, null, h(Spinner), ' Painting'),
		step === 'again' && h(Box, {flexDirection: 'column'}, h(Text, null, 'Once more?'),
			h(SelectInput, {items: [{label: 'yes', value: 1}, {label: 'no', value: 0}],
				onSelect: i => { if (i.value) setStep('work'); else { say('Goodbye.'); setStep('end'); setTimeout(exit, 50); } }})));
}

render(h(App));
