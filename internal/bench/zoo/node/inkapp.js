// Ink 6 as a coding agent's screen: a box to write in below the talk, a line of
// status that ticks while the answer comes, bit by bit.
import React, {useEffect, useState} from 'react';
import {render, Box, Text, Static, useApp, useInput} from 'ink';
import Spinner from 'ink-spinner';

const h = React.createElement;

function App() {
	const {exit} = useApp();
	const [text, setText] = useState('');
	const [talk, setTalk] = useState([]);
	const [answer, setAnswer] = useState(null);
	const [secs, setSecs] = useState(0);
	useInput((input, key) => {
		if (answer !== null) return;
		if (key.return) {
			if (text === '/quit') { exit(); return; }
			setTalk(t => [...t, `> ${text}`]);
			setText(''); setSecs(0);
			setAnswer(`You said ${text}, which has ${text.length} letters.`.split(' '));
		} else if (key.backspace || key.delete) setText(t => t.slice(0, -1));
		else setText(t => t + input);
	});
	const [shown, setShown] = useState(0);
	useEffect(() => {
		if (answer === null) return;
		if (shown >= answer.length) {
			setTalk(t => [...t, answer.join(' ')]);
			setAnswer(null); setShown(0);
			return;
		}
		const t = setTimeout(() => setShown(n => n + 1), shown === 0 ? 1200 : 150);
		return () => clearTimeout(t);
	}, [answer, shown]);
	useEffect(() => {
		if (answer === null) return;
		const t = setInterval(() => setSecs(s => s + 1), 1000);
		return () => clearInterval(t);
	}, [answer === null]);
	return h(Box, {flexDirection: 'column'},
		h(Static, {items: talk}, (s, i) => h(Text, {key: i}, s)),
		answer && h(Text, null, answer.slice(0, shown).join(' ')),
		answer && h(Text, {dimColor: true}, h(Spinner), ` Thinking (${secs} s)`),
		h(Box, {borderStyle: 'round', width: 60}, h(Text, null, '> ', text || h(Text, {dimColor: true}, 'Type a message'))),
		h(Text, {dimColor: true}, answer ? 'esc to interrupt' : '/quit to leave'));
}

render(h(App));
