"""click: prompts with a choice and a hidden one, a progress bar, a pager's text."""

import time

import click

name = click.prompt("User")
level = click.prompt("Level", type=click.Choice(["low", "high"]), default="low")
click.prompt("Password", hide_input=True, confirmation_prompt=True)
with click.progressbar(range(20), label="Creating") as bar:
    for _ in bar:
        time.sleep(0.05)
click.echo(f"{name} has level {level}")
if click.confirm("Send a mail?"):
    time.sleep(1)
    click.secho("Sent.", fg="green")
