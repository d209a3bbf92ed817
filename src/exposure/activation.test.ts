import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activate,
  type ActivationSet,
  type Candidate,
  type Limits,
  noneActive,
  retain,
  tokensIn,
} from './activation.js';

const limits: Limits = { maxCount: 3, maxTokens: 1000 };
const some = (names: string, tokens = 100): readonly Candidate[] =>
  names.split(' ').map((name) => ({ name, tokens }));
const namesOf = ({ entries }: ActivationSet): string => entries.map(({ name }) => name).join(' ');

describe('a set of active tools', () => {
  it('keeps the order of activation, regardless of use', () => {
    const { set } = activate(noneActive, some('a b'), limits);
    const again = activate(set, some('a'), limits);
    expect(namesOf(again.set)).toBe('a b');
    expect(again).toMatchObject({ activated: [], alreadyActive: ['a'], evicted: [] });
  });

  it('removes the least recently used tool, and says how long it was unused', () => {
    let { set } = activate(noneActive, some('a b c'), limits);
    ({ set } = activate(set, some('a'), limits));
    ({ set } = activate(set, some('b'), limits));
    const last = activate(set, some('d'), limits);
    expect(last.evicted).toEqual([{ name: 'c', idleCalls: 2 }]);
    expect(namesOf(last.set)).toBe('a b d');
  });

  it('keeps the best results of a search', () => {
    const { set } = activate(noneActive, some('a b c'), limits);
    expect(namesOf(activate(set, some('d'), limits).set)).toBe('a b d');
  });

  it('never removes a tool of the same batch, and leaves out what does not fit', () => {
    const { set } = activate(noneActive, some('a'), limits);
    const batch = activate(set, some('a b c d'), limits);
    expect(batch).toMatchObject({
      activated: ['b', 'c'],
      alreadyActive: ['a'],
      notActivated: ['d'],
      evicted: [],
    });
  });

  it('checks the token limit before the tool limit', () => {
    const { set } = activate(noneActive, some('a b', 400), limits);
    const next = activate(set, some('c', 300), limits);
    expect(next.evicted.map(({ name }) => name)).toEqual(['b']);
    expect(tokensIn(next.set.entries)).toBe(700);
  });

  it('accepts a single tool that is larger than the limit', () => {
    const { set } = activate(noneActive, some('a b'), limits);
    const next = activate(set, [...some('huge', 5000), ...some('c')], limits);
    expect(namesOf(next.set)).toBe('huge');
    expect(next.notActivated).toEqual(['c']);
  });

  it('removes tools that no longer exist, and counts changed ones again', () => {
    const { set } = activate(noneActive, some('a b'), limits);
    const kept = retain(set, (name) => (name === 'a' ? 7 : undefined));
    expect(kept.gone).toEqual(['b']);
    expect(kept.set.entries).toMatchObject([{ name: 'a', tokens: 7 }]);
    expect(retain(kept.set, () => 7).set).toBe(kept.set);
  });
});

/** The same rules, told in another way: a plain list of names and when each was last used. */
class Model {
  order: string[] = [];
  readonly used = new Map<string, number>();
  clock = 0;
  readonly tokens: ReadonlyMap<string, number>;
  readonly limits: Limits;

  constructor(tokens: ReadonlyMap<string, number>, room: Limits) {
    this.tokens = tokens;
    this.limits = room;
  }

  weight(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.tokens.get(name) ?? 0), 0);
  }

  isFull(names: readonly string[]): boolean {
    return names.length > this.limits.maxCount || this.weight(names) > this.limits.maxTokens;
  }

  use(batch: readonly string[]): void {
    this.clock += 1;
    const members = this.order.filter((name) => batch.includes(name));
    for (const name of batch) {
      if (this.order.includes(name) || members.includes(name)) continue;
      if (members.length > 0 && this.isFull([...members, name])) continue;
      members.push(name);
    }
    this.order.push(...members.filter((name) => !this.order.includes(name)));
    for (const name of members) this.used.set(name, this.clock);
    while (this.isFull(this.order)) {
      const others = this.order.filter((name) => !members.includes(name));
      if (others.length === 0) break;
      const oldest = others.reduce((a, b) => ((this.used.get(b) ?? 0) <= (this.used.get(a) ?? 0) ? b : a));
      this.order = this.order.filter((name) => name !== oldest);
    }
  }

  lose(names: readonly string[]): void {
    this.order = this.order.filter((name) => !names.includes(name));
  }
}

interface Real {
  set: ActivationSet;
}

const pool = 'a b c d e f g h i j'.split(' ');

class Use implements fc.Command<Model, Real> {
  readonly batch: readonly string[];
  constructor(batch: readonly string[]) {
    this.batch = batch;
  }
  check = (): boolean => true;
  run(model: Model, real: Real): void {
    const before = new Set(real.set.entries.map(({ name }) => name));
    const candidates = this.batch.map((name) => ({ name, tokens: model.tokens.get(name) ?? 0 }));
    const done = activate(real.set, candidates, model.limits);
    real.set = done.set;
    model.use(this.batch);
    expect(namesOf(real.set)).toBe(model.order.join(' '));
    const after = new Set(done.set.entries.map(({ name }) => name));
    // What is reported is what happened.
    expect(done.activated.filter((name) => !after.has(name) || before.has(name))).toEqual([]);
    expect(done.evicted.map(({ name }) => name).sort()).toEqual(
      [...before].filter((name) => !after.has(name)).sort(),
    );
    expect([...done.activated, ...done.alreadyActive, ...done.notActivated].sort()).toEqual(
      [...new Set(this.batch)].sort(),
    );
    // Nothing of the batch makes room, and the limits hold for all but one that is too large by itself.
    expect(done.evicted.some(({ name }) => this.batch.includes(name))).toBe(false);
    const isAlone = done.set.entries.length === 1;
    expect(isAlone || !model.isFull(done.set.entries.map(({ name }) => name))).toBe(true);
  }
  toString = (): string => `use(${this.batch.join(',')})`;
}

class Lose implements fc.Command<Model, Real> {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    this.names = names;
  }
  check = (): boolean => true;
  run(model: Model, real: Real): void {
    const { set, gone } = retain(real.set, (name) =>
      this.names.includes(name) ? undefined : model.tokens.get(name),
    );
    expect(gone.every((name) => this.names.includes(name))).toBe(true);
    real.set = set;
    model.lose(this.names);
    expect(namesOf(set)).toBe(model.order.join(' '));
  }
  toString = (): string => `lose(${this.names.join(',')})`;
}

class Fork implements fc.Command<Model, Real> {
  check = (): boolean => true;
  run(model: Model, real: Real): void {
    // A child begins with the very set, and whatever it does leaves its parent's alone.
    const parent = real.set;
    const before = JSON.stringify(parent);
    activate(parent, [{ name: 'z', tokens: 1 }], model.limits);
    retain(parent, () => undefined);
    expect(JSON.stringify(parent)).toBe(before);
  }
  toString = (): string => 'fork';
}

it('follows the rules for any sequence of use, loss and inheritance', () => {
  const names = fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1, maxLength: 6 });
  const commands = fc.commands(
    [names.map((batch) => new Use(batch)), names.map((gone) => new Lose(gone)), fc.constant(new Fork())],
    {
      maxCommands: 40,
    },
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), {
    minLength: pool.length,
    maxLength: pool.length,
  });
  const room = fc.record({
    maxCount: fc.integer({ min: 1, max: 6 }),
    maxTokens: fc.integer({ min: 100, max: 1000 }),
  });
  fc.assert(
    fc.property(sizes, room, commands, (tokens, limitsOf, steps) => {
      const model = new Model(new Map(pool.map((name, at) => [name, tokens[at] ?? 1])), limitsOf);
      fc.modelRun(() => ({ model, real: { set: noneActive } }), steps);
    }),
    { numRuns: 3000 },
  );
});
