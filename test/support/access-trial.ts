import type * as engineModule from '../../src/access/engine/index.js';
import { meaningOf } from './access-oracle.js';
import { conditionNames, type Expression, type World, worldUsers } from './access-world.js';

/** The engine, or one that was broken on purpose. */
export type EngineModule = Pick<typeof engineModule, 'AccessError' | 'createEngine' | 'createMemoryTuples'>;

export interface Trial {
  asked: number;
  allowed: number;
  /** Nodes that depend on themselves or on a condition that breaks. */
  unknown: number;
  readonly wrongAllows: string[];
  readonly wrongDenies: string[];
  /** Lists or explanations that disagree with the checks. */
  readonly wrongLists: string[];
  /** Questions that were given up: in worlds as small as these, each would have gone on for ever. */
  endless: number;
}

export function createTrial(): Trial {
  return { asked: 0, allowed: 0, unknown: 0, wrongAllows: [], wrongDenies: [], wrongLists: [], endless: 0 };
}

export function isFlawless({ wrongAllows, wrongDenies, wrongLists, endless }: Trial): boolean {
  return wrongAllows.length + wrongDenies.length + wrongLists.length + endless === 0;
}

type Engine = ReturnType<EngineModule['createEngine']>;
type Compiled = Parameters<EngineModule['createEngine']>[0];
type Conditions = Parameters<EngineModule['createEngine']>[2];

/** Asks the engine about every subject and every node of a world, and compares with what the world means. */
export function tryWorld(world: World, module: EngineModule, trial: Trial, withLists = true): void {
  const engine = engineOf(world, module);
  const yes = new Map<string, Set<string>>();
  for (const subject of world.subjects) {
    const meaning = meaningOf(world, subject);
    for (const object of world.objects) {
      for (const { name } of world.relations.filter(({ type }) => object.startsWith(`${type}:`))) {
        const truth = meaning.truth(object, name);
        const answer =
          answered(() => engine.check({ user: subject, relation: name, object }), { module, trial }) === true;
        const words = `${subject} ${name} ${object}`;
        trial.asked++;
        if (truth === 'unknown') trial.unknown++;
        if (answer && (truth !== 'yes' || !meaning.isWellFounded(object, name)))
          trial.wrongAllows.push(words);
        if (!answer && truth === 'yes') trial.wrongDenies.push(words);
        if (!answer) continue;
        trial.allowed++;
        yes.set(`${object}#${name}`, (yes.get(`${object}#${name}`) ?? new Set()).add(subject));
      }
    }
  }
  if (withLists) tryLists(world, { engine, module, trial, yes });
}

interface Run {
  readonly engine: Engine;
  readonly module: EngineModule;
  readonly trial: Trial;
  /** `object#relation` -> the subjects that were allowed. */
  readonly yes: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Lists and explanations must say what the checks said; one that throws says nothing. */
function tryLists(world: World, run: Run): void {
  const { engine, trial, yes } = run;
  for (const { type, name } of world.relations) {
    const objects = world.objects.filter((object) => object.startsWith(`${type}:`));
    for (const user of world.subjects) {
      const listed = answered(() => engine.listObjects({ user, relation: name, type }), run);
      const expected = objects.filter((object) => yes.get(`${object}#${name}`)?.has(user) === true).sort();
      if (listed !== undefined && listed.join() !== expected.join())
        trial.wrongLists.push(`objects: ${user} ${name} ${type}: ${listed.join()}`);
    }
    for (const object of objects) {
      const allowed = yes.get(`${object}#${name}`) ?? new Set<string>();
      const users = answered(() => engine.listUsers({ object, relation: name, filters: ['user'] }), run);
      if (users !== undefined && !isSameUsers(users, allowed))
        trial.wrongLists.push(`users: ${name} ${object}: ${users.join()}`);
      const user = world.subjects.find((subject) => allowed.has(subject));
      const proof = user && answered(() => engine.explain({ user, relation: name, object }), run)?.proof;
      if (user !== undefined && proof === undefined)
        trial.wrongLists.push(`explain: ${user} ${name} ${object}`);
    }
  }
}

/** A list may leave out a name that `user:*` stands for, and must not have one that was denied. */
function isSameUsers(listed: readonly string[], allowed: ReadonlySet<string>): boolean {
  const hasEverybody = listed.includes('user:*');
  const isComplete = worldUsers.every((user) => !allowed.has(user) || hasEverybody || listed.includes(user));
  return isComplete && listed.every((user) => user === 'user:*' || allowed.has(user));
}

function engineOf(world: World, { AccessError, createEngine, createMemoryTuples }: EngineModule): Engine {
  const types = ['user', 't0', 't1'].map((type) => ({
    name: type,
    relations: world.relations
      .filter((relation) => relation.type === type)
      .map(({ name, expression, allowed }) => ({
        name,
        rewrite: rewriteOf(expression),
        direct: allowed.map(restriction),
      })),
  }));
  const compiled: Compiled = {
    format: 1,
    types,
    conditions: conditionNames.map((name) => ({ name, expression: '', parameters: [] })),
  };
  const isMet = (name: string): boolean => {
    if (name === 'breaks') throw new AccessError('condition.failed', 'broken');
    return name === 'holds';
  };
  const conditions: Conditions = new Map(
    conditionNames.map((name) => [name, { name, isMet: () => isMet(name), refuses: () => undefined }]),
  );
  const tuples = world.tuples.map(({ condition, ...words }) => ({
    ...words,
    condition: condition === '' ? undefined : { name: condition },
  }));
  return createEngine(compiled, createMemoryTuples(tuples), conditions);
}

function rewriteOf(expression: Expression): Compiled['types'][number]['relations'][number]['rewrite'] {
  switch (expression.op) {
    case 'direct':
      return { kind: 'direct' };
    case 'computed':
      return { kind: 'computed', relation: expression.relation };
    case 'parent':
      return { kind: 'through', tupleset: 'parent', relation: expression.relation };
    case 'minus':
      return { kind: 'not', base: rewriteOf(expression.base), subtract: rewriteOf(expression.subtract) };
    default:
      return { kind: expression.op === 'any' ? 'or' : 'and', of: expression.of.map(rewriteOf) };
  }
}

function restriction({ who, condition }: World['relations'][number]['allowed'][number]) {
  const [type = '', relation] = who.replace(':*', '').split('#');
  return {
    type,
    ...(relation === undefined ? {} : { relation }),
    ...(who.endsWith(':*') ? { wildcard: true } : {}),
    ...(condition === '' ? {} : { condition }),
  };
}

function answered<T>(ask: () => T, { module, trial }: Pick<Run, 'module' | 'trial'>): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof module.AccessError)) throw error;
    if (error.code === 'check.too_complex') trial.endless++;
    return undefined;
  }
}
