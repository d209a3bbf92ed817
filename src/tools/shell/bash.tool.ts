import { z } from 'zod';
import type { ShellResult } from '../../ports/shell.js';
import { defineTool } from '../../tool/index.js';
import { outputFields } from './output-fields.js';
import {
  endData,
  endLine,
  fileLines,
  outputData,
  outputLines,
  type Reach,
  reachData,
  reachText,
  tamperingData,
  tamperingLines,
} from './result-text.js';

const description = `Runs a shell command in the workspace and returns its output.

- Each call runs in a new shell (bash -c): variables and cd do not carry over; files do. Use cwd instead of cd.
- There is no stdin and no terminal, so prompts get no answer. Pass flags such as -y or -m.
- A command that fails or times out still returns its output; check the exit code. Up to 30000 characters are returned, the start and the end; the full output is in output_file, which Read can page through.
- When the call ends, all processes it started are stopped, even with "&" or nohup. For servers and watchers, set run_in_background, then use BashOutput and KillBash.
- In the sandbox, only the workspace, /tmp and the folders listed as writable in the result can be written. /tmp is private: its files persist between commands of a session (unless the workspace is below /tmp) and are invisible outside. The network is open; Unix sockets are not.
- Read-only: the rest of the disk, including the home directory, and workspace files that make other programs run commands: git hooks and config (git config, git remote add and git submodule add fail; status, add, commit, branch, checkout and stash work), .tidegate, agent and editor configuration. Do not work around this: ask the operator. If such files still appear or change, the result lists them. With sandbox: none, commands are not restricted.
- For files, use Read, Edit, Write, Glob and Grep, not cat, sed, echo, find and grep.`;

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;

export default defineTool({
  name: 'Bash',
  title: 'Run a command',
  description,
  effect: 'execute',
  needs: ['shell'],
  input: z.object({
    command: z.string().min(1).describe('Command for bash -c.'),
    cwd: z
      .string()
      .min(1)
      .optional()
      .describe('Directory to run in, inside the workspace. Default: the first workspace root.'),
    timeout: z
      .int()
      .min(1)
      .max(maxTimeoutMs)
      .optional()
      .describe(`Timeout in milliseconds. Default: ${defaultTimeoutMs}. Ignored for background commands.`),
    timeout_seconds: z
      .number()
      .min(0.001)
      .max(maxTimeoutMs / 1000)
      .optional()
      .describe('Timeout in seconds, used if timeout is not set.'),
    description: z.string().optional().describe('What the command does, in a few words, for the user.'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Return a background_id at once and keep the command running.'),
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
    timed_out: z.boolean().describe('Whether the command timed out.'),
    exceeded_limit: z.string().optional().describe('The limit that stopped the command.'),
    background_id: z
      .string()
      .optional()
      .describe('Id of the background command, for BashOutput and KillBash.'),
    ended_processes: z.int().optional().describe('Processes the command left running, which were stopped.'),
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

function started(start: Reach & { readonly id: string }) {
  const { id, sandbox, cwd } = start;
  const nothing = { stdout: '', stderr: '', truncated: false, duration_ms: 0, timed_out: false };
  const text = [
    `The command is running in the background as ${id}. Read its output with BashOutput.`,
    reachText(start),
  ];
  return {
    data: { ...nothing, background_id: id, sandbox, ...reachData(start), cwd },
    text: text.join('\n'),
  };
}

function finished(result: ShellResult) {
  const { durationMs, timedOut, breach, leftovers, sandbox, cwd } = result;
  const data = {
    ...outputData(result),
    ...endData(result),
    timed_out: timedOut,
    ...(breach !== undefined && { exceeded_limit: breach }),
    duration_ms: durationMs,
    sandbox,
    ...reachData(result),
    cwd,
    ...(leftovers > 0 && { ended_processes: leftovers }),
    ...tamperingData(result),
  };
  const lines = [
    ...(timedOut
      ? [`Timed out after ${durationMs} ms; the command and all processes it started were stopped.`]
      : []),
    ...(breach === undefined ? [] : [breach]),
    ...endLine(result),
    ...outputLines(result),
    ...fileLines(result),
    ...(leftovers > 0 ? [`${leftovers} processes left running were stopped.`] : []),
    ...(result.hasSurvivors ? ['A process it started could not be stopped and may still be running.'] : []),
    ...tamperingLines(result),
    `[${durationMs} ms · ${reachText(result)}]`,
  ];
  return { data, text: lines.join('\n') };
}
