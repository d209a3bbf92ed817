import type { Delegation, ToolSpec } from '../../core/index.js';
import { explainDelegation } from '../authorizer/explain.js';
import { type Action, createPolicy, type Predicates, openAuthorizer } from '../authorizer/index.js';
import { AccessError } from '../engine/index.js';
import type { GrantStore, GrantTuple } from '../ports/index.js';
import { type Profiles, resolveProfiles } from '../profiles/index.js';
import { AdminError } from './admin-error.js';
import { type AdminCatalog, type AdminParts, lookUp, toolsOf } from './parts.js';
import { byCodeUnit, type Reach, reachOfDelegation } from './reach.js';
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
export async function runTests(parts: AdminParts, document: unknown): Promise<TestRun> {
  const read = readTestDocument(document);
  const head = read.tuples === undefined ? await fresh(parts) : undefined;
  const { catalogue } = await lookUp(
    parts,
    (known) => read.tests.flatMap(({ lists }) => entriesOf(lists, known, parts)),
    (targets) => targets.every(({ tools }) => tools.length > 0),
  );
  const tests = await withPredicates(parts, read, (predicates) =>
    read.tests.map((test) => runTest(parts, { test, predicates, catalogue })),
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
  catalogue: AdminCatalog,
  parts: AdminParts,
): readonly Target[] {
  return lists.flatMap(({ entries }) => entries.map((entry) => readTarget(entry, catalogue, parts)));
}

interface Trial {
  readonly test: Expectation;
  readonly predicates: Predicates;
  readonly catalogue: AdminCatalog;
}

function runTest(parts: AdminParts, { test, predicates, catalogue }: Trial): TestOutcome {
  const { delegation: own } = readPrincipal(test.as, parts);
  const delegation: Delegation = { ...own, ...(test.profile !== undefined && { profile: test.profile }) };
  const reach = reachOfDelegation(predicates, delegation, toolsOf(catalogue));
  const checks = test.lists.flatMap(({ kind, entries }) =>
    kind === 'exactly'
      ? exactly(parts, { entries, reach, catalogue })
      : entries.map((entry) => checkEntry(parts, { kind, entry, delegation, predicates, reach, catalogue })),
  );
  return { name: test.name, as: test.as, passed: checks.every(({ passed }) => passed), checks };
}

interface Entry {
  readonly kind: Exclude<ExpectedList['kind'], 'exactly'>;
  readonly entry: string;
  readonly delegation: Delegation;
  readonly predicates: Predicates;
  readonly reach: Reach;
  readonly catalogue: AdminCatalog;
}

function checkEntry(
  parts: AdminParts,
  { kind, entry, delegation, predicates, reach, catalogue }: Entry,
): TestCheck {
  const says = `${kind} ${entry}`;
  const { tools } = readTarget(entry, catalogue, parts);
  if (tools.length === 0) return { says, passed: false, why: noTool(entry, catalogue, parts) };
  const action: Action = kind === 'can' || kind === 'cannot' ? 'call' : 'see';
  const isWanted = kind === 'can' || kind === 'sees';
  const wrong = tools.filter(({ name }) => reach[action].includes(name) !== isWanted);
  const [first] = wrong;
  if (first === undefined) return { says, passed: true };
  const more = wrong.length > 1 ? ` and ${String(wrong.length - 1)} more` : '';
  return { says, passed: false, why: `${whyOf(predicates, delegation, first, action)}${more}` };
}

function whyOf(predicates: Predicates, delegation: Delegation, tool: ToolSpec, action: Action): string {
  const { isAllowed, reason } = explainDelegation(predicates, delegation, tool, action);
  return `${isAllowed ? 'may' : 'may not'} ${action} ${tool.name}: ${reason}`;
}

/** Everything not listed must be denied. */
function exactly(
  parts: AdminParts,
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

function noTool(entry: string, { specs }: AdminCatalog, { nearest }: AdminParts): string {
  const near = nearest(
    entry,
    specs.flatMap((spec) => (spec.kind === 'tool' ? [spec.name] : [])),
  );
  return `no tool matches ${quoted(entry)}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** The live evaluator, or one for the tuples and profiles of the document. */
async function withPredicates<T>(
  parts: AdminParts,
  { tuples, profiles }: TestDocument,
  work: (predicates: Predicates) => T,
): Promise<T> {
  if (tuples === undefined && profiles === undefined) return work(parts.authorizer.predicates());
  const { model, conditions, zone, now, authorizer } = parts;
  const trial = openAuthorizer({
    store: storeOf(tuples ?? authorizer.replica.tuples.all().map(onlyTuple)),
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
    refuseWrongTuples(trial.predicates(), tuples ?? []);
    return work(trial.predicates());
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

function refuseWrongTuples({ engine }: Predicates, tuples: readonly GrantTuple[]): void {
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
  throw new AdminError('access.bad_document', 'The model does not allow these tuples.', undefined, problems);
}

function resolved(parts: AdminParts, given: NonNullable<TestDocument['profiles']>): Profiles {
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
  throw new AdminError('access.bad_document', 'The profiles are invalid.', undefined, problems);
}
