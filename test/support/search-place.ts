/** A workspace with things outside that must not be told of, and Glob and Grep on it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cardOf, clientAdditions, createQuietExchange } from '../../src/core/index.js';
import { decodeArguments } from '../../src/lib/decode-arguments.js';
import type { Processes, ProcessOrder } from '../../src/ports/processes.js';
import type { Search } from '../../src/ports/search.js';
import { openProcesses } from '../../src/services/processes/index.js';
import { openSearch } from '../../src/services/search/index.js';
import globTool from '../../src/tools/files/glob.tool.js';
import grepTool from '../../src/tools/files/grep.tool.js';

export const searchTools = ['Glob', 'Grep'] as const;
export type SearchTool = (typeof searchTools)[number];

export type SearchAnswer =
  | { readonly text: string; readonly data: Readonly<Record<string, unknown>> }
  | { readonly code: string; readonly reason: string; readonly message: string };

export interface SearchPlace {
  readonly base: string;
  readonly root: string;
  /** Beside the workspace; all its names and lines hold the canary. */
  readonly outside: string;
  readonly search: Search;
  /** What was started, in order. */
  readonly orders: readonly ProcessOrder[];
  call(
    tool: SearchTool,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<SearchAnswer>;
  /** Writes files of the workspace; folders are made as needed. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  close(): Promise<void>;
}

export const searchCanary = 'CANARY-51f0aa';

export interface SearchPlaceOptions {
  readonly limits?: { readonly timeMs?: number; readonly countingMs?: number };
  readonly env?: Readonly<Record<string, string>>;
  /** Ahead of the real clock: folders that were just made are then taken for calm ones. */
  readonly now?: () => number;
}

export async function openSearchPlace(options: SearchPlaceOptions = {}): Promise<SearchPlace> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-search-')));
  const root = join(base, 'deep', 'er', 'workspace');
  const outside = join(base, 'deep', 'er', 'outside');
  for (const folder of [root, join(outside, 'folder', 'deep')]) mkdirSync(folder, { recursive: true });
  const names = ['secret', 'folder/secret', 'folder/file', 'folder/deep/file'].flatMap((name) => [
    name,
    `${name}-${searchCanary}`,
  ]);
  for (const name of names) writeFileSync(join(outside, name), `${searchCanary} inside needle\n`);
  const processes = openProcesses({ stateDir: join(base, 'state') });
  const { watched, orders } = watch(processes);
  const service = openSearch({ roots: [root], processes: watched, env: {}, ...options });
  const search = await service.serve({
    id: 'main',
    principal: { kind: 'agent', id: 'tester', zone: 'local' },
    scope: 'connection',
  });
  return {
    base,
    root,
    outside,
    search,
    orders,
    call: (tool, input, signal) => callTool(search, tool, input, signal),
    write: (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
    },
    async close() {
      await service.close();
      await processes.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function watch(processes: Processes): { watched: Processes; orders: ProcessOrder[] } {
  const orders: ProcessOrder[] = [];
  const start: Processes['start'] = (order) => {
    orders.push(order);
    return processes.start(order);
  };
  return { watched: { start, close: () => processes.close() }, orders };
}

const modules = { Glob: globTool, Grep: grepTool };

/** Runs the very tool that agents are given, arguments decoded and result checked as the gate does. */
async function callTool(
  search: Search,
  tool: SearchTool,
  given: Readonly<Record<string, unknown>>,
  signal = new AbortController().signal,
): Promise<SearchAnswer> {
  const module = modules[tool];
  const input = await module.input['~standard'].validate(
    decodeArguments(given, cardOf(module), clientAdditions).input,
  );
  if (input.issues) return { code: 'input.invalid', reason: 'input', message: JSON.stringify(input.issues) };
  const context = { exchange: createQuietExchange(signal), session: undefined, ports: { search } };
  try {
    const { text, data } = (await module.run(input.value as never, context as never)) as {
      readonly text: string;
      readonly data: Readonly<Record<string, unknown>>;
    };
    const output = await module.output?.['~standard'].validate(data);
    if (output?.issues) throw new Error(`bad output: ${JSON.stringify(output.issues)}`);
    return { text, data };
  } catch (error) {
    const { code, facts, message } = error as Error & { code?: string; facts?: { reason?: string } };
    if (code === undefined || facts === undefined) throw error;
    return { code, reason: facts.reason ?? '', message };
  }
}

/** Whether an answer tells something that only stands outside. */
export function tellsOfOutside(answer: SearchAnswer): boolean {
  return 'text' in answer && (answer.text + JSON.stringify(answer.data)).includes(searchCanary);
}
