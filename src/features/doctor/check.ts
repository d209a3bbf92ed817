import type { Scene } from './scene.js';

/** `note`: nothing is wrong, but worth knowing. `skipped`: could not be checked, or there is nothing to check. */
export const checkStates = ['ok', 'note', 'warn', 'fail', 'skipped'] as const;
export type CheckState = (typeof checkStates)[number];

/** Section titles, in display order. */
export const checkGroups = {
  machine: 'System',
  home: 'State',
  place: 'Project',
  servers: 'Servers and plugins',
  rights: 'Access',
  agents: 'Agents',
  outside: 'Network',
} as const;
export type CheckGroup = keyof typeof checkGroups;

export interface Finding {
  readonly state: CheckState;
  /** The subject, when a check covers several things. */
  readonly about?: string;
  /** One line. */
  readonly detail: string;
  /** Extra lines, such as a server's last stderr output. */
  readonly more?: readonly string[];
  /** The command to run next, or what to do. */
  readonly next?: string;
  /** Details for the JSON output. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly fix?: Fix;
}

/** A safe repair. It must never trust or install anything, or remove the user's files. */
export interface Fix {
  readonly does: string;
  /** Returns a description of what was done. */
  run(): Promise<string>;
}

/** One check of `tidegate doctor`. The reference page is generated from these. */
export interface Check {
  readonly id: string;
  readonly group: CheckGroup;
  readonly title: string;
  readonly why: string;
  /** What to do when the check fails. */
  readonly remedy: string;
  /** What `--fix` does; absent if there is no safe fix. */
  readonly fixes?: string;
  /** Time limit; ten seconds by default. */
  readonly limitMs?: number;
  run(scene: Scene): Promise<readonly Finding[]> | readonly Finding[];
}
