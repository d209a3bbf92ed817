export interface Reference {
  /** The reference as written, up to the end of the name. Used to find its position in the file. */
  readonly written: string;
  readonly name: string;
}

export interface Substitution {
  readonly text: string;
  /** Whether any part of the text came from the environment or a default. */
  readonly isReference: boolean;
  /** The values that replaced references. */
  readonly values: readonly string[];
  readonly missing: readonly Reference[];
  readonly malformed: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Looks up variables that are not in the environment. */
export type Kept = (name: string) => string | undefined;

/** Replaces `${NAME}` and `${NAME:-default}` (used when unset or empty); `$${` is a literal `${`. */
export function substitute(text: string, environment: Environment, kept?: Kept): Substitution {
  const missing: Reference[] = [];
  const malformed: string[] = [];
  const values: string[] = [];
  let settled = '';
  let isReference = false;
  let at = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    if (text[open - 1] === '$' && open > at) {
      settled += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = text.indexOf('}', open);
    const end = close === -1 ? text.length : close + 1;
    const [, name, fallback] = (close !== -1 && reference.exec(text.slice(open + 2, close))) || [];
    isReference ||= name !== undefined;
    const value = name === undefined ? undefined : valueOf(name, fallback, { environment, kept });
    if (name === undefined) malformed.push(text.slice(open, Math.min(end, open + 40)));
    else if (value === undefined) missing.push({ written: `\${${name}`, name });
    if (value !== undefined) values.push(value);
    settled += text.slice(at, open) + (value ?? '');
    // Also skip malformed references, so that every character is read only once.
    at = end;
  }
  return { text: settled + text.slice(at), isReference, values, missing, malformed };
}

interface Sources {
  readonly environment: Environment;
  readonly kept: Kept | undefined;
}

function valueOf(
  name: string,
  fallback: string | undefined,
  { environment, kept }: Sources,
): string | undefined {
  const value = (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? kept?.(name);
  return fallback === undefined ? value : value || fallback;
}
