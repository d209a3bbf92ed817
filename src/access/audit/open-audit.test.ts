import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toolRequest } from '../../../test/support/gateway.js';
import {
  type Attempt,
  beginAttempt,
  type Call,
  content,
  createFault,
  faulted,
  type FaultCode,
} from '../../core/index.js';
import { emptyObject } from '../../lib/json-text.js';
import type { AuditRecord } from '../ports/index.js';
import { type Audit, openAudit } from './open-audit.js';

let kept: AuditRecord[];
let warnings: string[];
let said: unknown[];
let asked: string[];
let isAway: boolean;
let audit: Audit;

beforeEach(() => {
  vi.useFakeTimers();
  [kept, warnings, said, asked, isAway] = [[], [], [], [], false];
  audit = openAudit({
    store: () =>
      Promise.resolve({
        appendAudit(records) {
          if (isAway) return Promise.reject(new Error('away'));
          kept.push(...records);
          return Promise.resolve();
        },
        audit: () => Promise.resolve([]),
      }),
    now: () => 7,
    revision: () => 3,
    whyNot({ wanted }) {
      asked.push(wanted.kind === 'tool' ? wanted.name : '');
      return 'blocked';
    },
    redact: (text) => text.replaceAll('tgt_x', '…'),
    warn(message, fields) {
      warnings.push(message);
      said.push(fields);
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a lookup that finds nothing', () => {
  it('is recorded with the reason, which is looked up after the response', async () => {
    audit.missed(toolRequest('hidden'));
    expect(asked).toEqual([]);
    await audit.flush();
    expect(kept).toMatchObject([
      { action: 'describe', decision: 'deny', target: 'hidden', reason: 'blocked' },
    ]);
    expect(kept[0]).not.toHaveProperty('outcome');
  });
});

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

/** Only `admit` creates calls; an attempt reads two of their fields. */
const call = {
  providerId: 'one',
  target: { kind: 'tool', spec: { source: 'server:one' } },
} as unknown as Call;

function attempt(name: string, code?: FaultCode, admitted?: Call): Attempt {
  const request = toolRequest(name, {}, { trace: { traceparent } });
  const begun = beginAttempt(request, (text) => text.replaceAll('tgt_x', '…'));
  if (code !== undefined) return begun.end(faulted(createFault(code, 'no')), admitted, 1);
  return begun.end(content(emptyObject), call, 1.23456);
}

function end(done: Attempt): void {
  audit.observer.begin(done)(done);
}

describe('a record', () => {
  it('has the principal, target, outcome and revision of the rights', async () => {
    end(attempt('a'));
    await audit.flush();
    expect(kept).toEqual([
      {
        at: 7,
        zone: 'local',
        action: 'call',
        decision: 'allow',
        principal: 'user:ada',
        target: 'a',
        reason: 'granted',
        outcome: 'ok',
        requestId: 'request-1',
        sessionId: 'session-1',
        traceId: 'a'.repeat(32),
        revision: 3,
        ms: 1.235,
      },
    ]);
  });

  it('has the reason of a refusal, looked up within 50 ms after the response but not immediately', async () => {
    end(attempt('a', 'tool.not_found'));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.length + kept.length).toBeLessThanOrEqual(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(asked).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(250);
    expect(kept).toMatchObject([
      { target: 'a', decision: 'deny', reason: 'blocked', requestId: 'request-1' },
    ]);
  });

  it('has the fault code as its reason if the target was found but refused', async () => {
    end(attempt('a', 'input.invalid'));
    await audit.flush();
    expect(kept).toMatchObject([{ decision: 'deny', reason: 'input.invalid', outcome: 'input.invalid' }]);
    expect(asked).toEqual([]);
  });

  it.each(['policy.denied', 'approval.denied', 'limits.rate', 'tool.not_found'] as const)(
    'is a denial if the call was admitted and then refused by a stage (%s)',
    async (code) => {
      end(attempt('a', code, call));
      await audit.flush();
      expect(kept).toMatchObject([{ decision: 'deny', reason: code, outcome: code }]);
      expect(asked).toEqual([]);
    },
  );

  it('is not a denial if the server failed (control)', async () => {
    end(attempt('a', 'provider.unavailable', call));
    await audit.flush();
    expect(kept).toMatchObject([{ decision: 'allow', reason: 'granted', outcome: 'provider.unavailable' }]);
  });

  it('contains no secret, not even as a tool name', async () => {
    end(attempt('tgt_x', 'tool.not_found'));
    await audit.flush();
    expect(JSON.stringify(kept)).not.toContain('tgt_x');
  });

  it('is written if the gateway closes right after a refusal', async () => {
    end(attempt('a', 'tool.not_found'));
    await audit.close();
    expect(kept).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(kept).toHaveLength(1);
  });
});

describe('a store that does not respond', () => {
  it('is reported once, and gets the records when it responds again', async () => {
    isAway = true;
    end(attempt('a'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(warnings).toHaveLength(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kept).toHaveLength(1);
  });

  it('[15.46] loses no record of a real call in a flood of refused ones, and names the flooding principals', async () => {
    isAway = true;
    for (let at = 0; at < 24_000; at += 1) end(attempt('none', 'tool.not_found'));
    for (let at = 0; at < 5; at += 1) end(attempt('made'));
    await audit.flush();
    isAway = false;
    await audit.flush();
    expect(kept.filter(({ target }) => target === 'made')).toHaveLength(5);
    expect(kept).toHaveLength(10_005);
    expect(said.at(-1)).toMatchObject({ lost: 14_000, principals: { [kept[0]?.principal ?? '']: 14_000 } });
  });

  it('loses records beyond 20,000, including refusals, and reports how many', async () => {
    isAway = true;
    for (let at = 0; at < 20_020; at += 1) end(attempt('a', at % 2 === 0 ? undefined : 'tool.not_found'));
    isAway = false;
    await audit.flush();
    expect(kept).toHaveLength(20_000);
    expect(warnings.at(-1)).toContain('lost');
  });
});
