import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FaultCode, faultCodes, faultRow, faultTable, stageNames } from '../../src/core/index.js';
import { legacyVersions } from '../../src/transports/stateful/codec.js';
import { modernVersion } from '../../src/transports/stateless/codec.js';
import { mcpFaults } from '../../src/transports/faults.js';
import { supportedVersions } from '../../src/transports/identity.js';

// The expected side is written out. A pin is changed on purpose and in its own commit, never to go green.

describe('the stages of the pipeline', () => {
  it('are exactly these six, in this order', () => {
    expect(stageNames).toEqual(['policy', 'limits', 'approval', 'results', 'cache', 'redaction']);
  });
});

describe('the protocol versions', () => {
  it('are exactly these, newest first', () => {
    expect([modernVersion, ...legacyVersions]).toEqual([
      '2026-07-28',
      '2025-11-25',
      '2025-06-18',
      '2025-03-26',
      '2024-11-05',
    ]);
  });

  it('that a modern request may choose are modern ones', () => {
    expect(supportedVersions).toEqual(['2026-07-28']);
  });
});

const source = new URL('../../src/', import.meta.url);

const pinnedFaults: Readonly<Record<FaultCode, string>> = {
  'ask.expired': 'agent error -32602',
  'ask.forged': 'agent error -32602',
  'ask.too_many': 'us result -32603',
  'ask.unsupported': 'human error -32021 legacy -32603 http 400',
  'call.cancelled': 'agent retryable error -32603',
  'call.timeout': 'operator retryable result -32603',
  'call.too_many': 'agent retryable error -32603',
  'cursor.invalid': 'agent error -32602',
  'input.invalid': 'agent result -32602',
  internal: 'us error -32603',
  'need.starting': 'agent retryable result -32603',
  'need.unavailable': 'operator result -32603',
  'prompt.not_found': 'agent error -32602',
  'provider.lost': 'agent retryable result -32603',
  'provider.malformed': 'us result -32603',
  'provider.starting': 'agent retryable result -32603',
  'provider.busy': 'agent retryable result -32603',
  'provider.unavailable': 'operator retryable result -32603',
  'provider.login': 'human result -32603',
  'policy.denied': 'operator result -32603',
  'limits.rate': 'agent retryable result -32603',
  'limits.quota': 'operator result -32603',
  'approval.pending': 'human retryable result -32603',
  'approval.denied': 'human result -32603',
  'approval.expired': 'human result -32603',
  'pins.changed': 'operator result -32603',
  'provider.disabled': 'operator result -32603',
  'provider.untrusted': 'operator result -32603',
  'resource.not_found': 'agent error -32602 legacy -32002',
  'tool.not_found': 'agent error -32602',
  'tool.not_permitted': 'operator result -32603',
  'upstream.error': 'agent error -32603',
  'work.bad_state': 'agent result -32603',
  'work.conflict': 'agent result -32603',
  'work.external': 'operator result -32603',
  'work.failed': 'agent result -32603',
  'work.not_found': 'agent result -32603',
  'work.refused': 'human result -32603',
  'work.timeout': 'agent retryable result -32603',
  'work.unsupported': 'agent result -32603',
};

function inOneLine(code: FaultCode): string {
  const { fixer, retryable } = faultTable[code];
  const { as, code: number, legacyCode, httpStatus } = mcpFaults[code];
  return [
    fixer,
    ...(retryable ? ['retryable'] : []),
    as,
    number,
    ...(legacyCode === undefined ? [] : ['legacy', legacyCode]),
    ...(httpStatus === undefined ? [] : ['http', httpStatus]),
  ].join(' ');
}

describe('the faults', () => {
  it('are exactly these, with who can fix them and their MCP form', () => {
    expect(Object.fromEntries(faultCodes.map((code) => [code, inOneLine(code)]))).toEqual(pinnedFaults);
  });

  it('have codes of the form area.reason, and a meaning and a remedy in full sentences', () => {
    for (const code of faultCodes) {
      expect(code).toMatch(/^[a-z]+(?:\.[a-z]+(?:_[a-z]+)*)?$/);
      expect(faultTable[code].meaning).toMatch(/^[A-Z].*\.$/);
      expect(faultTable[code].remedy).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('that no stage can produce yet are marked as reserved, and no others', () => {
    const tables = ['core/fault.ts', 'transports/faults.ts', 'cli/exit-codes.ts'];
    const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !tables.includes(path))
      .map((path) => readFileSync(new URL(path, source), 'utf8'))
      .join('\n');
    const isNamed = (code: FaultCode): boolean => code.startsWith('work.') || sources.includes(`'${code}'`);
    const reserved = faultCodes.filter((code) => faultRow(code).isReserved === true);
    expect(faultCodes.filter((code) => !isNamed(code))).toEqual(reserved);
  });

  const page = new URL('../../docs/reference/errors.md', import.meta.url);

  it.skipIf(!existsSync(page))('are exactly those that the reference lists for calls', () => {
    const [, calls = ''] = /^## Calls$([\s\S]*?)^## /m.exec(readFileSync(page, 'utf8')) ?? [];
    const documented = [...calls.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code);
    expect(documented.sort()).toEqual(Object.keys(pinnedFaults).sort());
  });
});
