import type { JsonText } from '../lib/json-text.js';
import type { ToolSpec } from '../core/index.js';
import { createArgumentCheck } from '../providers/local/index.js';

/** Returns the problems of a call's arguments; none if they are valid or cannot be checked. */
export type ForeignCheck = (tool: ToolSpec, params: JsonText) => readonly string[];

export interface ForeignCheckParts {
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly now?: () => number;
}

/** Limits on subschemas and time per check. A normal schema needs a few hundred visits. */
const mostVisits = 20_000;
const mostMs = 500;
/** Longer arguments and schemas are not checked. */
const longest = 256 * 1024;
/** A schema that is too slow even for arguments this short is not tried again. */
const shortArguments = 4096;

/** Thrown and caught here. */
class TooCostly extends Error {}

/**
 * Checks arguments against a server's schema, which may be hostile: nested references can take exponential time and
 * would block every other call. If a check takes too long, the call passes: the server checks its own arguments.
 */
export function createForeignCheck({ warn, now = () => performance.now() }: ForeignCheckParts): ForeignCheck {
  const checks = new WeakMap<JsonText, BoundedCheck | 'none'>();
  return ({ definition, source, name }, params) => {
    if (source === 'builtin' || source === 'workspace') return [];
    if (params.text.length > longest || definition.text.length > longest) return [];
    const known = checks.get(definition);
    if (known === 'none') return [];
    try {
      const check = known ?? createBoundedCheck(definition, now);
      checks.set(definition, check);
      return check((params.value as { readonly arguments?: unknown }).arguments ?? {});
    } catch (error) {
      // An unsupported schema, nested too deeply, or too slow.
      if (!(error instanceof TooCostly) && known !== undefined) return [];
      if (error instanceof TooCostly)
        warn('the input schema takes too long to check; arguments of this tool are not checked', {
          tool: name,
        });
      if (params.text.length <= shortArguments) checks.set(definition, 'none');
      return [];
    }
  };
}

type BoundedCheck = (value: unknown) => readonly string[];

function createBoundedCheck(definition: JsonText, now: () => number): BoundedCheck {
  const { inputSchema } = definition.value as { readonly inputSchema?: unknown };
  if (typeof inputSchema !== 'object' || inputSchema === null) return () => [];
  let left = 0;
  let until = 0;
  const visit = (): void => {
    left -= 1;
    if (left < 0 || now() > until) throw new TooCostly();
  };
  const check = createArgumentCheck(loosened(inputSchema, visit) as Readonly<Record<string, unknown>>);
  return (value) => {
    left = mostVisits;
    until = now() + mostMs;
    return check(value);
  };
}

/** Schema keywords whose check can take unbounded time. The server checks them. */
const costly: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'uniqueItems', 'format']);
/** Keywords whose members are property names, not schema keywords. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords that contain data. */
const plain: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** The schema without expensive keywords. Each access to a subschema calls `visit`. */
function loosened(schema: unknown, visit: () => void, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => loosened(part, visit));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema)
    .filter(([word]) => isNames || !costly.has(word))
    .map(([word, value]) => {
      const isPlain = !isNames && plain.has(word);
      return [word, isPlain ? value : loosened(value, visit, !isNames && named.has(word))] as const;
    });
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  return isNames ? copy : counted(copy, visit);
}

/** The validator reads `$ref` of every subschema first, so a getter can count visits. */
function counted(schema: Record<string, unknown>, visit: () => void): unknown {
  const { $ref } = schema;
  return Object.defineProperty(schema, '$ref', {
    enumerable: $ref !== undefined,
    get() {
      visit();
      return $ref;
    },
  });
}
