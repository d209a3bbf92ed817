import { z } from 'zod';
import type { ShellResult } from '../../kernel/shell-port.js';
import { defineTool } from '../../tool/index.js';
import { outputFields } from './output-fields.js';
import {
  createdData,
  createdLines,
  endData,
  endLine,
  fileLines,
  outputData,
  outputLines,
} from './result-text.js';

const description = `Runs a shell command in the workspace and returns its output.

- Each call is a shell of its own (bash -c): variables and cd do not carry over; files do. Give cwd instead of cd.
- There is no input and no terminal: a command that asks gets no answer. Pass flags such as -y or -m.
- A command that fails or times out still returns its output; look at the exit code. Up to 30000 characters are returned, the beginning and the end; the rest is in output_file, which Read can page through.
- When the call ends, everything that the command started is ended too, also after "&" or nohup. For servers and watchers set run_in_background, then use BashOutput and KillBash.
- In the sandbox only the workspace and /tmp can be written; git hooks, git config and agent configurations cannot.
- Use Read, Edit, Write, Glob and Grep for files, rather than cat, sed, echo, find and grep.`;

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;

export default defineTool({
  name: 'Bash',
  title: 'Run a command',
  description,
  effect: 'execute',
  needs: ['shell'],
  input: z.object({
    command: z.string().min(1).describe('The command, as for bash -c.'),
    cwd: z
      .string()
      .min(1)
      .optional()
      .describe('The directory to run in, within the workspace. Left out: the first workspace root.'),
    timeout: z
      .int()
      .min(1)
      .max(maxTimeoutMs)
      .optional()
      .describe(
        `Milliseconds until the command is ended, ${defaultTimeoutMs} if left out. Not for the background.`,
      ),
    timeout_seconds: z
      .number()
      .min(0.001)
      .max(maxTimeoutMs / 1000)
      .optional()
      .describe('The same in seconds, for callers that know this name. timeout wins.'),
    description: z
      .string()
      .optional()
      .describe('What the command does, in a few words, for whoever watches.'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('True to return at once with a background_id while the command goes on.'),
  }),
  aliases: {
    command: ['cmd', 'script'],
    cwd: ['workdir', 'working_directory', 'workingDirectory', 'directory', 'dir_path'],
    timeout: ['timeout_ms', 'timeoutMs'],
    timeout_seconds: ['timeoutSeconds'],
    run_in_background: ['runInBackground', 'is_background', 'background'],
  },
  output: z.object({
    ...outputFields,
    timed_out: z.boolean().describe('Whether the command was ended because its time was over.'),
    background_id: z
      .string()
      .optional()
      .describe('For BashOutput and KillBash, when the command goes on in the background.'),
    ended_processes: z
      .int()
      .optional()
      .describe('How many processes the command left running. They were ended.'),
  }),
  async run(input, { exchange, ports }) {
    const { command, cwd } = input;
    const where = cwd === undefined ? {} : { cwd };
    if (input.run_in_background === true) return started(await ports.shell.start({ command, ...where }));
    const inSeconds = input.timeout_seconds === undefined ? undefined : input.timeout_seconds * 1000;
    const timeoutMs = input.timeout ?? inSeconds ?? defaultTimeoutMs;
    return finished(await ports.shell.run({ command, ...where, timeoutMs }, exchange));
  },
});

type Sandbox = ShellResult['sandbox'];

function started({
  id,
  sandbox,
  cwd,
}: {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly cwd: string;
}) {
  const nothing = { stdout: '', stderr: '', truncated: false, duration_ms: 0, timed_out: false };
  const text = [
    `The command runs in the background as ${id}: see its output with BashOutput.`,
    where(sandbox, cwd),
  ];
  return { data: { ...nothing, background_id: id, sandbox, cwd }, text: text.join('\n') };
}

function finished(result: ShellResult) {
  const { durationMs, timedOut, leftovers, sandbox, cwd } = result;
  const data = {
    ...outputData(result),
    ...endData(result),
    timed_out: timedOut,
    duration_ms: durationMs,
    sandbox,
    cwd,
    ...(leftovers > 0 && { ended_processes: leftovers }),
    ...createdData(result.createdPaths),
  };
  const lines = [
    ...(timedOut
      ? [`Timed out after ${durationMs} ms; the command and all that it started were ended.`]
      : []),
    ...endLine(result),
    ...outputLines(result),
    ...fileLines(result),
    ...(leftovers > 0 ? [`${leftovers} processes that it left running were ended.`] : []),
    ...(result.hasSurvivors ? ['Something that it started could not be ended and may still run.'] : []),
    ...createdLines(result.createdPaths),
    `[${durationMs} ms · ${where(sandbox, cwd)}]`,
  ];
  return { data, text: lines.join('\n') };
}

function where(sandbox: Sandbox, cwd: string): string {
  return `sandbox: ${sandbox} · cwd: ${cwd}`;
}
