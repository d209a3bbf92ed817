import type { ChildProcess, Processes } from '../../ports/processes.js';
import type { Desktop, DesktopNote } from '../../ports/desktop.js';
import { ToolFailure } from '../../core/index.js';

export interface DesktopParts {
  readonly processes: Processes;
  readonly platform: NodeJS.Platform;
  /** The full environment of the program, which needs the session bus and the display. */
  readonly env: Readonly<Record<string, string>>;
  /** Finds a program that is not part of the project. */
  readonly findProgram: (name: string) => string | undefined;
}

/** The same limit as AWF: a hung notification server must not block the workflow. */
const longestMs = 5000;
const longestOutput = 4096;
const urgencies = { low: 'low', default: 'normal', high: 'critical' } as const;
const script = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

export function createDesktop({ processes, platform, env, findProgram }: DesktopParts): Desktop {
  return {
    async show(note, signal) {
      const name = platform === 'linux' ? 'notify-send' : platform === 'darwin' ? 'osascript' : undefined;
      if (name === undefined)
        throw new ToolFailure('unsupported', `Desktop notifications need Linux or macOS, not ${platform}.`);
      const command = findProgram(name);
      if (command === undefined)
        throw new ToolFailure('unsupported', `Desktop notifications need ${name}, which is not on PATH.`);
      const args = platform === 'linux' ? linuxArguments(note) : darwinArguments(note);
      const order = { owner: 'notify.send', command, args, cwd: '/', env, input: 'none' } as const;
      const printed = await outputOf(await processes.start(order), name, signal);
      return printed === '' ? `notification sent via ${platform}` : printed;
    },
  };
}

function linuxArguments({ title, message, priority }: DesktopNote): readonly string[] {
  return [`--urgency=${urgencies[priority]}`, '--', withoutNul(title), withoutNul(message)];
}

/** The texts are arguments of the script, never part of its code. */
function darwinArguments({ title, message }: DesktopNote): readonly string[] {
  return [...script.flatMap((line) => ['-e', line]), '--', withoutNul(title), withoutNul(message)];
}

/** An argument ends at a NUL character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

async function outputOf(child: ChildProcess, name: string, signal: AbortSignal): Promise<string> {
  let text = '';
  const add = (chunk: Uint8Array): void => {
    if (text.length < longestOutput) text += Buffer.from(chunk).toString('utf8').slice(0, longestOutput);
  };
  child.onOutput(add);
  child.onErrorOutput(add);
  const ended = new Promise<number | null>((resolve) => child.onExit(({ code }) => resolve(code)));
  const late = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  const stopped = new Promise<'stopped'>((resolve) =>
    late.addEventListener('abort', () => resolve('stopped'), { once: true }),
  );
  const code = await Promise.race([ended, stopped]);
  await child.close();
  signal.throwIfAborted();
  if (code === 'stopped')
    throw new ToolFailure('timeout', `${name} did not finish within ${String(longestMs / 1000)} s.`);
  if (code !== 0)
    throw new ToolFailure('external', `${name} failed: ${text.trim() || `status ${String(code)}`}`);
  return text.trim();
}
