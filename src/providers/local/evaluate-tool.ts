import { Console } from 'node:console';
import { asRecord, isRecord } from '../../lib/is-record.js';
import { CardRefused, cardOf, type ToolCard } from '../../core/index.js';
import type { ToolModule } from '../../ports/tool-module.js';
import type { ToolFile } from './scan-workspace.js';

/** A tool file that cannot be used. The message includes the position. */
export class BrokenTool extends Error {
  override readonly name = 'BrokenTool';
}

export interface Evaluated {
  readonly module: ToolModule;
  readonly card: ToolCard;
}

/** Provides `tidegate/tool` and `zod` to tool files, from the running program and not from their node_modules. */
export type Authoring = () => Promise<Readonly<Record<string, unknown>>>;

const loadMs = 10_000;

/**
 * Runs the text of a tool file exactly as it was read and trusted, and returns the tool that it defines. Its imports are
 * read only now, so `verify` is called at the last moment and throws if they have changed.
 */
export async function evaluateTool(
  { file, text }: Pick<ToolFile, 'file' | 'text'>,
  authoring: Authoring,
  verify: () => Promise<void>,
): Promise<Evaluated> {
  sendPrintedTextToStderr();
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { ...(await authoring()) },
  });
  await verify();
  const exported = await inTime(file, () => jiti.evalModule(text, { filename: file, async: true }));
  const module = asRecord(exported)['default'];
  const problem = problemOf(module);
  if (problem !== undefined) throw new BrokenTool(`${file}:1: ${problem}`);
  try {
    // Safe: `problemOf` found no problem.
    const tool = module as ToolModule;
    return { module: tool, card: cardOf(tool) };
  } catch (error) {
    const problem = error instanceof CardRefused ? error.message : String(error);
    throw new BrokenTool(`${file}:1: ${problem}`);
  }
}

/** Stdout carries the protocol or the output of a command, so a tool that prints must not write to it. */
function sendPrintedTextToStderr(): void {
  globalThis.console = new Console(process.stderr);
}

/** Limits the time of a file with a top-level await. */
async function inTime(file: string, run: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('loading took longer than 10 seconds')), loadMs);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    throw new BrokenTool(placed(file, error));
  } finally {
    clearTimeout(timer);
  }
}

/** Formats the error as `file:line:column: message`. */
function placed(file: string, error: unknown): string {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const escaped = file.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const place = new RegExp(`${escaped}:(\\d+)(?::(\\d+))?`).exec(`${message}\n${stack}`)?.[0] ?? `${file}:1`;
  const words = message
    .replaceAll(place, '')
    .split('\n')
    .map((line) => line.trim());
  return `${place}: ${words.filter((line) => line !== '').join(' ')}`;
}

const fields = {
  name: 'text',
  title: 'text',
  description: 'text',
  effect: 'effect',
  input: 'schema',
  run: 'function',
} as const;
const others = ['hints', 'needs', 'optional', 'tier', 'output', 'aliases', 'graph'];

/** A first check, because the file was not type-checked. `cardOf` is stricter. */
function problemOf(module: unknown): string | undefined {
  if (!isRecord(module)) return 'its default export is not a tool; create one with defineTool';
  const known = [...Object.keys(fields), ...others];
  const odd = Object.keys(module).find((key) => !known.includes(key));
  const hint = odd === undefined ? '' : ` (unknown field: ${odd})`;
  for (const [field, kind] of Object.entries(fields)) {
    if (!isOfKind(module[field], kind)) return `${field} ${wantedOf[kind]}${hint}`;
  }
  return odd === undefined ? undefined : `unknown field ${odd}; allowed fields: ${known.join(', ')}`;
}

const wantedOf = {
  text: 'is missing or not a string',
  effect: 'must be read, write, execute or ask',
  schema: 'must be a schema, such as z.object({ … })',
  function: 'must be a function',
} as const;

function isOfKind(value: unknown, kind: keyof typeof wantedOf): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'effect') return ['read', 'write', 'execute', 'ask'].includes(String(value));
  if (kind === 'schema') return isRecord(value) && '~standard' in value;
  return typeof value === 'function';
}
