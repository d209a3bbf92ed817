import { isJsonObject, type JsonObject } from './json-value.js';

/** A gateway entry of a client. References in its texts are not resolved. */
export interface TidegateEntry {
  /** Started by path, by name on PATH, by a package runner, or through an unknown program. */
  readonly form: 'path' | 'name' | 'runner' | 'behind';
  readonly command: string;
  /** The script passed to an interpreter. */
  readonly script?: string;
  /** The value of `--config`. */
  readonly config?: string;
  /** Other arguments, such as `--as agent:alice`. */
  readonly more: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Whether an entry starts Tidegate: `tidegate mcp`, by any path, package runner or interpreter. */
export function isTidegateEntry(entry: JsonObject): boolean {
  return tidegateEntryOf(entry) !== undefined;
}

/** How an entry starts Tidegate; undefined if it starts something else. */
export function tidegateEntryOf(entry: JsonObject): TidegateEntry | undefined {
  const words = [entry['command'], entry['args']].flat().filter((word) => typeof word === 'string');
  const at = words.findIndex((word) =>
    /^tidegate(?:\.(?:c?m?js|cmd|exe))?(?:@[\w.-]+)?$/i.test(baseName(word)),
  );
  const rest = words.slice(at + 1);
  if (at === -1 || !rest.some((word) => word === 'mcp' || word === 'mcp-serve')) return undefined;
  const { cwd } = entry;
  return {
    ...startedBy(words.slice(0, at), words[at] ?? ''),
    ...commandWords(rest),
    env: textsOf(entry['env'] ?? entry['environment']),
    ...(typeof cwd === 'string' && { cwd }),
  };
}

/** After `docker run …` or `ssh box …`, paths may belong to another system, and the wrapper may restrict the gateway. */
function startedBy(
  before: readonly string[],
  word: string,
): Pick<TidegateEntry, 'form' | 'command' | 'script'> {
  const [command = word, ...more] = before;
  const isFile = /[\\/]/.test(word) || /\.c?m?js$/i.test(word);
  if (before.length === 0) return { form: /[\\/]/.test(word) ? 'path' : 'name', command };
  if (isFile && more.length === 0 && interpreters.test(baseName(command)))
    return { form: 'path', command, script: word };
  const isRunner = !isFile && runners.test(baseName(command)) && more.every((one) => runnerWords.has(one));
  return { form: isRunner ? 'runner' : 'behind', command };
}

const interpreters = /^(?:node|nodejs|bun|deno)(?:\.exe)?$/i;
const runners = /^(?:npx|bunx|npm|pnpm|yarn|bun)(?:\.cmd|\.exe)?$/i;
const runnerWords: ReadonlySet<string> = new Set(['-y', '--yes', '-q', '--quiet', 'exec', 'dlx', 'x', '--']);

/** `--config` of `mcp-serve` is a ticket for one run, not a configuration. */
function commandWords(words: readonly string[]): Pick<TidegateEntry, 'config' | 'more'> {
  const isShim = words.includes('mcp-serve');
  const at = isShim ? -1 : words.findIndex((word) => word === '--config' || word.startsWith('--config='));
  const isOneWord = words[at]?.includes('=') === true;
  const config = isOneWord ? words[at]?.slice('--config='.length) : words[at + 1];
  const isRest = (word: string, index: number): boolean =>
    word !== 'mcp' && (at === -1 || (index !== at && (isOneWord || index !== at + 1)));
  return { more: words.filter(isRest), ...(at !== -1 && config !== undefined && { config }) };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}

function baseName(word: string): string {
  return word.split(/[\\/]/).at(-1) ?? '';
}
