import type { Environment, Secrets } from '../../config/index.js';
import type { FoundSecret, Hide } from './secrets-of.js';

/** A secret under the name that stands for it in tidegate.yaml. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
  readonly where: string;
  readonly server: string;
  /** Whether the environment, or the file of secrets, gives this very value already. */
  readonly isThere: boolean;
}

export interface Hiding {
  /** Names that the secrets may have been given in an earlier import; nothing is remembered. */
  readonly guesses: readonly Hide[];
  /** Whether the environment, or the file of secrets, has this very value under the name. */
  gives(name: string, value: string): boolean;
  /** Remembers the names of an import that was made before, for a server that is there since. */
  adoptFor(server: string, guess: Hide): Hide;
  /** Names the secrets of one server. */
  hideFor(server: string): Hide;
  /** Forgets the names that were given for a server which is not taken after all. */
  drop(server: string): void;
  readonly secrets: () => readonly NamedSecret[];
}

export interface KnownNames {
  readonly env: Environment;
  readonly kept: Pick<Secrets, 'valueOf'>;
  /** Names that servers refer to already: whoever gives one of them a value gives it to those servers. */
  readonly referenced: ReadonlySet<string>;
}

/** One name for one value: no server gets the secret of another because both call it API_KEY. */
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

/** The names that a text refers to. */
export function referencesIn(text: string): readonly string[] {
  // Behind the last brace nothing is closed, and looking for its end from each beginning takes for ever.
  const closed = text.slice(0, text.lastIndexOf('}') + 1);
  const found = closed.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}/g);
  return [...found].map(([, name = '']) => name);
}
