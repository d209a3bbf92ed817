/** 1 code intelligence, 2 model-assisted exploration, 3 tasks, git and commands, 4 people, 5 mail. */
export type Tier = 1 | 2 | 3 | 4 | 5;

/** The ports that a tool can need, each with its tier. A tool is in the highest tier of its needs. */
export const portTiers = {
  catalog: 1,
  files: 1,
  search: 1,
  shell: 3,
  runner: 3,
  web: 3,
  desktop: 3,
} as const satisfies Record<string, Tier>;

export type PortName = keyof typeof portTiers;
