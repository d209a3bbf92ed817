import { homedir } from 'node:os';
import { join } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import {
  childEnvironment,
  type Config,
  createWritableRule,
  type Environment,
  writablePlaceOf,
} from '../config/index.js';
import { atMost } from '../lib/at-most.js';
import { cardOf, createToolFilter, type Provider, type Session } from '../core/index.js';
import type { Catalog } from '../ports/catalog.js';
import type { PortService } from '../ports/tool-ports.js';
import type { Processes } from '../ports/processes.js';
import type { Runner } from '../ports/runner.js';
import type { Shell } from '../ports/shell.js';
import type { ToolModule } from '../ports/tool-module.js';
import {
  createLocalProvider,
  type FoundTools,
  type LocalTool,
  openCardMemory,
  openWorkspaceTools,
  toolFolder,
  type WorkspaceReport,
} from '../providers/local/index.js';
import { createOwnPaths, type OwnPlaces } from '../services/own-paths/index.js';
import { builtinTools } from '../workspace/builtin-tools.generated.js';
import type { State } from '../workspace/locate-config.js';
import { surviveErrorsFrom } from './loose-errors.js';
import type { KnownPlaces } from '../workspace/known-places.js';
import { knownPlace, ownPlaces } from '../workspace/own-places.js';
import { openPortServices, type OwnedServices } from '../workspace/port-services.js';
import { createStartHolds, type FindHold } from '../workspace/start-holds.js';
import { openTrustedFiles } from '../workspace/trusted-files.js';
import { givenModules, importsWithin } from '../workspace/tool-imports.js';

export interface LocalToolsParts {
  readonly state: State;
  readonly env: Environment;
  readonly version: string;
  readonly processes: Processes;
  /** The folder that contains `.tidegate/`. */
  readonly folder: string;
  /** Log file if the configuration names none. */
  readonly logFile?: string;
  readonly places: KnownPlaces;
  readonly embedded: readonly ToolModule[];
  readonly catalog: PortService<Catalog>;
  /** Whether to wait until every workspace tool is known. */
  readonly isPatient: boolean;
  /** Runs workflows for sessions. */
  readonly runner: PortService<Runner>;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

/** Tools that run in this process: built-in, workspace and embedded. */
export interface LocalTools {
  providers(): readonly Provider[];
  /** The last known state of the workspace tool files. */
  reports(): readonly WorkspaceReport[];
  /** Applies a changed configuration. */
  apply(config: Config): void;
  follow(): void;
  /** Why a trusted program must wait, under the settings that apply now. */
  readonly findHold: FindHold;
  /** Runs commands like `Bash` in that session. */
  shellFor(session: Session): Promise<Shell>;
  /** Ends what the calls of this session left running. */
  forget(session: Session): void;
  close(): Promise<void>;
}

const firstListMs = 2000;

export async function openLocalTools(config: Config, parts: LocalToolsParts): Promise<LocalTools> {
  const { state, version, log } = parts;
  const line = (text: string): void => log('warn', text);
  let applied = config;
  const trustedFiles = openTrustedFiles(parts);
  const findHold = createStartHolds({ state, isLocked: () => applied.workspace.isLocked !== false });
  const open = createServiceOpener(config, parts, trustedFiles, () => applied);
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
    log('error', 'a workspace tool failed outside a call', { error });
  const tools = openWorkspaceTools({
    workspace: parts.folder,
    trusted: () => trustedNow(state),
    recordedImports: (file) => state.trust.list().find((record) => record.file === file)?.covers ?? {},
    findImports: importsWithin(parts.folder, () => applied),
    findHold: (file) => findHold((name) => name === file),
    trustFile: join(state.directory, 'trust.json'),
    memory: openCardMemory(cardFile(state, parts.folder), version),
    authoring: givenModules,
    reserved: [...builtinTools, ...embedded].map(({ card }) => card.name),
    onChange(next) {
      tellOf(next, reports, log);
      // Needed only if workspace code runs.
      if (next.tools.length > 0) guard ??= surviveErrorsFrom(toolFolder(parts.folder), tellOfLoose);
      ({ tools: found, reports } = next);
      workspace.offer(found);
    },
  });
  // The first listing waits at most two seconds; later tools are announced as a change.
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
      const settingsOf = ({ workspace, shell }: Config): string => JSON.stringify([workspace.roots, shell]);
      const isMoved = settingsOf(next) !== settingsOf(applied);
      applied = next;
      parts.places.add(knownPlace({ ...parts, config: next }));
      if (!isMoved) return builtin.offer(ownTools());
      void owned.close();
      owned = open(next);
      builtin = create('builtin', 'builtin', ownTools());
      workspace = create('workspace', 'workspace', found);
    },
    findHold,
    shellFor: async (session) => owned.shell.serve(session),
    follow: () => tools.follow(),
    forget(session) {
      owned
        .forget(session)
        .catch((error: unknown) => line(`Could not clean up after a session: ${String(error)}`));
    },
    async close() {
      tools.close();
      await owned.close();
      guard?.close();
    },
  };
}

/** Opens the services behind the ports of local tools. `applied`: the configuration in use now. */
function createServiceOpener(
  config: Config,
  parts: LocalToolsParts,
  trustedFiles: ReturnType<typeof openTrustedFiles>,
  applied: () => Config,
): (next: Config) => OwnedServices {
  const env = childEnvironment(parts.env, {});
  const first = ownPlaces({ ...parts, config });
  // Files opened at startup stay in use, even if the configuration changed.
  const ownNow = (): OwnPlaces => {
    const now = ownPlaces({ ...parts, config: applied(), others: parts.places.all() });
    const { program, absent } = trustedFiles.locked(applied());
    const { governingNames: names = [] } = now;
    return {
      ...now,
      files: [...first.files, ...now.files],
      governing: [...first.governing, ...now.governing, ...trustedFiles.recorded(names)],
      program: [...now.program, ...program],
      absent,
    };
  };
  return (next) =>
    openPortServices({
      roots: next.workspace.roots,
      shell: next.shell,
      whyNotWritable: (path) =>
        createWritableRule(writablePlaceOf(next, { home: homedir(), env: parts.env }))(path),
      stateDir: parts.state.directory,
      own: { viewOf: (session) => createOwnPaths(ownNow()).viewOf(session) },
      processes: parts.processes,
      env,
      operatorEnv: parts.env,
      log: (text) => parts.log('warn', text),
      catalog: parts.catalog,
      runner: parts.runner,
    });
}

/** Reads the trust record once; each `trust.isTrusted` call would read it from disk. */
function trustedNow({ trust }: State): (file: string, sha256: string) => boolean {
  const records = new Set(trust.list().map(({ file, sha256 }) => `${sha256} ${file}`));
  return (file, sha256) => records.has(`${sha256} ${file}`);
}

function cardFile(state: State, workspace: string): string {
  const name = sha256Of(workspace).slice(0, 32);
  return join(state.directory, 'tools', `${name}.json`);
}

function asLocalTool(module: ToolModule): LocalTool {
  return { card: cardOf(module), load: () => Promise.resolve(module) };
}

/** Logs each file whose state changed, except tools known from an earlier start. */
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
    } else log('warn', `workspace tool not available: ${problem ?? report.state}`, { file, tool });
  }
  const present = new Set(now.map(({ file }) => file));
  for (const { file, tool } of before)
    if (!present.has(file)) log('info', 'workspace tool removed', { file, tool });
}
