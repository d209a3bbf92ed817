import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { StepOf } from '../../grammar/workflow.js';
import { createReader, type Frame, type Place } from '../frame.js';
import { type Done, StepFailure } from '../result.js';
import { runShell, type ShellOrder } from '../shell.js';
import { requireTrusted } from '../still-trusted.js';
import { textOf } from './text-of.js';

export async function runCommand(step: StepOf<'command'>, frame: Frame, place: Place): Promise<Done> {
  const { parts } = frame;
  const { dir, command, script_file: scriptFile } = step.own;
  const { capture = {} } = step.common;
  const reader = createReader(frame, step.name, place.loop);
  const script =
    scriptFile === undefined
      ? undefined
      : readScript(step, reader.text(scriptFile), frame, (text) => reader.text(text));
  // Check again: the content that was just read must be trusted.
  if (script !== undefined) await requireTrusted(frame);
  const order: ShellOrder = {
    owner: `step ${place.path}`,
    command: script?.text ?? reader.text(command ?? ''),
    ...(script?.program !== undefined && { program: script.program }),
    ...(dir !== undefined && { dir: resolve(parts.library.cwd, reader.text(dir)) }),
    ...(capture.max_size !== undefined && { maxBytes: capture.max_size }),
    ...(capture.encoding !== undefined && { encoding: capture.encoding }),
    onOutput: (stream, text) => parts.onEvent({ kind: 'output', path: place.path, stream, text }),
  };
  try {
    const { exitCode, stdout, stderr } = await runShell(order, frame, place.signal);
    const response = {
      ...(capture.stdout !== undefined && { [capture.stdout]: stdout }),
      ...(capture.stderr !== undefined && { [capture.stderr]: stderr }),
    };
    const done: Done = { output: stdout, stderr, exitCode, response };
    if (exitCode === 0) return done;
    const last = stderr.trim().split('\n').at(-1) ?? '';
    const message = `The command exited with status ${String(exitCode)}${last === '' ? '.' : `: ${last.slice(0, 300)}`}`;
    throw new StepFailure('EXECUTION.COMMAND.FAILED', message, done);
  } finally {
    if (script?.program !== undefined) rmSync(script.program, { force: true });
  }
}

interface Script {
  readonly text: string;
  readonly program?: string;
}

/** A script with a `#!` line runs as a program; any other runs in the shell. */
function readScript(
  step: StepOf<'command'>,
  name: string,
  frame: Frame,
  fill: (text: string) => string,
): Script {
  const { library, folder } = frame.parts;
  const file = library.lookup('scripts', name, step.source.file);
  if (file === undefined)
    throw new StepFailure('USER.INPUT.MISSING_FILE', `There is no script ${JSON.stringify(name)}.`);
  const text = fill(textOf(library, file));
  if (!text.startsWith('#!')) return { text };
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const program = join(temporary, `script-${String(frame.nextChild())}`);
  writeFileSync(program, text, { mode: 0o700 });
  chmodSync(program, 0o700);
  return { text, program };
}
