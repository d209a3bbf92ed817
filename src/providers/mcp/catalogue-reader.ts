import {
  type Catalogue,
  type Effect,
  type Hints,
  JsonText,
  type Log,
  membersOf,
  type PromptSpec,
  type ResourceSpec,
  type Source,
  splice,
  type TemplateSpec,
  type ToolSpec,
} from '../../kernel/index.js';
import type { KeptCatalogue } from './memory-port.js';
import { readParamHeaders } from './param-headers.js';
import { isRecord } from './peer.js';

export interface CatalogueRules {
  readonly source: Source;
  readonly prefix: string;
  readonly offers: (toolName: string) => boolean;
  /** Whether tools whose parameters cannot be mirrored into headers must go. */
  readonly checksHeaders: boolean;
  readonly log: Log;
}

const maxName = 128;

/** What a server offers, read from its own texts: only names change. What cannot be used is dropped with a warning. */
export function readCatalogue(kept: KeptCatalogue, rules: CatalogueRules): Catalogue {
  return {
    tools: readTools(kept.tools, rules),
    prompts: readPrompts(kept.prompts, rules),
    resources: readAddressed(kept.resources, 'uri', rules).map(
      ({ address, definition }): ResourceSpec => ({
        kind: 'resource',
        uri: address,
        source: rules.source,
        definition,
      }),
    ),
    templates: readAddressed(kept.templates, 'uriTemplate', rules).map(
      ({ address, definition }): TemplateSpec => ({
        kind: 'template',
        uriTemplate: address,
        source: rules.source,
        definition,
      }),
    ),
    ...(kept.instructions !== undefined && { instructions: kept.instructions }),
  };
}

function readTools(texts: readonly string[], rules: CatalogueRules): readonly ToolSpec[] {
  return readNamed(texts, 'tool', rules).flatMap(({ name, localName, value, definition }) => {
    if (!rules.offers(localName)) return [];
    const headers = rules.checksHeaders ? readParamHeaders(value['inputSchema']) : undefined;
    if (headers?.ok === false) {
      rules.log('warn', 'a tool was dropped', { tool: localName, reason: headers.reason });
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

function readPrompts(texts: readonly string[], rules: CatalogueRules): readonly PromptSpec[] {
  return readNamed(texts, 'prompt', rules).map(({ name, localName, definition }) => ({
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

function readNamed(texts: readonly string[], kind: string, rules: CatalogueRules): readonly Named[] {
  const seen = new Set<string>();
  return texts.flatMap((text) => {
    const value: unknown = new JsonText(text).value;
    const localName = isRecord(value) ? value['name'] : undefined;
    const reason = wrongName(localName, rules.prefix, seen);
    if (reason !== undefined || typeof localName !== 'string' || !isRecord(value)) {
      const shown = String(localName).slice(0, maxName);
      rules.log('warn', `a ${kind} was dropped`, { [kind]: shown, reason: reason ?? 'it is no definition' });
      return [];
    }
    seen.add(localName);
    const name = rules.prefix + localName;
    return [{ name, localName, value, definition: renamed(text, value, name) }];
  });
}

function wrongName(name: unknown, prefix: string, seen: ReadonlySet<string>): string | undefined {
  if (typeof name !== 'string') return 'its name is no text';
  if (name === '') return 'its name is empty';
  if (prefix.length + name.length > maxName) return `its name is longer than ${String(maxName)} characters`;
  return seen.has(name) ? 'its name stands twice' : undefined;
}

/** The definition as its author wrote it, under the name that clients see. */
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

/** What says nothing about itself is taken for the worst that it may be. */
function effectOf({ readOnly, openWorld }: Hints): Effect {
  if (readOnly === true) return 'read';
  return openWorld === false ? 'write' : 'execute';
}

interface Addressed {
  readonly address: string;
  readonly definition: JsonText;
}

function readAddressed(
  texts: readonly string[],
  member: 'uri' | 'uriTemplate',
  { log }: CatalogueRules,
): readonly Addressed[] {
  const seen = new Set<string>();
  return texts.flatMap((text) => {
    const definition = new JsonText(text);
    const address = isRecord(definition.value) ? definition.value[member] : undefined;
    if (typeof address !== 'string' || address === '' || seen.has(address)) {
      log('warn', 'a resource was dropped', { reason: `its ${member} is no text or stands twice` });
      return [];
    }
    seen.add(address);
    return [{ address, definition }];
  });
}
