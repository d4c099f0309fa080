//! The rows of the file $ROWS in a block.
use std::{env, error, fs, io, thread, time};
use tui::{backend::CrosstermBackend, widgets::{Block, Borders, Paragraph}, Terminal};

fn main() -> Result<(), Box<dyn error::Error>> {
    let rows = fs::read_to_string(env::var("ROWS")?)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    terminal.draw(|f| f.render_widget(Paragraph::new(rows.as_str()).block(Block::default().borders(Borders::ALL)), f.size()))?;
    thread::sleep(time::Duration::from_secs(60));
    Ok(())
}
