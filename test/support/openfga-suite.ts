import type { SuiteStage, SuiteTest, SuiteTuple } from './test-data.js';

/** What a suite asks of an engine: that of `tidegate/testing`, or one that was broken on purpose. */
export interface SuiteEngine {
  check(tuple: SuiteTuple, options: SuiteOptions): Promise<boolean>;
  listObjects(
    request: { readonly user: string; readonly type: string; readonly relation: string },
    options: SuiteOptions,
  ): Promise<readonly string[]>;
  listUsers(
    request: { readonly filters: readonly string[]; readonly object: string; readonly relation: string },
    options: SuiteOptions,
  ): Promise<readonly string[]>;
}

interface SuiteOptions {
  readonly contextualTuples?: readonly SuiteTuple[];
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

export type OpenSuiteEngine = (parts: {
  readonly model: string | object;
  readonly tuples: readonly SuiteTuple[];
}) => Promise<SuiteEngine>;

export const suiteWays = ['text model', 'data model', 'contextual tuples'] as const;
export type SuiteWay = (typeof suiteWays)[number];

export interface SuiteTotals {
  readonly check: Total;
  readonly listObjects: Total;
  readonly listUsers: Total;
  /** What went wrong, in words. */
  readonly wrong: readonly string[];
}

export interface Total {
  asked: number;
  right: number;
}

/** Asks every question of a suite, each way, and only then looks at what was expected. */
export async function runSuite(
  tests: readonly SuiteTest[],
  way: SuiteWay,
  open: OpenSuiteEngine,
): Promise<SuiteTotals> {
  const totals = { check: none(), listObjects: none(), listUsers: none(), wrong: [] as string[] };
  for (const test of tests) {
    const before: SuiteTuple[] = [];
    for (const stage of test.stages) {
      const own = stage.tuples ?? [];
      const isContextual = way === 'contextual tuples';
      const engine = await open({
        model: way === 'text model' ? stage.model : stage.modelJson,
        tuples: isContextual ? before : [...before, ...own],
      });
      await askStage(test.name, stage, { engine, added: isContextual ? [...own].reverse() : [], totals });
      before.push(...own);
    }
  }
  return totals;
}

interface Run {
  readonly engine: SuiteEngine;
  /** The tuples of this stage, where they come with each question. */
  readonly added: readonly SuiteTuple[];
  readonly totals: SuiteTotals & { readonly wrong: string[] };
}

async function askStage(name: string, stage: SuiteStage, { engine, added, totals }: Run): Promise<void> {
  const options = (given: SuiteOptions): SuiteOptions => ({
    contextualTuples: [...(given.contextualTuples ?? []), ...added],
    context: given.context,
  });
  const compare = (total: Total, question: unknown, answer: unknown, expected: unknown): void => {
    total.asked++;
    if (JSON.stringify(answer) === JSON.stringify(expected)) total.right++;
    else totals.wrong.push(`${name}: ${JSON.stringify(question)} gave ${JSON.stringify(answer)}`);
  };
  for (const one of stage.checkAssertions ?? []) {
    const answer = await answerOf(() => engine.check(one.tuple, options(one)));
    compare(totals.check, one, answer, one.errorCode ?? one.expectation);
  }
  for (const one of stage.listObjectsAssertions ?? []) {
    const answer = await answerOf(() => engine.listObjects(one.request, options(one)));
    compare(totals.listObjects, one, answer, one.errorCode ?? sorted(one.expectation));
  }
  for (const one of stage.listUsersAssertions ?? []) {
    const answer = await answerOf(() => engine.listUsers(one.request, options(one)));
    compare(totals.listUsers, one, answer, one.errorCode ?? sorted(one.expectation));
  }
}

/** The answer, or the number of the error; any other throw is written out, and so never expected. */
async function answerOf(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    const code: unknown = error instanceof Error && 'openfgaCode' in error ? error.openfgaCode : undefined;
    return code ?? String(error);
  }
}

function sorted(expected: readonly string[] | null | undefined): readonly string[] {
  return [...(expected ?? [])].sort();
}

function none(): Total {
  return { asked: 0, right: 0 };
}
