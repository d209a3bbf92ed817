import type {
  Catalogue,
  Effect,
  Hints,
  PromptSpec,
  ResourceSpec,
  Source,
  TemplateSpec,
  ToolSpec,
} from '../../core/index.js';
import { cleanDefinition } from '../../lib/clean-definition.js';
import { deceptiveName, skeletonOf } from '../../lib/deceptive-names.js';
import { JsonText, memberOf, membersOf, splice } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import { printable } from '../../lib/printable.js';
import { visibleText } from '../../lib/visible-text.js';
import type { KeptCatalogue } from './memory-port.js';
import { readParamHeaders } from './param-headers.js';
import { isRecord } from './peer.js';

export interface CatalogueRules {
  readonly source: Source;
  readonly prefix: string;
  readonly offers: (toolName: string) => boolean;
  /** Whether to drop tools whose parameters cannot be mirrored into headers. */
  readonly checksHeaders: boolean;
  /** Skeletons of built-in tool names, mapped to the names. */
  readonly reserved?: ReadonlyMap<string, string>;
  /** Called for each definition that is not offered. */
  readonly onDropped?: (what: string) => void;
  readonly log: Log;
}

const maxName = 128;
/** The length in JSON, where each character may be an escape. */
const longestName = 6 * maxName;

/** Yields after each definition, because a list of thousands would block other callers. */
export type Reading = Generator<undefined, Catalogue>;

/** Reads the catalog from the server's own texts and changes only names. Invalid definitions are dropped with a warning. */
export function readCatalogue(kept: KeptCatalogue, rules: CatalogueRules): Catalogue {
  const reading = readInSteps(kept, rules);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** Like `readCatalogue`, in steps. */
export function* readInSteps(kept: KeptCatalogue, rules: CatalogueRules): Reading {
  const tools = toolsOf(yield* readNamed(kept.tools, 'tool', rules), rules);
  const prompts = promptsOf(yield* readNamed(kept.prompts, 'prompt', rules), rules);
  const resources = yield* readAddressed(kept.resources, 'uri', rules);
  const templates = yield* readAddressed(kept.templates, 'uriTemplate', rules);
  const { source } = rules;
  return {
    tools,
    prompts,
    resources: resources.map(
      ({ address, definition }): ResourceSpec => ({ kind: 'resource', uri: address, source, definition }),
    ),
    templates: templates.map(
      ({ address, definition }): TemplateSpec => ({
        kind: 'template',
        uriTemplate: address,
        source,
        definition,
      }),
    ),
    ...(kept.instructions !== undefined && { instructions: visibleText(kept.instructions) }),
  };
}

function toolsOf(named: readonly Named[], rules: CatalogueRules): readonly ToolSpec[] {
  return named.flatMap(({ name, localName, value, definition }) => {
    if (!rules.offers(localName)) return [];
    const headers = rules.checksHeaders ? readParamHeaders(value['inputSchema']) : undefined;
    if (headers?.ok === false) {
      drop(rules, 'tool', localName, headers.reason);
      return [];
    }
    const hints = readHints(value['annotations']);
    const spec: ToolSpec = {
      kind: 'tool',
      name,
      localName,
      source: rules.source,
      effect: effectOf(hints),
      hints,
      definition,
    };
    return [spec];
  });
}

function promptsOf(named: readonly Named[], rules: CatalogueRules): readonly PromptSpec[] {
  return named.map(({ name, localName, definition }) => ({
    kind: 'prompt',
    name,
    localName,
    source: rules.source,
    definition,
  }));
}

interface Named {
  readonly name: string;
  readonly localName: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly definition: JsonText;
}

type Steps<T> = Generator<undefined, readonly T[]>;

function* readNamed(texts: readonly string[], kind: string, rules: CatalogueRules): Steps<Named> {
  const seen = new Map<string, string>();
  const found: Named[] = [];
  for (const raw of texts) {
    yield;
    const named = readOneNamed(raw, rules, seen);
    if ('reason' in named) drop(rules, kind, named.shown, named.reason);
    else found.push(named);
  }
  return found;
}

function readOneNamed(
  raw: string,
  rules: CatalogueRules,
  seen: Map<string, string>,
): Named | { readonly shown: string; readonly reason: string } {
  const cleaned = cleanDefinition(raw);
  if ('reason' in cleaned) return { shown: shownName(nameIn(raw)), reason: cleaned.reason };
  const { text } = cleaned;
  const value: unknown = new JsonText(text).value;
  const localName = isRecord(value) ? value['name'] : undefined;
  const reason = wrongName(localName, rules, seen);
  if (reason !== undefined || typeof localName !== 'string' || !isRecord(value))
    return { shown: shownName(localName), reason: reason ?? 'it is not a valid definition' };
  seen.set(skeletonOf(localName), localName);
  const name = rules.prefix + localName;
  return { name, localName, value, definition: renamed(text, value, name) };
}

function shownName(name: unknown): string {
  return printable(String(name).slice(0, maxName));
}

/** The name in a definition that may be too long to parse. */
function nameIn(raw: string): unknown {
  if (!raw.trimStart().startsWith('{')) return undefined;
  const member = memberOf(membersOf(raw), 'name');
  const text = member === undefined ? '' : raw.slice(member.start, member.end);
  return text.startsWith('"') && text.length <= longestName ? JSON.parse(text) : undefined;
}

function wrongName(
  name: unknown,
  { prefix, reserved }: CatalogueRules,
  seen: ReadonlyMap<string, string>,
): string | undefined {
  if (typeof name !== 'string') return 'its name is not a string';
  if (name === '') return 'its name is empty';
  if (prefix.length + name.length > maxName) return `its name is longer than ${String(maxName)} characters`;
  const before = seen.get(skeletonOf(name));
  if (before !== undefined)
    return before === name ? 'its name is duplicated' : `its name looks like "${printable(before)}"`;
  const own = reserved?.get(skeletonOf(prefix + name));
  if (own !== undefined && own !== prefix + name) return `its name looks like the built-in tool "${own}"`;
  return deceptiveName(name);
}

/** The original definition with the name that clients see. */
function renamed(text: string, value: Readonly<Record<string, unknown>>, name: string): JsonText {
  if (value['name'] === name) return JsonText.known(text, value);
  const edits = membersOf(text)
    .filter(({ key }) => key === 'name')
    .map(({ start, end }) => ({ start, end, text: JSON.stringify(name) }));
  return JsonText.known(splice(text, edits), { ...value, name });
}

function readHints(annotations: unknown): Hints {
  const hint = (key: string): boolean | undefined => {
    const value = isRecord(annotations) ? annotations[key] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  };
  const [readOnly, destructive] = [hint('readOnlyHint'), hint('destructiveHint')];
  const [idempotent, openWorld] = [hint('idempotentHint'), hint('openWorldHint')];
  return {
    ...(readOnly !== undefined && { readOnly }),
    ...(destructive !== undefined && { destructive }),
    ...(idempotent !== undefined && { idempotent }),
    ...(openWorld !== undefined && { openWorld }),
  };
}

/** Without hints, assume the worst. */
function effectOf({ readOnly, openWorld }: Hints): Effect {
  if (readOnly === true) return 'read';
  return openWorld === false ? 'write' : 'execute';
}

interface Addressed {
  readonly address: string;
  readonly definition: JsonText;
}

function* readAddressed(
  texts: readonly string[],
  member: 'uri' | 'uriTemplate',
  rules: CatalogueRules,
): Steps<Addressed> {
  const seen = new Set<string>();
  const found: Addressed[] = [];
  for (const raw of texts) {
    yield;
    const cleaned = cleanDefinition(raw);
    const definition = 'text' in cleaned ? new JsonText(cleaned.text) : undefined;
    const address = isRecord(definition?.value) ? definition.value[member] : undefined;
    if ('reason' in cleaned) drop(rules, 'resource', undefined, cleaned.reason);
    else if (definition === undefined || typeof address !== 'string' || address === '' || seen.has(address))
      drop(rules, 'resource', undefined, `its ${member} is not a string or is duplicated`);
    else {
      seen.add(address);
      found.push({ address, definition });
    }
  }
  return found;
}

function drop(rules: CatalogueRules, kind: string, name: string | undefined, reason: string): void {
  rules.log('warn', `a ${kind} was dropped`, { ...(name !== undefined && { [kind]: name }), reason });
  rules.onDropped?.(`${kind}${name === undefined ? '' : ` "${name}"`}: ${reason}`);
}
