import { AgentFailure } from './agent.js';
import type { ProcessPlace } from './cli-parts.js';
import { mergedEnvironment } from './start-cli.js';

const longestAnswer = 32 * 1024 * 1024;
const longestWaitMs = 30_000;

/** Runs a program and returns its standard output. Throws if it fails. */
export async function askProgram(
  program: string,
  args: readonly string[],
  { processes, cwd, env, signal }: ProcessPlace & { readonly signal: AbortSignal },
): Promise<string> {
  const child = await processes.start({
    owner: 'agent',
    command: program,
    args,
    cwd,
    env: mergedEnvironment(env, {}),
    input: 'none',
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  const ended = new Promise<number | null>((resolve) => child.onExit(({ code }) => resolve(code)));
  child.onErrorOutput(() => undefined);
  child.onOutput((chunk) => {
    size += chunk.length;
    if (size <= longestAnswer) chunks.push(chunk);
  });
  const stop = (): void => void child.close();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, longestWaitMs);
  const code = await ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  await child.close();
  if (code === 0 && size <= longestAnswer) return Buffer.concat(chunks).toString('utf8');
  const message = `${program} ${args.join(' ')} failed (exit code ${String(code)}).`;
  throw new AgentFailure('EXECUTION.AGENT.FAILED', message);
}
