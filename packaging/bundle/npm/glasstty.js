#!/usr/bin/env node
// Starts the glasstty program of the package for this platform.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const platforms = Object.keys(require("./package.json").optionalDependencies);
const platform = `@glasstty/${process.platform}-${process.arch}`;

function fail(text) {
  console.error(`glasstty: ${text}`);
  process.exit(1);
}

function find() {
  if (process.platform === "win32") {
    fail("Windows is not supported; install and run glasstty inside WSL");
  }
  if (!platforms.includes(platform)) {
    fail(`${process.platform} on ${process.arch} is not supported; the platforms are ${platforms.join(", ")}`);
  }
  try {
    return require.resolve(`${platform}/bin/glasstty`);
  } catch {
    fail(`the package ${platform} is missing; install again with optional dependencies: npm install --include=optional`);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (err) => fail(err.message));

// Signals are forwarded to the program. A terminal sends SIGINT and SIGQUIT to the program
// itself, so they are then not forwarded, and this process waits until the program has ended.
for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => child.kill(signal));
}
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {
    if (!process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
