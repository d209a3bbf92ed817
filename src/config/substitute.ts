export interface Reference {
  /** The reference as written, up to the end of the name: how the file can be searched for it. */
  readonly written: string;
  readonly name: string;
}

export interface Substitution {
  readonly text: string;
  /** Whether the text came, in part, from the environment or a default. */
  readonly isReference: boolean;
  readonly missing: readonly Reference[];
  readonly malformed: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** What the environment lacks may be kept elsewhere. */
export type Kept = (name: string) => string | undefined;

/** Replaces `${NAME}` and `${NAME:-default}` (used when unset or empty); `$${` stands for `${` itself. */
export function substitute(text: string, environment: Environment, kept?: Kept): Substitution {
  const missing: Reference[] = [];
  const malformed: string[] = [];
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
    settled += text.slice(at, open) + (value ?? '');
    // Also past what is malformed: every character is looked at once, whatever the text.
    at = end;
  }
  return { text: settled + text.slice(at), isReference, missing, malformed };
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
