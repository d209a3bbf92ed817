import { createLineRedactor } from '../../concerns/log/index.js';
import type { Log, Provider } from '../../kernel/index.js';
import { openFileMemory, type UpstreamMemory } from '../../providers/mcp/index.js';
import { estimateTokens } from '../../surface/index.js';
import { openLateProcesses } from '../late-processes.js';
import type { Located } from '../locate-config.js';
import { openLogins } from '../login-files.js';
import { createServerProviders } from '../server-providers.js';
import { commandLine, shellWord } from '../../access/desk/shell-word.js';
import type { Config, ServerConfig } from '../../config/index.js';
import type { Check, Finding } from './check.js';
import { inTurns } from './in-turns.js';
import type { Scene } from './scene.js';

/** A server that takes longer to start is too slow for the first list of any agent. */
const startMs = 20_000;
const atOnce = 3;
/** With many slow ones, those that come last are not looked at. */
const allMs = 100_000;
const wholeMs = 125_000;

export const serverChecks: readonly Check[] = [
  {
    id: 'servers',
    group: 'servers',
    title: 'Servers',
    why: 'A server that does not start or list gives agents no tools, and each tool that it lists costs tokens.',
    remedy: 'Run the command of the server by hand; its last words stand beside it.',
    limitMs: wholeMs,
    run: (scene) => serverFindings(scene),
  },
];

async function serverFindings(scene: Scene): Promise<readonly Finding[]> {
  const located = await scene.located();
  if (located?.file === undefined) return [{ state: 'skipped', detail: 'there is no configuration' }];
  if (located.problems.some(({ severity }) => severity === 'error'))
    return [{ state: 'skipped', detail: 'the configuration has errors' }];
  if (located.config.servers.length === 0)
    return [{ state: 'note', detail: 'none is configured', next: commandLine('import') }];
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read, so nothing is trusted' }];
  return examineServers(scene, located);
}

/** Starts the trusted ones for a moment, a few at once; whatever happens, none of them is left. */
async function examineServers(scene: Scene, { config, isTrusted }: Located): Promise<readonly Finding[]> {
  const lastWords = new Map<string, string[]>();
  const log: Log = (_level, message, fields) => {
    if (message === 'server stderr') keepWords(lastWords, fields);
  };
  const processes = openLateProcesses({ stateDir: scene.home, log: () => undefined });
  const kept = openFileMemory(scene.home);
  // What is remembered would be an answer without a start.
  const memory: UpstreamMemory = { read: () => undefined, write: (key, value) => kept.write(key, value) };
  const { env, version, signal } = scene;
  const servers = createServerProviders({
    env,
    processes,
    memory,
    version,
    log,
    logins: openLogins(scene.home),
    givesLinks: false,
  });
  servers.apply(config, isTrusted);
  const all = servers.current();
  try {
    const byHand = new Map(config.servers.map((server) => [server.name, nextOf(server)]));
    const end = performance.now() + allMs;
    const found = await inTurns(all, atOnce, (provider) =>
      signal.aborted || performance.now() > end
        ? Promise.resolve(notLookedAt(provider, signal))
        : examineServer(provider, { signal, lastWords, next: byHand.get(provider.id) ?? '' }),
    );
    return [...found, ...clashFindings(all), ...togetherFinding(all, config.surface)];
  } finally {
    await Promise.all(all.map((provider) => provider.close().catch(() => undefined)));
    await processes.close();
  }
}

const mostWords = 5;

function keepWords(lastWords: Map<string, string[]>, fields: Readonly<Record<string, unknown>> = {}): void {
  const { server, line } = fields;
  if (typeof server !== 'string' || typeof line !== 'string') return;
  lastWords.set(server, [...(lastWords.get(server) ?? []), createLineRedactor()(line)].slice(-mostWords));
}

interface Watching {
  readonly signal: AbortSignal;
  readonly lastWords: ReadonlyMap<string, readonly string[]>;
  /** What to do when it fails. */
  readonly next: string;
}

/** Arguments and addresses may hold secrets: only what is none of them is repeated. */
function nextOf(server: ServerConfig): string {
  const again = `tidegate doctor --only servers`;
  if (server.kind === 'stdio')
    return `run ${shellWord(server.command)} by hand as tidegate.yaml says, then: ${again}`;
  const { origin } = new URL(server.url);
  return `look whether it runs at ${origin}, then: ${again}`;
}

async function examineServer(provider: Provider, { signal, lastWords, next }: Watching): Promise<Finding> {
  const about = provider.id;
  const before: string = provider.status().state;
  if (before === 'disabled') return { state: 'skipped', about, detail: 'switched off in the configuration' };
  if (before === 'untrusted')
    return {
      state: 'skipped',
      about,
      detail: 'not started: its file is not trusted',
      next: 'tidegate trust',
    };
  const begun = performance.now();
  await settled(provider, signal);
  const ms = Math.round(performance.now() - begun);
  const { state, detail, protocolVersion } = provider.status();
  if (signal.aborted) return notLookedAt(provider, signal);
  if (state === 'ready' || state === 'idle') return listed(provider, ms, protocolVersion);
  const words = lastWords.get(about) ?? [];
  const facts = { state, ms, ...(detail !== undefined && { detail }) };
  if (/login|auth/.test(state))
    return { state: 'warn', about, detail: 'it wants a login', next: commandLine('login', about), facts };
  const why = state === 'pending' ? `no list within ${String(startMs / 1000)} s` : (detail ?? state);
  const more = words.filter((line) => !why.includes(line));
  return { state: 'fail', about, detail: why, more, next, facts };
}

function notLookedAt({ id }: Provider, { aborted }: AbortSignal): Finding {
  const next = `tidegate servers ${id}`;
  if (aborted) return { state: 'skipped', about: id, detail: 'interrupted' };
  return { state: 'warn', about: id, detail: 'not looked at: others took all the time', next };
}

/** Resolves when it has listed, has failed, has had its time, or nobody waits any more. */
async function settled(provider: Provider, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, startMs);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    AbortSignal.any([signal, over.signal]).addEventListener('abort', stop, { once: true });
  });
  await Promise.race([provider.ready().catch(() => undefined), late]);
  over.abort();
}

const dearTokens = 10_000;
const slowMs = 5000;

function listed(provider: Provider, ms: number, protocolVersion: string | undefined): Finding {
  const { tools } = provider.list();
  const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
  const about = provider.id;
  const facts = { tools: tools.length, tokens, ms, protocolVersion };
  const count = `${String(tools.length)} ${tools.length === 1 ? 'tool' : 'tools'}`;
  const took = ms < 1000 ? `${String(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  const detail = `${count}, about ${tokens.toLocaleString('en-US')} tokens, in ${took}`;
  if (tools.length === 0)
    return {
      state: 'warn',
      about,
      detail: `it lists no tools (${took})`,
      facts,
      next: `tidegate servers ${about}`,
    };
  if (ms > slowMs)
    return { state: 'warn', about, detail: `${detail}: slow to start`, facts, next: 'tidegate tools cost' };
  if (tokens > dearTokens)
    return { state: 'note', about, detail, facts, next: `tidegate tools cost --server ${about}` };
  return { state: 'ok', about, detail, facts };
}

/** Of two with the same name of a tool, the later one is left out whole. */
function clashFindings(providers: readonly Provider[]): readonly Finding[] {
  const owner = new Map<string, string>();
  const told = new Set<string>();
  return providers.flatMap((provider) =>
    provider.list().tools.flatMap(({ name }): readonly Finding[] => {
      const { id } = provider;
      const first = owner.get(name) ?? id;
      owner.set(name, first);
      if (first === id || told.has(id)) return [];
      told.add(id);
      const detail = `left out whole: ${first} offers "${name}" too`;
      return [{ state: 'fail', about: id, detail, next: `set servers.${id}.prefix in tidegate.yaml` }];
    }),
  );
}

/** What an agent would carry in every request if everything were listed. */
function togetherFinding(providers: readonly Provider[], surface: Config['surface']): readonly Finding[] {
  const tools = providers.flatMap((provider) => provider.list().tools);
  const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
  if (tools.length === 0 || providers.length < 2) return [];
  const sum = `${String(tools.length)} tools, about ${tokens.toLocaleString('en-US')} tokens`;
  const isMuch = tokens > surface.deferAboveTokens;
  const how = !isMuch
    ? 'all listed'
    : surface.lazy === 'off'
      ? 'all listed, because surface.lazy is off'
      : 'deferred until they are needed';
  const state = isMuch && surface.lazy === 'off' ? 'warn' : 'ok';
  const next = 'tidegate tools cost';
  const facts = { tools: tools.length, tokens, lazy: surface.lazy };
  return [{ state, about: 'together', detail: `${sum}: ${how}`, next, facts }];
}
