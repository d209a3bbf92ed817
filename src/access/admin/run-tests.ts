import type { Link, ToolSpec } from '../../core/index.js';
import { explainLink } from '../authorizer/explain.js';
import { type Action, createPolicy, type Judge, openAuthority } from '../authorizer/index.js';
import { AccessError } from '../engine/index.js';
import type { GrantStore, GrantTuple } from '../ports/index.js';
import { type Profiles, resolveProfiles } from '../profiles/index.js';
import { DeskError } from './admin-error.js';
import { type DeskCatalogue, type DeskParts, lookUp, toolsOf } from './parts.js';
import { byCodeUnit, type Reach, reachOfLink } from './reach.js';
import { quoted, readPrincipal } from './receiver.js';
import { readTarget, type Target } from './target.js';
import { type Expectation, type ExpectedList, readTestDocument, type TestDocument } from './test-document.js';
import { fresh, onlyTuple } from './write.js';

export interface TestCheck {
  /** `can Read`. */
  readonly says: string;
  readonly passed: boolean;
  /** The actual result. */
  readonly why?: string;
}

export interface TestOutcome {
  readonly name: string;
  readonly as: string;
  readonly passed: boolean;
  readonly checks: readonly TestCheck[];
}

export interface TestRun {
  /** Over all checks. */
  readonly passed: number;
  readonly failed: number;
  /** Absent if the stored rights were not used. */
  readonly revision?: number;
  readonly tests: readonly TestOutcome[];
}

/** Checks the expectations against the stored rights, or against those in the document. */
export async function runTests(parts: DeskParts, document: unknown): Promise<TestRun> {
  const read = readTestDocument(document);
  const head = read.tuples === undefined ? await fresh(parts) : undefined;
  const { catalogue } = await lookUp(
    parts,
    (known) => read.tests.flatMap(({ lists }) => entriesOf(lists, known, parts)),
    (targets) => targets.every(({ tools }) => tools.length > 0),
  );
  const tests = await withJudge(parts, read, (judge) =>
    read.tests.map((test) => runTest(parts, { test, judge, catalogue })),
  );
  const checks = tests.flatMap((test) => test.checks);
  const passed = checks.filter((one) => one.passed).length;
  return {
    passed,
    failed: checks.length - passed,
    ...(head !== undefined && { revision: head.revision }),
    tests,
  };
}

function entriesOf(
  lists: readonly ExpectedList[],
  catalogue: DeskCatalogue,
  parts: DeskParts,
): readonly Target[] {
  return lists.flatMap(({ entries }) => entries.map((entry) => readTarget(entry, catalogue, parts)));
}

interface Trial {
  readonly test: Expectation;
  readonly judge: Judge;
  readonly catalogue: DeskCatalogue;
}

function runTest(parts: DeskParts, { test, judge, catalogue }: Trial): TestOutcome {
  const { link: own } = readPrincipal(test.as, parts);
  const link: Link = { ...own, ...(test.profile !== undefined && { profile: test.profile }) };
  const reach = reachOfLink(judge, link, toolsOf(catalogue));
  const checks = test.lists.flatMap(({ kind, entries }) =>
    kind === 'exactly'
      ? exactly(parts, { entries, reach, catalogue })
      : entries.map((entry) => checkEntry(parts, { kind, entry, link, judge, reach, catalogue })),
  );
  return { name: test.name, as: test.as, passed: checks.every(({ passed }) => passed), checks };
}

interface Entry {
  readonly kind: Exclude<ExpectedList['kind'], 'exactly'>;
  readonly entry: string;
  readonly link: Link;
  readonly judge: Judge;
  readonly reach: Reach;
  readonly catalogue: DeskCatalogue;
}

function checkEntry(parts: DeskParts, { kind, entry, link, judge, reach, catalogue }: Entry): TestCheck {
  const says = `${kind} ${entry}`;
  const { tools } = readTarget(entry, catalogue, parts);
  if (tools.length === 0) return { says, passed: false, why: noTool(entry, catalogue, parts) };
  const action: Action = kind === 'can' || kind === 'cannot' ? 'call' : 'see';
  const isWanted = kind === 'can' || kind === 'sees';
  const wrong = tools.filter(({ name }) => reach[action].includes(name) !== isWanted);
  const [first] = wrong;
  if (first === undefined) return { says, passed: true };
  const more = wrong.length > 1 ? ` and ${String(wrong.length - 1)} more` : '';
  return { says, passed: false, why: `${whyOf(judge, link, first, action)}${more}` };
}

function whyOf(judge: Judge, link: Link, tool: ToolSpec, action: Action): string {
  const { isAllowed, reason } = explainLink(judge, link, tool, action);
  return `${isAllowed ? 'may' : 'may not'} ${action} ${tool.name}: ${reason}`;
}

/** Everything not listed must be denied. */
function exactly(
  parts: DeskParts,
  { entries, reach, catalogue }: Pick<Entry, 'reach' | 'catalogue'> & { readonly entries: readonly string[] },
): readonly TestCheck[] {
  const targets = entries.map((entry) => ({ entry, tools: readTarget(entry, catalogue, parts).tools }));
  const unknown = targets
    .filter(({ tools }) => tools.length === 0)
    .map(({ entry }) => ({ says: `exactly ${entry}`, passed: false, why: noTool(entry, catalogue, parts) }));
  const wanted = new Set(targets.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const lacking = [...wanted].filter((name) => !reach.call.includes(name)).sort(byCodeUnit);
  const extra = reach.call.filter((name) => !wanted.has(name));
  const why = [
    ...(lacking.length > 0 ? [`may not call ${lacking.join(', ')}`] : []),
    ...(extra.length > 0 ? [`may also call ${extra.join(', ')}`] : []),
  ].join('; ');
  const says = `exactly ${entries.length === 0 ? 'nothing' : entries.join(', ')}`;
  return [...unknown, { says, passed: why === '', ...(why !== '' && { why }) }];
}

function noTool(entry: string, { specs }: DeskCatalogue, { nearest }: DeskParts): string {
  const near = nearest(
    entry,
    specs.flatMap((spec) => (spec.kind === 'tool' ? [spec.name] : [])),
  );
  return `no tool matches ${quoted(entry)}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** The live evaluator, or one for the tuples and profiles of the document. */
async function withJudge<T>(
  parts: DeskParts,
  { tuples, profiles }: TestDocument,
  work: (judge: Judge) => T,
): Promise<T> {
  if (tuples === undefined && profiles === undefined) return work(parts.authority.judge());
  const { model, conditions, zone, now, authority } = parts;
  const trial = openAuthority({
    store: storeOf(tuples ?? authority.replica.tuples.all().map(onlyTuple)),
    zone,
    model,
    conditions,
    policy: createPolicy(profiles === undefined ? parts.profiles() : resolved(parts, profiles)),
    isAlive: () => true,
    confirm: () => true,
    now,
    log: () => undefined,
  });
  try {
    await trial.refresh();
    refuseWrongTuples(trial.judge(), tuples ?? []);
    return work(trial.judge());
  } finally {
    trial.close();
  }
}

/** A read-only store for the tuples of the document. */
function storeOf(tuples: readonly GrantTuple[]): GrantStore {
  const refuse = (): Promise<never> => Promise.reject(new Error('tests cannot write'));
  const head = { revision: 1, history: 'test', origin: 'test' };
  return {
    head: () => head,
    onChange: () => () => undefined,
    changes: () => ({ kind: 'all', head, tuples }),
    write: refuse,
    grants: refuse,
  };
}

function refuseWrongTuples({ engine }: Judge, tuples: readonly GrantTuple[]): void {
  const problems = tuples.flatMap((tuple) => {
    try {
      engine.validate(tuple);
      return [];
    } catch (error) {
      if (error instanceof AccessError) return [error.message];
      throw error;
    }
  });
  if (problems.length === 0) return;
  throw new DeskError('access.bad_document', 'The model does not allow these tuples.', undefined, problems);
}

function resolved(parts: DeskParts, given: NonNullable<TestDocument['profiles']>): Profiles {
  const { sources, defaultProfile, principals } = given;
  const profiles = resolveProfiles(sources, {
    isBuiltin: parts.isBuiltin,
    nearest: parts.nearest,
    principals,
    ...(defaultProfile !== undefined && { defaultProfile }),
  });
  const errors = profiles.problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return profiles;
  const problems = errors.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new DeskError('access.bad_document', 'The profiles are invalid.', undefined, problems);
}
