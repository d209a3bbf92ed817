import { cleanDefinition } from '../../lib/clean-definition.js';
import { skeletonOf } from '../../lib/deceptive-names.js';
import { isToolFailure, type ToolCard, ToolFailure } from '../../core/index.js';
import type { ToolModule } from '../../ports/tool-module.js';
import type { CardMemory } from './card-memory.js';
import { type Authoring, BrokenTool, type Evaluated, evaluateTool } from './evaluate-tool.js';
import type { LocalTool } from './local-provider.js';
import { type FindImports, type Imports, scanWorkspace, type ToolFile } from './scan-workspace.js';
import { workspaceStamp } from './workspace-stamp.js';

export type WorkspaceState = 'ready' | 'untrusted' | 'broken' | 'clash';

/** The state of one tool file. */
export interface WorkspaceReport {
  readonly file: string;
  readonly state: WorkspaceState;
  readonly tool?: string;
  /** For a name clash: what has the name already. */
  readonly owner?: string;
  /** The owner's name, if it differs but looks the same. */
  readonly looksLike?: string;
  readonly problem?: string;
}

export interface WorkspaceToolsParts {
  /** The workspace, not its tool folder. */
  readonly workspace: string;
  /** Called once per scan, because it reads from disk. */
  readonly trusted: () => (file: string, sha256: string) => boolean;
  /** The recorded imports of a file, by name and hash. */
  readonly recordedImports: (file: string) => Readonly<Record<string, string>>;
  readonly findImports: FindImports;
  /** Why the imports of a file must not be loaded now, as a part of a sentence. */
  readonly findHold: (file: string) => Promise<string | undefined>;
  /** Checked for changes in addition to the tools. */
  readonly trustFile: string;
  readonly memory: CardMemory;
  readonly authoring: Authoring;
  /** Names of built-in tools. */
  readonly reserved: readonly string[];
  readonly onChange: (found: FoundTools) => void;
}

/** The result of a scan. */
export interface FoundTools {
  readonly tools: readonly LocalTool[];
  readonly reports: readonly WorkspaceReport[];
  /** The files that match the cache and were not run. */
  readonly remembered: ReadonlySet<string>;
}

export interface WorkspaceTools {
  /** Scans now, even if nothing seems to have changed. */
  refresh(): Promise<readonly WorkspaceReport[]>;
  /** Starts watching for changes. */
  follow(): void;
  close(): void;
}

const lookEveryMs = 1000;

/** The tools of a workspace. Each one runs only after its content was trusted. */
export function openWorkspaceTools(parts: WorkspaceToolsParts): WorkspaceTools {
  const loaded = new Map<string, Promise<ToolModule>>();
  let running: Promise<readonly WorkspaceReport[]> = Promise.resolve([]);
  let stamp = '';
  /** A tool could not be run for a temporary reason. */
  let isHeld = false;
  let timer: NodeJS.Timeout | undefined;
  const onHeld = (): void => {
    isHeld = true;
  };

  async function look(): Promise<readonly WorkspaceReport[]> {
    stamp = workspaceStamp(parts.workspace, parts.trustFile);
    isHeld = false;
    const { files, beside, problems } = await scanWorkspace(parts.workspace, parts.findImports);
    const found: Found[] = problems.map(({ file, message }) => broken(file, `${file}: ${message}`));
    if (files.length > 0)
      found.push(
        ...(await checkAll(files, { parts, loaded, hasBeside: beside.length > 0, refresh, onHeld })),
      );
    const settled = withoutClashes(found, parts.reserved);
    forgetOthers(loaded, files);
    const reports = settled.map(({ report }) => report);
    parts.onChange({
      tools: settled.flatMap(({ tool }) => tool ?? []),
      reports,
      remembered: new Set(found.flatMap(({ report, isRemembered }) => (isRemembered ? report.file : []))),
    });
    return reports;
  }

  function refresh(): Promise<readonly WorkspaceReport[]> {
    running = running.then(look, look);
    return running;
  }

  return {
    refresh,
    follow() {
      timer ??= setInterval(() => {
        if (isHeld || workspaceStamp(parts.workspace, parts.trustFile) !== stamp) void refresh();
      }, lookEveryMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

interface Found {
  readonly report: WorkspaceReport;
  readonly tool?: LocalTool;
  readonly isRemembered?: boolean;
}

function broken(file: string, problem: string): Found {
  return { report: { file, state: 'broken', problem } };
}

async function checkAll(files: readonly ToolFile[], loading: Loading): Promise<readonly Found[]> {
  const { parts } = loading;
  const isTrusted = parts.trusted();
  const known = parts.memory.recall();
  const cards = new Map<string, ToolCard>();
  // In parallel, so that files that hang while loading delay the others only once.
  const found = await Promise.all(
    files.map((file) => checkModule(file, isTrusted(file.file, file.sha256), known, loading)),
  );
  for (const [at, { tool }] of found.entries()) {
    const sha256 = files[at]?.sha256;
    if (tool && sha256 !== undefined) cards.set(sha256, tool.card);
  }
  if (cards.size !== known.size || [...cards.keys()].some((sha256) => !known.has(sha256))) {
    parts.memory.keep(cards);
  }
  return found;
}

interface Loading {
  readonly parts: WorkspaceToolsParts;
  readonly loaded: Map<string, Promise<ToolModule>>;
  /** Whether the folder has other files that tools could import. */
  readonly hasBeside: boolean;
  readonly refresh: () => Promise<unknown>;
  readonly onHeld: () => void;
}

async function checkModule(
  found: ToolFile,
  isTrusted: boolean,
  known: ReadonlyMap<string, ToolCard>,
  loading: Loading,
): Promise<Found> {
  const { file, sha256 } = found;
  const { parts } = loading;
  if (!isTrusted) {
    const problem = `it is not trusted, so it was not run${changeOf(found, parts)}; review it, then run \`tidegate trust\``;
    return { report: { file, state: 'untrusted', problem } };
  }
  try {
    const load = (): Promise<ToolModule> => loadOnce(found, loading);
    const remembered = known.get(sha256);
    const evaluate = (): Promise<Evaluated> =>
      evaluateTool(found, parts.authoring, () => verify(found, loading));
    const card = visibleCard(remembered ?? (await evaluate()).card);
    const report: WorkspaceReport = { file, state: 'ready', tool: card.name };
    return { report, tool: { card, load }, isRemembered: remembered !== undefined };
  } catch (error) {
    if (isHold(error)) loading.onHeld();
    return broken(file, error instanceof BrokenTool ? error.message : `${file}: ${String(error)}`);
  }
}

/** Removes invisible characters from descriptions. Names and data in schemas must stay unchanged. */
function visibleCard(card: ToolCard): ToolCard {
  const { title, description, inputSchema, outputSchema } = card;
  const cleaned = cleanDefinition(JSON.stringify({ title, description, inputSchema, outputSchema }));
  if ('reason' in cleaned) throw new BrokenTool(`${card.name}: ${cleaned.reason}`);
  return { ...card, ...(JSON.parse(cleaned.text) as Partial<ToolCard>) };
}

/** Describes the imports that differ from what was recorded. */
function changeOf({ file, imports }: ToolFile, { recordedImports }: WorkspaceToolsParts): string {
  const before = recordedImports(file);
  // A file that was never trusted has no recorded imports.
  const changed = Object.keys(before).length === 0 ? [] : differing(before, imports);
  return changed.length === 0 ? '' : ` (its imports have changed: ${listed(changed)})`;
}

/**
 * Runs the trusted text, whatever the file contains now. Errors are not cached. A tool may import more when it is called,
 * so everything that it could import is checked before each call.
 */
async function loadOnce(found: ToolFile, loading: Loading): Promise<ToolModule> {
  const { parts, loaded, hasBeside } = loading;
  const check = (): Promise<void> => verify(found, loading);
  const known = loaded.get(found.sha256);
  if (known !== undefined) {
    if (hasBeside || found.imports.files.length > 0) await check();
    return known;
  }
  const evaluating = evaluateTool(found, parts.authoring, check).then(({ module }) => module);
  loaded.set(found.sha256, evaluating);
  evaluating.catch(() => loaded.delete(found.sha256));
  return evaluating;
}

/** Imports are read when the tool runs, so they must not have changed since they were trusted. */
async function verify({ file, sha256, imports }: ToolFile, { parts, refresh }: Loading): Promise<void> {
  await refuseHeld(file, parts);
  const { files } = await scanWorkspace(parts.workspace, parts.findImports);
  const now = files.find((one) => one.file === file);
  // Check again: the command may have created a missing file.
  if (now?.sha256 === sha256) return refuseHeld(file, parts);
  void refresh();
  const before = Object.fromEntries(imports.files.map((one) => [one.file, one.sha256]));
  const changed = now === undefined ? [] : differing(before, now.imports);
  const what =
    changed.length === 0
      ? 'The tool or a file in its folder'
      : `A file that the tool imports (${listed(changed)})`;
  const message = `${what} has changed since it was trusted. Ask the operator to review it and run \`tidegate trust\`.`;
  throw new ToolFailure('refused', message, { reason: 'changed_since_trusted' });
}

const heldReason = 'older_command_runs';

async function refuseHeld(file: string, { findHold }: WorkspaceToolsParts): Promise<void> {
  const why = await findHold(file);
  if (why === undefined) return;
  throw new ToolFailure('bad_state', `The tool can't be run yet: ${why}.`, {
    reason: heldReason,
    suggestion: 'Wait until the command has finished, or stop it with KillBash. Then retry the call.',
    retryable: true,
  });
}

function isHold(error: unknown): boolean {
  return isToolFailure(error) && error.facts.reason === heldReason;
}

/** Files that were changed, added or removed. */
function differing(before: Readonly<Record<string, string>>, { files }: Imports): readonly string[] {
  const now = new Map(files.map(({ file, sha256 }) => [file, sha256]));
  return [
    ...files.filter(({ file, sha256 }) => before[file] !== sha256).map(({ file }) => file),
    ...Object.keys(before).filter((file) => !now.has(file)),
  ];
}

function listed([first = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : `${first} and ${String(rest.length)} more`;
}

function forgetOthers(loaded: Map<string, Promise<ToolModule>>, files: readonly ToolFile[]): void {
  const present = new Set(files.map(({ sha256 }) => sha256));
  for (const sha256 of loaded.keys()) if (!present.has(sha256)) loaded.delete(sha256);
}

interface Owner {
  readonly name: string;
  readonly owner: string;
}

/** The first file keeps a name. Later files cannot use it, nor a name that looks like it. */
function withoutClashes(found: readonly Found[], reserved: readonly string[]): readonly Found[] {
  const owners = new Map<string, Owner>(
    reserved.map((name) => [skeletonOf(name), { name, owner: 'a built-in tool' }]),
  );
  return found.map((one) => {
    const { file, tool: name } = one.report;
    if (name === undefined) return one;
    const known = owners.get(skeletonOf(name));
    if (known === undefined) {
      owners.set(skeletonOf(name), { name, owner: file });
      return one;
    }
    const { owner } = known;
    const whose = known.name === name ? 'belongs to' : `looks like "${known.name}" of`;
    const problem = `${file}: the name "${name}" ${whose} ${owner}; give this tool another name`;
    return {
      report: {
        file,
        state: 'clash',
        tool: name,
        owner,
        ...(known.name !== name && { looksLike: known.name }),
        problem,
      },
    };
  });
}
