import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ToolCard, ToolFailure, type ToolModule } from '../../kernel/index.js';
import type { CardMemory } from './card-memory.js';
import { type Authoring, BrokenTool, evaluateTool } from './evaluate-tool.js';
import type { LocalTool } from './local-provider.js';
import { scanWorkspace, type ToolFile, toolFolder } from './scan-workspace.js';

export type WorkspaceState = 'ready' | 'untrusted' | 'broken' | 'clash';

/** How one tool file is doing. */
export interface WorkspaceReport {
  readonly file: string;
  readonly state: WorkspaceState;
  readonly tool?: string;
  /** Who has the name already, of a clash. */
  readonly owner?: string;
  readonly problem?: string;
}

export interface WorkspaceToolsParts {
  /** The workspace, not the folder of tools in it. */
  readonly workspace: string;
  /** Asked once for each look, because the answer is on the disk. */
  readonly trusted: () => (file: string, sha256: string) => boolean;
  /** Looked at for changes, beside the tools themselves. */
  readonly trustFile: string;
  readonly memory: CardMemory;
  readonly authoring: Authoring;
  /** Names that are gone already. */
  readonly isTaken: (name: string) => boolean;
  readonly onChange: (tools: readonly LocalTool[], reports: readonly WorkspaceReport[]) => void;
}

export interface WorkspaceTools {
  /** Looks now, whether something seems to have changed or not. */
  refresh(): Promise<readonly WorkspaceReport[]>;
  /** Looks again and again, from now on. */
  follow(): void;
  close(): void;
}

const lookEveryMs = 1000;

/** The tools that a workspace brings along, each run only after its content was trusted. */
export function openWorkspaceTools(parts: WorkspaceToolsParts): WorkspaceTools {
  const loaded = new Map<string, Promise<ToolModule>>();
  let running: Promise<readonly WorkspaceReport[]> = Promise.resolve([]);
  let stamp = '';
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<readonly WorkspaceReport[]> {
    stamp = stampOf(parts);
    const { files, problems } = scanWorkspace(parts.workspace);
    const found: Found[] = problems.map(({ file, message }) => broken(file, `${file}: ${message}`));
    if (files.length > 0) found.push(...(await judgeAll(files, parts, loaded)));
    const settled = withoutClashes(found, parts.isTaken);
    forgetOthers(loaded, files);
    const reports = settled.map(({ report }) => report);
    parts.onChange(
      settled.flatMap(({ tool }) => tool ?? []),
      reports,
    );
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
        if (stampOf(parts) !== stamp) void refresh();
      }, lookEveryMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

interface Found {
  readonly report: WorkspaceReport;
  readonly tool?: LocalTool;
}

function broken(file: string, problem: string): Found {
  return { report: { file, state: 'broken', problem } };
}

async function judgeAll(
  files: readonly ToolFile[],
  parts: WorkspaceToolsParts,
  loaded: Map<string, Promise<ToolModule>>,
): Promise<readonly Found[]> {
  const isTrusted = parts.trusted();
  const known = parts.memory.recall();
  const cards = new Map<string, ToolCard>();
  // Side by side: one that hangs at its top keeps the others waiting once, not each in turn.
  const found = await Promise.all(
    files.map((file) => judge(file, isTrusted(file.file, file.sha256), known, { parts, loaded })),
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
}

async function judge(
  found: ToolFile,
  isTrusted: boolean,
  known: ReadonlyMap<string, ToolCard>,
  { parts, loaded }: Loading,
): Promise<Found> {
  const { file, sha256 } = found;
  if (!isTrusted) {
    const problem = 'it is not trusted, so it was not run; read it, then run `tidegate trust`';
    return { report: { file, state: 'untrusted', problem } };
  }
  try {
    const load = (): Promise<ToolModule> => loadOnce(found, parts, loaded);
    const card = known.get(sha256) ?? (await evaluateTool(found, parts.authoring)).card;
    return { report: { file, state: 'ready', tool: card.name }, tool: { card, load } };
  } catch (error) {
    return broken(file, error instanceof BrokenTool ? error.message : `${file}: ${String(error)}`);
  }
}

/** The text that was trusted is what runs, whatever the file holds by then. An error is not kept. */
function loadOnce(
  found: ToolFile,
  { workspace, authoring }: WorkspaceToolsParts,
  loaded: Map<string, Promise<ToolModule>>,
): Promise<ToolModule> {
  const known = loaded.get(found.sha256);
  if (known !== undefined) return known;
  const loading = evaluateAsTrusted(found, { workspace, authoring });
  loaded.set(found.sha256, loading);
  loading.catch(() => loaded.delete(found.sha256));
  return loading;
}

/** What it imports is read by now, not then: so nothing of it may have changed since it was trusted. */
async function evaluateAsTrusted(
  { file, sha256 }: ToolFile,
  { workspace, authoring }: Pick<WorkspaceToolsParts, 'workspace' | 'authoring'>,
): Promise<ToolModule> {
  const now = scanWorkspace(workspace).files.find((one) => one.file === file);
  if (now?.sha256 !== sha256) {
    const message = 'The tool, or a file beside it, has changed since it was trusted.';
    throw new ToolFailure('refused', message, { reason: 'changed_since_trusted' });
  }
  return (await evaluateTool(now, authoring)).module;
}

function forgetOthers(loaded: Map<string, Promise<ToolModule>>, files: readonly ToolFile[]): void {
  const present = new Set(files.map(({ sha256 }) => sha256));
  for (const sha256 of loaded.keys()) if (!present.has(sha256)) loaded.delete(sha256);
}

/** The first file keeps a name; no file takes one that exists elsewhere. */
function withoutClashes(found: readonly Found[], isTaken: (name: string) => boolean): readonly Found[] {
  const owners = new Map<string, string>();
  return found.map((one) => {
    const { file, tool: name } = one.report;
    if (name === undefined) return one;
    const owner = owners.get(name) ?? (isTaken(name) ? 'a built-in tool' : undefined);
    owners.set(name, owner ?? file);
    if (owner === undefined) return one;
    const problem = `${file}: the name "${name}" belongs to ${owner}; give this tool another name`;
    return { report: { file, state: 'clash', tool: name, owner, problem } };
  });
}

/** Cheap enough to be looked at every second. Contents are hashed only when it differs. */
function stampOf({ workspace, trustFile }: WorkspaceToolsParts): string {
  const folder = toolFolder(workspace);
  return [...pathsUnder(folder, 0), trustFile].map(stampOfPath).join('\n');
}

function pathsUnder(folder: string, depth: number): readonly string[] {
  if (depth > 8) return [folder];
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, 1000);
    const inner = entries.flatMap((entry) => {
      if (entry.name === 'node_modules') return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? pathsUnder(path, depth + 1) : [path];
    });
    return [folder, ...inner];
  } catch {
    // No such folder, which is the usual case.
    return [folder];
  }
}

function stampOfPath(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '-' : `${path} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
