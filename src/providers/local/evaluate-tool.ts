import { Console } from 'node:console';
import { CardRefused, cardOf, type ToolCard, type ToolModule } from '../../kernel/index.js';
import type { ToolFile } from './scan-workspace.js';

/** A tool file that cannot be used, in words that name the place. */
export class BrokenTool extends Error {
  override readonly name = 'BrokenTool';
}

export interface Evaluated {
  readonly module: ToolModule;
  readonly card: ToolCard;
}

/** What `tidegate/tool` and `zod` are for a tool file: the running program's own, whatever is installed there. */
export type Authoring = () => Promise<Readonly<Record<string, unknown>>>;

const loadMs = 10_000;

/** Runs the text of a tool file, exactly as it was read and trusted, and gives the tool that it defines. */
export async function evaluateTool({ file, text }: ToolFile, authoring: Authoring): Promise<Evaluated> {
  sendPrintedTextToStderr();
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { ...(await authoring()) },
  });
  const exported = await inTime(file, () => jiti.evalModule(text, { filename: file, async: true }));
  const module = isObject(exported) && 'default' in exported ? exported.default : undefined;
  const problem = problemOf(module);
  if (problem !== undefined) throw new BrokenTool(`${file}:1: ${problem}`);
  try {
    // `problemOf` found nothing wrong with it.
    const tool = module as ToolModule;
    return { module: tool, card: cardOf(tool) };
  } catch (error) {
    const problem = error instanceof CardRefused ? error.message : String(error);
    throw new BrokenTool(`${file}:1: ${problem}`);
  }
}

/** Standard output belongs to the protocol, or to the answer of a command: a tool that prints must not break it. */
function sendPrintedTextToStderr(): void {
  globalThis.console = new Console(process.stderr);
}

/** A file that waits for something at its top keeps nobody else waiting. */
async function inTime(file: string, run: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it did not load within 10 seconds')), loadMs);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    throw new BrokenTool(placed(file, error));
  } finally {
    clearTimeout(timer);
  }
}

/** `file:line:column: message`, from wherever the error carries its place. */
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

/** A first look, because nobody compiled it. The card is stricter. */
function problemOf(module: unknown): string | undefined {
  if (!isObject(module)) return 'its default export is not a tool; make one with defineTool';
  const tool = module as Readonly<Record<string, unknown>>;
  const known = [...Object.keys(fields), ...others];
  const odd = Object.keys(tool).find((key) => !known.includes(key));
  const hint = odd === undefined ? '' : ` (there is ${odd}, which no tool has)`;
  for (const [field, kind] of Object.entries(fields)) {
    if (!isOfKind(tool[field], kind)) return `${field} ${wantedOf[kind]}${hint}`;
  }
  return odd === undefined ? undefined : `a tool has no ${odd}; it has ${known.join(', ')}`;
}

const wantedOf = {
  text: 'is missing, or not a text',
  effect: 'must be read, write, execute or ask',
  schema: 'must be a schema, such as z.object({ … })',
  function: 'must be a function',
} as const;

function isOfKind(value: unknown, kind: keyof typeof wantedOf): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'effect') return ['read', 'write', 'execute', 'ask'].includes(String(value));
  if (kind === 'schema') return isObject(value) && '~standard' in value;
  return typeof value === 'function';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
