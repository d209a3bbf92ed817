import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Check, Finding } from './check.js';
import { checks } from './checks.js';
import { examine, worstOf } from './examine.js';
import {
  clockFinding,
  environmentFinding,
  isOlder,
  nodeFinding,
  nodeFloor,
  platformFinding,
} from './machine-checks.js';
import type { HomeView } from './home-view.js';
import { platformDefences } from './platform-defences.js';

const about = { group: 'machine', title: 'T', why: 'w', remedy: 'r' } as const;
const place = {
  cwd: '/',
  env: { TIDEGATE_HOME: '/nonexistent/home' },
  version: '0.0.0',
  storeSecretsCommand: () => Promise.resolve(undefined),
};

function run(
  own: readonly Check[],
  more: { readonly isFixing?: boolean; readonly signal?: AbortSignal } = {},
) {
  const { isFixing = false, signal = new AbortController().signal } = more;
  return examine({ ...place, checks: own, isFixing, signal, onProgress: () => undefined });
}

describe('the checks of doctor', () => {
  it('have unique ids, a reason and a remedy', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { id, why, remedy } of checks)
      expect([id, why.endsWith('.'), remedy.endsWith('.')]).toEqual([id, true, true]);
  });

  it('become findings if they throw or time out, and other checks continue', async () => {
    const { examined } = await run([
      {
        ...about,
        id: 'throws',
        run: () => {
          throw new Error('boom');
        },
      },
      { ...about, id: 'hangs', limitMs: 20, run: () => new Promise(() => undefined) },
      { ...about, id: 'fine', run: () => [{ state: 'ok', detail: 'yes' }] },
    ]);
    expect(
      examined.map(({ check, findings }) => [check.id, findings[0]?.state, findings[0]?.detail]),
    ).toEqual([
      ['throws', 'fail', 'the check itself failed: boom'],
      ['hangs', 'fail', 'timed out after 0.02 s'],
      ['fine', 'ok', 'yes'],
    ]);
  });

  it('are aborted when the run is interrupted', async () => {
    const stop = new AbortController();
    let wasTold = false;
    const checked: Check = {
      ...about,
      id: 'long',
      run: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            wasTold = true;
            resolve([]);
          });
          stop.abort();
        }),
    };
    const { examined } = await run([checked], { signal: stop.signal });
    expect([wasTold, examined[0]?.findings]).toEqual([true, [{ state: 'skipped', detail: 'interrupted' }]]);
  });

  it('apply fixes only with --fix, check again afterwards, and report fixes that failed', async () => {
    let isBroken = true;
    const fix = {
      does: 'fix it',
      run: () => {
        isBroken = false;
        return Promise.resolve('fixed it');
      },
    };
    const broken: Finding = { state: 'fail', detail: 'broken', fix };
    const own: readonly Check[] = [
      { ...about, id: 'a', run: () => [isBroken ? broken : { state: 'ok', detail: 'whole' }] },
      {
        ...about,
        id: 'b',
        run: () => [
          { state: 'warn', detail: 'odd', fix: { does: 'try', run: () => Promise.reject(new Error('no')) } },
        ],
      },
      {
        ...about,
        id: 'c',
        run: () => [isBroken ? { state: 'skipped', detail: 'a is broken' } : { state: 'ok', detail: 'seen' }],
      },
    ];
    expect((await run(own)).fixed).toEqual([]);
    expect(isBroken).toBe(true);
    const { examined, fixed } = await run(own, { isFixing: true });
    expect(examined.map(({ findings }) => worstOf(findings))).toEqual(['ok', 'warn', 'ok']);
    expect(fixed).toEqual([
      { id: 'a', did: 'fixed it', isDone: true },
      { id: 'b', did: 'try: no', isDone: false },
    ]);
  });
});

describe('system checks', () => {
  it('use the Node version of package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(`${engines.node}.0`).toBe(`>=${nodeFloor}`);
  });

  it.each([
    ['20.18.3', true],
    ['18.20.0', true],
    ['20.19.0', false],
    ['22.1.0', false],
    ['100.0.0', false],
  ])('Node %s is too old: %s', (version, isTooOld) => {
    expect(isOlder(version, nodeFloor)).toBe(isTooOld);
    expect(nodeFinding(version).state).toBe(isTooOld ? 'fail' : 'ok');
  });

  it('lists protections that are weaker on other platforms', () => {
    expect(platformFinding('linux', 'x64').state).toBe('ok');
    expect(platformFinding('darwin', 'arm64').more).toContainEqual(
      expect.stringMatching(/^Bash sandbox: none/),
    );
    expect(platformFinding('win32', 'x64').more?.length).toBeGreaterThan(3);
    expect(platformFinding('aix', 'ppc64').state).toBe('warn');
    // The check and docs/security.md use the same table.
    expect(new Set(platformDefences.map(({ id }) => id)).size).toBe(platformDefences.length);
  });

  it('warns about variables that other processes can read', () => {
    expect(environmentFinding(() => []).state).toBe('ok');
    expect(environmentFinding(() => ['API_KEY'])).toMatchObject({ state: 'warn', more: ['API_KEY'] });
    const refused = (): never => {
      throw new Error('EACCES');
    };
    expect(environmentFinding(refused).state).toBe('note');
  });

  it('detects a clock that was set back by files dated in the future', () => {
    const now = Date.UTC(2026, 10, 16);
    const view = (mtimeMs: number): HomeView =>
      ({ entries: [{ path: 'token', stats: { mtimeMs } }] }) as unknown as HomeView;
    expect(clockFinding({ view: () => view(now) }, now).state).toBe('ok');
    expect(clockFinding({ view: () => view(now + 3_600_000) }, now).detail).toContain('60 minutes ahead');
    expect(clockFinding({ view: () => view(0) }, Date.UTC(1999, 1, 1)).state).toBe('fail');
  });
});
