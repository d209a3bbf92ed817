import { createRandom, type Random } from './random.js';

/** A tool as a rule of access sees it. */
export interface RuledTool {
  readonly name: string;
  readonly provider: string;
  readonly localName: string;
  readonly tier?: number;
}

export type Words = readonly [user: string, relation: string, object: string];

/** What shipped profiles give, written down once more: not read from where the program has it. */
const files = ['Read', 'Glob', 'Grep'];
const coding = [...files, 'Write', 'Edit'];
const execution = [...coding, 'Bash', 'BashOutput', 'KillBash'];
const profileTools: Readonly<Record<string, readonly string[] | 'all'>> = {
  minimal: files,
  coding,
  search: files,
  execution,
  full: 'all',
};

/**
 * What somebody may do, straight from the words: everybody whom he counts among, everything that the tool counts among,
 * and whether a tuple stands between them. No engine, no model.
 */
export function ruledOn(
  tuples: readonly Words[],
  who: string,
  tool: RuledTool,
  defaultProfile: string,
): { readonly see: boolean; readonly call: boolean; readonly isOpen: boolean } {
  const has = (user: string, relation: string, object: string): boolean =>
    tuples.some(([a, b, c]) => a === user && b === relation && c === object);
  const roles = rolesOf(tuples, who);
  const users = [who, ...roles.map((role) => `${role}#member`)];
  const assigned = Object.keys(profileTools).filter((name) =>
    users.some((user) => has(user, 'assignee', `profile:${name}`)),
  );
  const profiles = assigned.length > 0 ? assigned : [defaultProfile];
  const objects = [
    `tool:${tool.provider}/${tool.localName}`,
    `provider:${tool.provider}`,
    ...(tool.tier === undefined ? [] : [`group:tier/${String(tool.tier)}`]),
    ...globsIn(tuples).filter((glob) => fits(glob.slice('group:glob/'.length), tool.name)),
  ];
  const everyone = [...users, ...profiles.map((name) => `profile:${name}#assignee`)];
  const any = (relation: string): boolean =>
    objects.some((object) => everyone.some((user) => has(user, relation, object)));
  const byProfile = profiles.some((name) => {
    const tools = profileTools[name] ?? [];
    return tools === 'all' || (tool.provider === 'builtin' && tools.includes(tool.localName));
  });
  const isBlocked = any('blocked');
  const isAdmin = users.some((user) => has(user, 'admin', 'zone:local'));
  const isCaller = any('caller') || byProfile;
  const everybodySees = has('principal:*', 'seer', objects[0] ?? '');
  return {
    /** For what is there for everybody from whom it was not taken. */
    isOpen: isAdmin || !isBlocked,
    call: isAdmin || (isCaller && !isBlocked),
    see: isAdmin || ((isCaller || any('seer') || everybodySees) && !isBlocked),
  };
}

function rolesOf(tuples: readonly Words[], who: string): readonly string[] {
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [user, relation, object] of tuples) {
      const isIn = user === who || found.has(user.replace(/#member$/, ''));
      if (relation === 'member' && isIn) found.add(object);
    }
  }
  return [...found];
}

function globsIn(tuples: readonly Words[]): readonly string[] {
  return [...new Set(tuples.map(([, , object]) => object).filter((one) => one.startsWith('group:glob/')))];
}

function fits(pattern: string, name: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`).test(name);
}

/** Tuples at random about few people, few roles and the given tools: most of them matter. */
export function randomTuples(random: Random, tools: readonly RuledTool[]): readonly Words[] {
  const people = ['principal:agent/alice', 'principal:agent/bob'];
  const roles = ['role:one', 'role:two', 'role:three'];
  const users = [
    ...people,
    people[0] ?? '',
    ...roles.map((role) => `${role}#member`),
    'profile:coding#assignee',
  ];
  const globs = ['*', 'mark_*', '*e*', '?ead', 'Bash*', 'Read', 'mark_echo'].map(
    (glob) => `group:glob/${glob}`,
  );
  const objects = [
    ...tools.map(({ provider, localName }) => `tool:${provider}/${localName}`),
    'provider:builtin',
    'provider:server/mark',
    'provider:server/more',
    'group:tier/1',
    'group:tier/3',
    ...globs,
  ];
  const tuples = new Map<string, Words>();
  const add = (...words: Words): void => void tuples.set(words.join(' '), words);
  for (let count = random.below(5); count > 0; count -= 1) {
    // Roles lead upwards only: a loop of them is refused where they are written.
    const at = random.below(roles.length);
    const inner = random.chance(0.5) ? random.pick(people) : `${roles[random.below(at + 1)] ?? ''}#member`;
    if (inner !== `${roles[at] ?? ''}#member`) add(inner, 'member', roles[at] ?? '');
  }
  for (let count = random.below(3); count > 0; count -= 1) {
    const user = random.pick([...people, 'role:one#member', 'role:two#member']);
    add(user, 'assignee', `profile:${random.pick(Object.keys(profileTools))}`);
  }
  for (let count = random.below(12); count > 0; count -= 1) {
    add(random.pick(users), random.pick(['caller', 'caller', 'seer', 'blocked']), random.pick(objects));
  }
  if (random.chance(0.1))
    add('principal:*', 'seer', random.pick(objects.filter((one) => one.startsWith('tool:'))));
  if (random.chance(0.02)) add(random.pick(people), 'admin', 'zone:local');
  return [...tuples.values()];
}

export { createRandom };
