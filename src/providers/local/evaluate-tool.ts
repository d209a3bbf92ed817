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
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { ...(await authoring()) },
  });
  const exported = await inTime(file, () => jiti.evalModule(text, { filename: file, async: true }));
  const module = isObject(exported) && 'default' in exported ? exported.default : undefined;
  if (!isTool(module)) {
    throw new BrokenTool(`${file}:1: its default export is not a tool; make one with defineTool`);
  }
  try {
    return { module, card: cardOf(module) };
  } catch (error) {
    const problem = error instanceof CardRefused ? error.message : String(error);
    throw new BrokenTool(`${file}:1: ${problem}`);
  }
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

/** A first look, because nobody compiled it. The card is stricter. */
function isTool(value: unknown): value is ToolModule {
  if (!isObject(value)) return false;
  const { name, title, description, effect, input, run } = value as Partial<Record<string, unknown>>;
  const hasWords = [name, title, description].every((word) => typeof word === 'string');
  const effects = ['read', 'write', 'execute', 'ask'];
  const hasSchema = isObject(input) && '~standard' in input;
  return hasWords && hasSchema && typeof run === 'function' && effects.includes(String(effect));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
