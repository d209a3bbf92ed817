import { asRecord } from '../../lib/is-record.js';
import type { GrantTuple } from '../ports/index.js';
import type { PrincipalSource, ProfileSource } from '../profiles/index.js';
import { AdminError } from './admin-error.js';
import { readTuples } from './document.js';

/** The expected rights of one principal. */
export interface Expectation {
  readonly name: string;
  /** `agent:alice`. */
  readonly as: string;
  /** Limit to this profile, as with `--profile`. */
  readonly profile?: string;
  readonly lists: readonly ExpectedList[];
}

export interface ExpectedList {
  readonly kind: (typeof kinds)[number];
  readonly entries: readonly string[];
}

export interface TestDocument {
  readonly tests: readonly Expectation[];
  /** Used instead of the stored tuples. */
  readonly tuples?: readonly GrantTuple[];
  /** Used instead of the profiles file. */
  readonly profiles?: {
    readonly sources: readonly ProfileSource[];
    readonly defaultProfile?: string;
    readonly principals: readonly PrincipalSource[];
  };
}

/** `exactly` lists all that may be called; the rest must be denied. `cannot` and `hides` guard individual tools. */
const kinds = ['can', 'cannot', 'sees', 'hides', 'exactly'] as const;
const most = { tests: 1000, entries: 20_000, problems: 100 };

/** Reads a file of assertions; throws if anything in it is invalid. */
export function readTestDocument(document: unknown): TestDocument {
  const problems: string[] = [];
  const tell = (problem: string): void => {
    if (problems.length < most.problems) problems.push(problem);
  };
  const known = asRecord(document);
  const { tests, tuples, profiles, default_profile: defaultProfile, principals, ...others } = known;
  for (const key of Object.keys(others)) tell(`${key}: unknown field`);
  const read: TestDocument = {
    tests: readTests(tests, tell),
    ...(tuples !== undefined && { tuples: readTuples(tuples, tell) }),
    ...(profiles !== undefined && {
      profiles: {
        sources: readProfiles(profiles, tell),
        principals: readPrincipals(principals, tell),
        ...(typeof defaultProfile === 'string' && { defaultProfile }),
      },
    }),
  };
  if (profiles === undefined && (defaultProfile ?? principals) !== undefined)
    tell('default_profile and principals can only be used together with profiles');
  if (problems.length === 0) return read;
  throw new AdminError('access.bad_document', 'The assertions are invalid.', undefined, problems);
}

type Tell = (problem: string) => void;

function readTests(value: unknown, tell: Tell): readonly Expectation[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most.tests) {
    tell(`tests: must be a list of 1 to ${String(most.tests)}`);
    return [];
  }
  let entries = 0;
  const tests = value.flatMap((one: unknown, at) => {
    const test = readTest(asRecord(one), `tests.${String(at)}`, tell);
    entries += test.lists.reduce((sum, list) => sum + list.entries.length, 0);
    return [test];
  });
  if (entries > most.entries) tell(`tests: more than ${String(most.entries)} entries`);
  return tests;
}

function readTest(known: Readonly<Record<string, unknown>>, place: string, tell: Tell): Expectation {
  const { name, as, profile, ...lists } = known;
  if (typeof as !== 'string') tell(`${place}.as: must name a principal, such as agent:alice`);
  if (name !== undefined && typeof name !== 'string') tell(`${place}.name: must be a string`);
  if (profile !== undefined && typeof profile !== 'string') tell(`${place}.profile: must be a string`);
  const read = Object.entries(lists).flatMap(([key, entries]) => {
    const kind = kinds.find((one) => one === key);
    if (kind === undefined) tell(`${place}.${key}: must be one of ${kinds.join(', ')}`);
    return kind === undefined ? [] : [{ kind, entries: texts(entries, `${place}.${key}`, tell) }];
  });
  if (read.length === 0) tell(`${place}: has no expectation; add one of ${kinds.join(', ')}`);
  return {
    name: typeof name === 'string' ? name : `${String(as)} (${place})`,
    as: String(as),
    ...(typeof profile === 'string' && { profile }),
    lists: read,
  };
}

function readProfiles(value: unknown, tell: Tell): readonly ProfileSource[] {
  return Object.entries(asRecord(value)).map(([name, one]) => {
    const place = `profiles.${name}`;
    const { description, extends: parents, tools, see_only: seeOnly, ...others } = asRecord(one);
    for (const key of Object.keys(others)) tell(`${place}.${key}: unknown field`);
    return {
      name,
      ...(typeof description === 'string' && { description }),
      ...(parents !== undefined && {
        extends: typeof parents === 'string' ? parents : texts(parents, `${place}.extends`, tell),
      }),
      tools: tools === undefined ? [] : texts(tools, `${place}.tools`, tell),
      ...(seeOnly !== undefined && { seeOnly: texts(seeOnly, `${place}.see_only`, tell) }),
    };
  });
}

function readPrincipals(value: unknown, tell: Tell): readonly PrincipalSource[] {
  return Object.entries(asRecord(value)).map(([principal, one]) => {
    const place = `principals.${principal}`;
    const { profile, add, remove, ...others } = asRecord(one);
    for (const key of Object.keys(others)) tell(`${place}.${key}: unknown field`);
    return {
      principal,
      ...(typeof profile === 'string' && { profile }),
      ...(add !== undefined && { add: texts(add, `${place}.add`, tell) }),
      ...(remove !== undefined && { remove: texts(remove, `${place}.remove`, tell) }),
    };
  });
}

function texts(value: unknown, place: string, tell: Tell): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const found = all.filter((one) => typeof one === 'string');
  if (!Array.isArray(value) || found.length < all.length) tell(`${place}: must be a list of strings`);
  return found;
}
