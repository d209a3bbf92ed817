import type { Scene } from './scene.js';

/** `note`: nothing is wrong, and still worth knowing. `skipped`: it could not be looked at, or there is nothing. */
export const checkStates = ['ok', 'note', 'warn', 'fail', 'skipped'] as const;
export type CheckState = (typeof checkStates)[number];

/** The groups in which checks are shown, in their order. */
export const checkGroups = {
  machine: 'This machine',
  home: 'State of this user',
  place: 'This place',
  servers: 'Servers and plugins',
  rights: 'Rights and records',
  agents: 'Agents',
  outside: 'The world outside',
} as const;
export type CheckGroup = keyof typeof checkGroups;

/** What was found about one thing. */
export interface Finding {
  readonly state: CheckState;
  /** What it is about, where a check looks at several things. */
  readonly about?: string;
  /** One line. */
  readonly detail: string;
  /** More lines, such as the last words of a server. */
  readonly more?: readonly string[];
  /** What to type next, or to do. */
  readonly next?: string;
  /** For programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly fix?: Fix;
}

/** Something safe that can be done about a finding. Trusts nothing, installs nothing, removes nothing of the user's. */
export interface Fix {
  readonly does: string;
  /** Gives what was done. */
  run(): Promise<string>;
}

/** One thing that is looked at. The reference page is made from these. */
export interface Check {
  readonly id: string;
  readonly group: CheckGroup;
  readonly title: string;
  readonly why: string;
  /** What to do when it is not well, for readers who cannot ask. */
  readonly remedy: string;
  /** What `--fix` does; absent where nothing can be done safely. */
  readonly fixes?: string;
  /** How long it may take; otherwise ten seconds. */
  readonly limitMs?: number;
  run(scene: Scene): Promise<readonly Finding[]> | readonly Finding[];
}
