import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { childEnvironment, type Config, type Environment } from '../config/index.js';
import {
  atMost,
  cardOf,
  type Catalog,
  createToolFilter,
  type PortService,
  type Processes,
  type Provider,
  type Runner,
  type Session,
  type ToolModule,
} from '../kernel/index.js';
import {
  createLocalProvider,
  type FoundTools,
  type LocalTool,
  openCardMemory,
  openWorkspaceTools,
  toolFolder,
  type WorkspaceReport,
} from '../providers/local/index.js';
import { builtinTools } from './builtin-tools.generated.js';
import type { State } from './locate-config.js';
import { surviveErrorsFrom } from './loose-errors.js';
import { openPortServices, type OwnedServices } from './port-services.js';

export interface LocalToolsParts {
  readonly state: State;
  readonly env: Environment;
  readonly version: string;
  readonly processes: Processes;
  /** The folder whose `.tidegate/` is meant. */
  readonly folder: string;
  readonly embedded: readonly ToolModule[];
  readonly catalog: PortService<Catalog>;
  /** Whether to wait until every tool of the workspace is known. */
  readonly isPatient: boolean;
  /** Runs workflows for sessions. */
  readonly runner: PortService<Runner>;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

/** The tools that run in this process: built in, brought by the workspace, given by the embedding program. */
export interface LocalTools {
  providers(): readonly Provider[];
  /** How the tool files of the workspace are doing, as last seen. */
  reports(): readonly WorkspaceReport[];
  /** Takes up a changed configuration. */
  apply(config: Config): void;
  follow(): void;
  /** The session is over: what its calls left running is ended. */
  forget(session: Session): void;
  close(): Promise<void>;
}

const firstListMs = 2000;

export async function openLocalTools(config: Config, parts: LocalToolsParts): Promise<LocalTools> {
  const { state, version, log } = parts;
  const line = (text: string): void => log('warn', text);
  const env = childEnvironment(parts.env, {});
  const open = ({ workspace: { roots } }: Config): OwnedServices =>
    openPortServices({
      roots,
      stateDir: state.directory,
      processes: parts.processes,
      env,
      log: line,
      catalog: parts.catalog,
      runner: parts.runner,
    });
  let applied = config;
  let owned = open(config);
  let reports: readonly WorkspaceReport[] = [];
  let found: readonly LocalTool[] = [];

  const ownTools = (): readonly LocalTool[] => {
    const isOffered = createToolFilter(applied.builtins);
    return builtinTools.filter(({ card }) => isOffered(card.name));
  };
  const create = (id: string, source: 'builtin' | 'workspace', tools: readonly LocalTool[]) =>
    createLocalProvider({ id, source, tools, services: owned.services });
  let builtin = create('builtin', 'builtin', ownTools());
  let workspace = create('workspace', 'workspace', found);
  const embedded = parts.embedded.map(asLocalTool);
  const others = embedded.length > 0 ? [create('local', 'builtin', embedded)] : [];

  let guard: ReturnType<typeof surviveErrorsFrom> | undefined;
  const tellOfLoose = (error: string): void =>
    log('error', 'a workspace tool failed outside of any call', { error });
  const tools = openWorkspaceTools({
    workspace: parts.folder,
    trusted: () => trustedNow(state),
    trustFile: join(state.directory, 'trust.json'),
    memory: openCardMemory(cardFile(state, parts.folder), version),
    authoring: async () => {
      const [tool, zod] = await Promise.all([import('../tool/index.js'), import('zod')]);
      return { 'tidegate/tool': tool, zod };
    },
    isTaken: (name) => [...builtinTools, ...embedded].some(({ card }) => card.name === name),
    onChange(next) {
      tellOf(next, reports, log);
      // Only a gate that runs code of a workspace has to reckon with it.
      if (next.tools.length > 0) guard ??= surviveErrorsFrom(toolFolder(parts.folder), tellOfLoose);
      ({ tools: found, reports } = next);
      workspace.offer(found);
    },
  });
  // The first list waits for two seconds at most; what comes later is told as a change.
  await (parts.isPatient
    ? tools.refresh()
    : atMost(
        firstListMs,
        tools.refresh().then(() => undefined),
      ));

  return {
    providers: () => [...others, builtin, workspace],
    reports: () => reports,
    apply(next) {
      const isMoved = next.workspace.roots.join('\0') !== applied.workspace.roots.join('\0');
      applied = next;
      if (!isMoved) return builtin.offer(ownTools());
      void owned.close();
      owned = open(next);
      builtin = create('builtin', 'builtin', ownTools());
      workspace = create('workspace', 'workspace', found);
    },
    follow: () => tools.follow(),
    forget(session) {
      owned
        .forget(session)
        .catch((error: unknown) => line(`A session did not end as it should: ${String(error)}`));
    },
    async close() {
      tools.close();
      await owned.close();
      guard?.close();
    },
  };
}

/** One reading of the record for a whole look: every question to `trust` reads it from the disk. */
function trustedNow({ trust }: State): (file: string, sha256: string) => boolean {
  const records = new Set(trust.list().map(({ file, sha256 }) => `${sha256} ${file}`));
  return (file, sha256) => records.has(`${sha256} ${file}`);
}

function cardFile(state: State, workspace: string): string {
  const name = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
  return join(state.directory, 'tools', `${name}.json`);
}

function asLocalTool(module: ToolModule): LocalTool {
  return { card: cardOf(module), load: () => Promise.resolve(module) };
}

/** One line for each file whose state is news. A tool that was found at an earlier start is none. */
function tellOf(
  { reports: now, remembered }: FoundTools,
  before: readonly WorkspaceReport[],
  log: LocalToolsParts['log'],
): void {
  const known = new Set(before.map((report) => JSON.stringify(report)));
  for (const report of now) {
    if (known.has(JSON.stringify(report))) continue;
    const { file, tool, problem } = report;
    if (report.state === 'ready') {
      if (!remembered.has(file)) log('info', 'workspace tool found', { file, tool });
    } else log('warn', `workspace tool not offered: ${problem ?? report.state}`, { file, tool });
  }
  const present = new Set(now.map(({ file }) => file));
  for (const { file, tool } of before)
    if (!present.has(file)) log('info', 'workspace tool gone', { file, tool });
}
