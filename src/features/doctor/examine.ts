import { setTimeout as sleep } from 'node:timers/promises';
import { mapAtOnce } from '../../lib/map-at-once.js';
import type { Check, CheckState, Finding } from './check.js';
import { messageOf } from '../../lib/error-message.js';
import { openScene, type Scene, type ScenePlace } from './scene.js';

/** The result of a check: at least one finding. */
export interface Examined {
  readonly check: Check;
  readonly findings: readonly Finding[];
  readonly ms: number;
}

export interface Fixed {
  readonly id: string;
  readonly about?: string;
  /** What was done, or why it failed. */
  readonly did: string;
  readonly isDone: boolean;
}

export interface Examination {
  readonly examined: readonly Examined[];
  readonly fixed: readonly Fixed[];
}

export interface ExamineOptions extends ScenePlace {
  readonly checks: readonly Check[];
  readonly isFixing: boolean;
  /** Called with the running checks and the number of finished ones. */
  readonly onProgress: (underWay: readonly Check[], done: number) => void;
}

const usualMs = 10_000;
/** Enough for the kill ladder of a child up to SIGKILL: the reaper cannot end children that only this process can find. */
const tidyMs = 3500;
/** Limited because some checks start programs. */
const atOnce = 4;

/** Runs a few checks at a time and keeps their order. A check that throws becomes a finding. */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const first = await examineAll(options.checks, openScene(options), options);
  if (!options.isFixing || options.signal.aborted) return { examined: first, fixed: [] };
  const fixed = await fixAll(first);
  const again = new Set(fixed.map(({ id }) => id));
  if (again.size === 0) return { examined: first, fixed };
  // Run skipped checks again: the problem that blocked them may be fixed now.
  const isOpen = ({ check, findings }: Examined): boolean =>
    again.has(check.id) || findings.every(({ state }) => state === 'skipped');
  const open = first.filter(isOpen).map(({ check }) => check);
  const second = await examineAll(open, openScene(options), options);
  const newest = new Map(second.map((one) => [one.check.id, one]));
  return { examined: first.map((one) => newest.get(one.check.id) ?? one), fixed };
}

async function examineAll(
  checks: readonly Check[],
  scene: Scene,
  { onProgress }: Pick<ExamineOptions, 'onProgress'>,
): Promise<readonly Examined[]> {
  const underWay = new Set<Check>();
  let done = 0;
  const results = await mapAtOnce(checks, atOnce, async (check) => {
    if (scene.signal.aborted) return undefined;
    underWay.add(check);
    onProgress([...underWay], done);
    const examined = await examineOne(check, scene);
    underWay.delete(check);
    done += 1;
    onProgress([...underWay], done);
    return examined;
  });
  return results.filter((one) => one !== undefined);
}

async function examineOne(check: Check, scene: Scene): Promise<Examined> {
  const begun = performance.now();
  const over = new AbortController();
  const signal = AbortSignal.any([scene.signal, over.signal]);
  const limitMs = check.limitMs ?? usualMs;
  const late = sleep(limitMs, undefined, { signal, ref: true }).then(
    () => [failing(`timed out after ${String(limitMs / 1000)} s`)],
    () => [stopped],
  );
  try {
    const running = Promise.resolve()
      .then(() => check.run({ ...scene, signal }))
      .catch((error: unknown) => [failing(`the check itself failed: ${messageOf(error)}`)]);
    const findings = await Promise.race([running, late]);
    over.abort();
    // Wait until the processes it started have ended.
    await Promise.race([running, sleep(tidyMs, undefined, { ref: false })]);
    const nothing = scene.signal.aborted ? stopped : empty;
    return { check, findings: findings.length > 0 ? findings : [nothing], ms: performance.now() - begun };
  } finally {
    over.abort();
  }
}

const stopped: Finding = { state: 'skipped', detail: 'interrupted' };
const empty: Finding = { state: 'skipped', detail: 'nothing to check' };

function failing(detail: string): Finding {
  return {
    state: 'fail',
    detail,
    next: 'if this keeps happening, report it with the output of: tidegate doctor --json',
  };
}

async function fixAll(examined: readonly Examined[]): Promise<readonly Fixed[]> {
  const fixed: Fixed[] = [];
  for (const { check, findings } of examined) {
    for (const { fix, about } of findings) {
      if (fix === undefined) continue;
      const whose = { id: check.id, ...(about !== undefined && { about }) };
      try {
        fixed.push({ ...whose, did: await fix.run(), isDone: true });
      } catch (error) {
        fixed.push({ ...whose, did: `${fix.does}: ${messageOf(error)}`, isDone: false });
      }
    }
  }
  return fixed;
}

const order: Readonly<Record<CheckState, number>> = { fail: 4, warn: 3, note: 2, ok: 1, skipped: 0 };

/** The worst state of all findings. */
export function worstOf(findings: readonly Finding[]): CheckState {
  return findings.reduce<CheckState>(
    (worst, { state }) => (order[state] > order[worst] ? state : worst),
    'skipped',
  );
}
