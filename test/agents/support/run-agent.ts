import { spawn } from 'node:child_process';
import { type ModelRequest, type ModelScript, openScriptedModel } from 'tidegate/testing';
import { type AgentPlace, openAgentPlace } from './agent-place.js';
import type { Recipe, Start } from './recipes/recipe.js';

type Json = Readonly<Record<string, unknown>>;

export interface AgentRun {
  /** Undefined if it had to be killed. */
  readonly status: number | undefined;
  /** Its JSON output, line by line; other lines are left out. */
  readonly events: readonly Json[];
  readonly stderr: string;
  readonly requests: readonly ModelRequest[];
  /** Other hosts it tried to reach. OpenCode cannot be observed, because with a proxy it cannot reach loopback either. */
  readonly tunnels: readonly string[];
  readonly sentToServer: readonly Json[];
  readonly files: readonly string[];
  readonly serverName: string;
  readonly ms: number;
}

const limitMs = 90_000;

/** Runs a real agent until it exits, in its own workspace, with a model that follows the script. */
export async function runAgent(
  recipe: Recipe,
  { script, isIsolated }: { readonly script: ModelScript; readonly isIsolated: boolean },
): Promise<AgentRun> {
  const place = openAgentPlace();
  const model = await openScriptedModel(script);
  try {
    const started = performance.now();
    const { command, env } = recipe.start({ place, model, isIsolated });
    const proxy = { HTTPS_PROXY: model.origin, NO_PROXY: '127.0.0.1,localhost' };
    const watched = recipe.agent === 'opencode' ? env : { ...env, ...proxy };
    const ended = await runToEnd({ command, env: watched }, place);
    return {
      ...ended,
      requests: model.requests,
      tunnels: model.tunnels,
      sentToServer: place.sentToServer(),
      files: place.files(),
      serverName: place.serverName,
      ms: performance.now() - started,
    };
  } finally {
    await model.close();
    place.close();
  }
}

/** The agent has its own process group, which is killed with it, because some agents leave their servers running. */
async function runToEnd(
  { command, env }: Start,
  { workspace }: AgentPlace,
): Promise<Pick<AgentRun, 'status' | 'events' | 'stderr'>> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: workspace,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  // An agent that rejects its flags never reads its prompt.
  child.stdin.on('error', () => undefined).end('Do as the script says.\n');
  const timer = setTimeout(() => endGroup(child.pid), limitMs);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  }).finally(() => {
    clearTimeout(timer);
    endGroup(child.pid);
  });
  return { status: status ?? undefined, events: stdout.split('\n').flatMap(eventIn), stderr };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}

function eventIn(line: string): readonly Json[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? [value as Json] : [];
  } catch {
    return [];
  }
}
