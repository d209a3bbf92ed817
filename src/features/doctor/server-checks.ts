import { mapAtOnce } from '../../lib/map-at-once.js';
import { commandLine, shellWord } from '../../lib/shell-word.js';
import { createLineRedactor } from '../../observers/log/index.js';
import type { Log } from '../../ports/log.js';
import type { Provider } from '../../core/index.js';
import { openFileMemory, type UpstreamMemory } from '../../providers/mcp/index.js';
import { estimateTokens } from '../../exposure/index.js';
import { mergeCatalogs, type NameClaims, reportsOf } from '../../gateway/index.js';
import { openNameClaims } from '../../workspace/name-claims-file.js';
import { openLateProcesses } from '../../workspace/late-processes.js';
import { pythonCacheIn } from '../../workspace/python-cache.js';
import type { Located } from '../../workspace/locate-config.js';
import { openLogins } from '../../workspace/login-files.js';
import { createServerProviders } from '../../workspace/server-providers.js';
import type { Config, ServerConfig } from '../../config/index.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

/** A server that takes longer would miss an agent's first tool listing. */
const startMs = 20_000;
const atOnce = 3;
/** With many slow servers, the last ones are not checked. */
const allMs = 100_000;
const wholeMs = 125_000;

export const serverChecks: readonly Check[] = [
  {
    id: 'servers',
    group: 'servers',
    title: 'Servers',
    why: 'A server that does not start or list its tools is useless to agents, and every listed tool costs tokens.',
    remedy: 'Run the server’s command by hand. Its last output is shown with the finding.',
    limitMs: wholeMs,
    run: (scene) => serverFindings(scene),
  },
];

async function serverFindings(scene: Scene): Promise<readonly Finding[]> {
  const located = await scene.located();
  if (located?.file === undefined) return [{ state: 'skipped', detail: 'no tidegate.yaml found' }];
  if (located.problems.some(({ severity }) => severity === 'error'))
    return [{ state: 'skipped', detail: 'the configuration file has errors' }];
  if (located.config.servers.length === 0)
    return [{ state: 'note', detail: 'no servers configured', next: commandLine('import') }];
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read, so nothing is trusted' }];
  return examineServers(scene, located);
}

/** Starts the trusted servers briefly, a few at a time, and always stops them. */
async function examineServers(scene: Scene, located: Located): Promise<readonly Finding[]> {
  const { config, isTrusted } = located;
  const stderrTails = new Map<string, string[]>();
  const log: Log = (_level, message, fields) => {
    if (message === 'server stderr') keepStderr(stderrTails, fields);
  };
  const processes = openLateProcesses({ stateDir: scene.home, log: () => undefined });
  const kept = openFileMemory(scene.home);
  // A remembered catalog would answer without starting the server.
  const memory: UpstreamMemory = { read: () => undefined, write: (key, value) => kept.write(key, value) };
  const { env, version, signal } = scene;
  const servers = createServerProviders({
    env,
    processes,
    memory,
    pythonCache: pythonCacheIn(scene.home),
    ownFolder: scene.home,
    state: { directory: scene.home, trust: scene.trust },
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
    const found = await mapAtOnce(all, atOnce, (provider) =>
      signal.aborted || performance.now() > end
        ? Promise.resolve(notLookedAt(provider, signal))
        : examineServer(provider, { signal, lastWords: stderrTails, next: byHand.get(provider.id) ?? '' }),
    );
    return [
      ...found,
      ...clashFindings(all, openNameClaims(scene.home, located.file ?? '')),
      ...togetherFinding(all, config.context),
    ];
  } finally {
    await Promise.all(all.map((provider) => provider.close().catch(() => undefined)));
    await processes.close();
  }
}

const maxLines = 5;

function keepStderr(lastWords: Map<string, string[]>, fields: Readonly<Record<string, unknown>> = {}): void {
  const { server, line } = fields;
  if (typeof server !== 'string' || typeof line !== 'string') return;
  lastWords.set(server, [...(lastWords.get(server) ?? []), createLineRedactor()(line)].slice(-maxLines));
}

interface Watching {
  readonly signal: AbortSignal;
  readonly lastWords: ReadonlyMap<string, readonly string[]>;
  /** What to do if the server fails. */
  readonly next: string;
}

/** Arguments and URLs may contain secrets, so show only the command or the origin. */
function nextOf(server: ServerConfig): string {
  const again = `tidegate doctor --only servers`;
  if (server.kind === 'stdio')
    return `run ${shellWord(server.command)} by hand with the arguments from tidegate.yaml, then: ${again}`;
  const { origin } = new URL(server.url);
  return `check that the server runs at ${origin}, then: ${again}`;
}

async function examineServer(provider: Provider, { signal, lastWords, next }: Watching): Promise<Finding> {
  const about = provider.id;
  const before: string = provider.status().state;
  if (before === 'disabled') return { state: 'skipped', about, detail: 'disabled in the configuration' };
  if (before === 'untrusted')
    return {
      state: 'skipped',
      about,
      detail: 'not started: the configuration file is not trusted',
      next: 'tidegate trust',
    };
  const begun = performance.now();
  await settled(provider, signal);
  const ms = Math.round(performance.now() - begun);
  const { state, detail, protocolVersion } = provider.status();
  if (signal.aborted) return notLookedAt(provider, signal);
  if (state === 'ready' || state === 'idle') {
    const finding = listed(provider, ms, protocolVersion);
    // For a working server, the detail names tools that agents do not get.
    if (detail === undefined) return finding;
    return { next: `tidegate servers ${shellWord(about)}`, ...finding, state: 'warn', more: [detail] };
  }
  if (state === 'untrusted')
    return { state: 'fail', about, detail: `not started: ${detail ?? state}`, next: 'tidegate trust' };
  const words = lastWords.get(about) ?? [];
  const facts = { state, ms, ...(detail !== undefined && { detail }) };
  if (/login|auth/.test(state))
    return { state: 'warn', about, detail: 'login required', next: commandLine('login', about), facts };
  const why =
    state === 'pending' ? `did not list its tools within ${String(startMs / 1000)} s` : (detail ?? state);
  const more = words.filter((line) => !why.includes(line));
  return { state: 'fail', about, detail: why, more, next, facts };
}

function notLookedAt({ id }: Provider, { aborted }: AbortSignal): Finding {
  const next = `tidegate servers ${shellWord(id)}`;
  if (aborted) return { state: 'skipped', about: id, detail: 'interrupted' };
  return { state: 'warn', about: id, detail: 'not checked: other servers used up the time', next };
}

/** Resolves when the server has listed its tools, failed or timed out, or the check was interrupted. */
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
      detail: `lists no tools (${took})`,
      facts,
      next: `tidegate servers ${shellWord(about)}`,
    };
  if (ms > slowMs)
    return { state: 'warn', about, detail: `${detail}: slow to start`, facts, next: 'tidegate tools cost' };
  if (tokens > dearTokens)
    return { state: 'note', about, detail, facts, next: `tidegate tools cost --server ${shellWord(about)}` };
  return { state: 'ok', about, detail, facts };
}

/** Tool names of a server that already belong to another server. */
function clashFindings(providers: readonly Provider[], claims: NameClaims): readonly Finding[] {
  return reportsOf(providers, mergeCatalogs(providers, claims)).flatMap(({ id, dropped, detail = '' }) =>
    dropped === undefined
      ? []
      : [{ state: 'fail', about: id, detail, next: `set servers.${id}.prefix in tidegate.yaml` } as const],
  );
}

/** The cost per request if all tools were listed. */
function togetherFinding(providers: readonly Provider[], exposure: Config['context']): readonly Finding[] {
  const tools = providers.flatMap((provider) => provider.list().tools);
  const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
  if (tools.length === 0 || providers.length < 2) return [];
  const sum = `${String(tools.length)} tools, about ${tokens.toLocaleString('en-US')} tokens`;
  const isMuch = tokens > exposure.deferAboveTokens;
  const how = !isMuch
    ? 'all listed'
    : exposure.lazy === 'off'
      ? 'all listed except those of servers with lazy: true, because context.lazy is off'
      : 'loaded when needed';
  const state = isMuch && exposure.lazy === 'off' ? 'warn' : 'ok';
  const next = 'tidegate tools cost';
  const facts = { tools: tools.length, tokens, lazy: exposure.lazy };
  return [{ state, about: 'total', detail: `${sum}: ${how}`, next, facts }];
}
