// blessed: a list, a text box and a log on the alternate screen.
import blessed from 'blessed';

const screen = blessed.screen({smartCSR: true, title: 'zoo'});
const list = blessed.list({parent: screen, label: ' Animals ', top: 0, left: 0, width: '50%', height: 10, border: 'line',
	keys: true, vi: true, items: ['ant', 'bear', 'cat', 'dog', 'eel'], style: {selected: {inverse: true}}});
const log = blessed.log({parent: screen, label: ' Log ', top: 0, left: '50%', width: '50%', height: 10, border: 'line'});
const box = blessed.textbox({parent: screen, label: ' Name ', top: 10, left: 0, width: '50%', height: 3, border: 'line', inputOnFocus: true});
blessed.text({parent: screen, top: 14, left: 0, content: 'enter: choose  n: name  w: work  q: leave'});
list.on('select', item => { log.log(`chose ${item.getText()}`); screen.render(); });
list.key('n', () => { box.clearValue(); box.focus(); screen.render(); });
box.on('submit', v => { log.log(`named ${v}`); box.clearValue(); list.focus(); screen.render(); });
list.key('w', () => {
	log.log('working'); screen.render();
	setTimeout(() => { log.log('worked for a while'); screen.render(); }, 600);
});
list.key(['q', 'C-c'], () => { screen.destroy(); console.log('Left the animals.'); process.exit(0); });
list.focus();
screen.render();
