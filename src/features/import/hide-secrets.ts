import type { Environment, Secrets } from '../../config/index.js';
import type { FoundSecret, Hide } from './secrets-of.js';

/** A secret with the variable name that replaces it in tidegate.yaml. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
  readonly where: string;
  readonly server: string;
  /** Whether the environment or the secrets file already has this value. */
  readonly isThere: boolean;
}

export interface Hiding {
  /** Names that an earlier import may have used; does not record anything. */
  readonly guesses: readonly Hide[];
  /** Whether the environment or the secrets file has this value under the name. */
  gives(name: string, value: string): boolean;
  /** Records the names of an earlier import for a server that is already in tidegate.yaml. */
  adoptFor(server: string, guess: Hide): Hide;
  /** Assigns names to the secrets of one server. */
  hideFor(server: string): Hide;
  /** Discards the names of a server that is not imported after all. */
  drop(server: string): void;
  readonly secrets: () => readonly NamedSecret[];
}

export interface KnownNames {
  readonly env: Environment;
  readonly kept: Pick<Secrets, 'valueOf'>;
  /** Names that servers already use: setting one of them would give the value to those servers. */
  readonly referenced: ReadonlySet<string>;
}

/** Each name holds one value, so two servers that both use API_KEY cannot get each other's secret. */
export function createHiding({ env, kept, referenced }: KnownNames): Hiding {
  const named = new Map<string, NamedSecret>();
  const fits = (name: string, value: string): boolean => {
    const known = named.get(name)?.value ?? env[name] ?? kept.valueOf(name);
    return known === undefined ? !referenced.has(name) : known === value;
  };
  const guess =
    (choice: number): Hide =>
    ({ names, value }) => {
      const name = names[Math.min(choice, names.length - 1)] ?? '';
      const known = env[name] ?? kept.valueOf(name);
      return known === undefined || known === value ? `\${${name}}` : '';
    };
  const gives = (name: string, value: string): boolean => (env[name] ?? kept.valueOf(name)) === value;
  const remember = (server: string, name: string, { value, where }: FoundSecret): void => {
    if (!named.has(name)) named.set(name, { name, value, where, server, isThere: gives(name, value) });
  };
  return {
    gives,
    guesses: [guess(0), guess(1)],
    adoptFor: (server, guessed) => (secret) => {
      const reference = guessed(secret);
      remember(server, reference.slice(2, -1), secret);
      return reference;
    },
    hideFor: (server) => (secret) => {
      const name = nameFor(secret, fits);
      remember(server, name, secret);
      return `\${${name}}`;
    },
    drop(server) {
      for (const [name, secret] of named) if (secret.server === server) named.delete(name);
    },
    secrets: () => [...named.values()],
  };
}

function nameFor({ names, value }: FoundSecret, fits: (name: string, value: string) => boolean): string {
  const first = names.find((name) => fits(name, value));
  if (first !== undefined) return first;
  const base = names.at(-1) ?? 'SECRET';
  for (let number = 2; ; number += 1) {
    const name = `${base}_${String(number)}`;
    if (fits(name, value)) return name;
  }
}

/** The variable names used in a text. */
export function referencesIn(text: string): readonly string[] {
  // Nothing closes after the last brace, and scanning from each `${` would take quadratic time.
  const closed = text.slice(0, text.lastIndexOf('}') + 1);
  const found = closed.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}/g);
  return [...found].map(([, name = '']) => name);
}
