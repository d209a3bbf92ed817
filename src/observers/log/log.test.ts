import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  beginAttempt,
  type Call,
  createFault,
  faulted,
  type Outcome,
  type Request,
} from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { type Log, type LogOptions, openLog } from './log.js';
import { redactText } from './redact.js';

const canary = 'CaNaRy0hUnTeR2xYz9';

afterEach(() => {
  vi.doUnmock('./redact.js');
  vi.resetModules();
});

describe('openLog', () => {
  it('writes one line per attempt with all its details', async () => {
    const { log, lines } = open();
    observe(log, { outcome: { kind: 'content', result: JsonText.from({ content: [], isError: true }) } });
    expect(await lines()).toEqual([
      {
        level: 'info',
        gate: process.pid,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        request: 'r-1',
        session: 's-1',
        principal: 'local/user:ann',
        kind: 'tool',
        name: 'files_read',
        source: 'server:files',
        provider: 'files',
        client: 'a-client',
        protocol: 'modern',
        ms: 1.235,
        outcome: 'content',
        isError: true,
        trace: '0af7651916cd43dd8448eb211c80319c',
        msg: 'tool.call',
      },
    ]);
  });

  it('warns about faults and keeps their detail', async () => {
    const { log, lines } = open();
    observe(log, { outcome: faulted(createFault('call.timeout', 'Too slow.', { detail: 'after 60 s' })) });
    expect(await lines()).toMatchObject([
      { level: 'warn', outcome: 'fault', fault: 'call.timeout', detail: 'after 60 s' },
    ]);
  });

  it.each([
    ['prompt.get', { kind: 'prompt', name: 'p' }],
    ['resource.read', { kind: 'resource', uri: 'file:///x' }],
    ['completion.complete', { kind: 'completion', of: { kind: 'prompt', name: 'p' } }],
  ] as const)('calls an attempt %s', async (message, wanted) => {
    const { log, lines } = open();
    observe(log, { request: { wanted } });
    expect(await lines()).toMatchObject([{ msg: message, kind: wanted.kind }]);
  });

  it('redacts the secrets of every field', async () => {
    const { log, lines, text } = open();
    writeSecrets(log);
    expect((await lines()).length).toBe(5);
    expect(text()).not.toContain(canary);
  });

  it('would write them without the redactor (control)', async () => {
    vi.resetModules();
    vi.doMock('./redact.js', () => ({
      redactText: (text: string) => text,
      redactFields: (fields: object) => fields,
      createLineRedactor: () => (line: string) => line,
    }));
    const unsafe = await import('./log.js');
    const { log, lines, text } = open({}, unsafe.openLog);
    writeSecrets(log, (given) => given);
    const written = await lines();
    expect(written.every((line) => JSON.stringify(line).includes(canary))).toBe(true);
    expect(text().split(canary).length - 1).toBe(17);
  });

  it('keeps fields with reserved names separate', async () => {
    const { log, lines, text } = open();
    log.write('info', 'started', { pid: 7, time: 'now', msg: 'other' });
    expect(await lines()).toMatchObject([{ pid: 7, time_: 'now', msg_: 'other', msg: 'started' }]);
    expect(text().match(/"time":/g)).toHaveLength(1);
  });

  it('writes only lines at or above its level', async () => {
    const { log, lines } = open({ level: 'warn' });
    log.write('info', 'quiet');
    log.write('error', 'loud', { port: 1 });
    expect(await lines()).toMatchObject([{ level: 'error', msg: 'loud', port: 1 }]);
  });

  it('opens nothing when silent', async () => {
    const { log, file } = open({ level: 'silent' });
    log.write('error', 'x');
    observe(log, {});
    await log.close();
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('creates its file for the owner only', async () => {
    const { log, file } = open();
    await log.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('escapes characters that could mislead a reader', async () => {
    const { log, text, lines } = open();
    log.lines('info', 'server.stderr', {})('a\u009b2J\u202eb');
    expect(await lines()).toMatchObject([{ line: 'a\u009b2J\u202eb' }]);
    expect(text()).toContain('"line":"a\\u009b2J\\u202eb"');
  });

  it('ignores lines after close', async () => {
    const { log, lines } = open();
    await log.close();
    log.write('info', 'late');
    expect(await lines()).toEqual([]);
  });
});

/** Five lines with seventeen secrets: in every external field, in a message, and in a stream. */
function writeSecrets(log: Log, redact = redactText): void {
  const secret = `token=${canary}`;
  observe(
    log,
    {
      request: {
        wanted: { kind: 'resource', uri: `https://u:${canary}@host/x` },
        session: { id: secret, principal: { kind: 'user', id: secret, zone: 'local' }, scope: 'connection' },
        client: {
          protocol: 'modern',
          protocolVersion: '2026-07-28',
          capabilities: JsonText.from({}),
          info: JsonText.from({ name: secret }),
        },
        trace: { traceparent: secret },
      },
      call: { providerId: secret, source: `server:${secret}` },
      outcome: faulted(createFault('internal', secret, { detail: `stack with Bearer ${canary}` })),
    },
    redact,
  );
  log.write('info', `started with password=${canary}`, {
    authorization: canary,
    args: ['--api-key', canary],
    note: secret,
  });
  const sink = log.lines('info', 'server.stderr', { server: 'files', url: `https://${canary}@host` });
  sink(`connecting with ${secret}`);
  sink(`-----BEGIN PRIVATE KEY----- ${canary}`);
  sink(canary);
}

interface Overrides {
  readonly request?: Partial<Request>;
  readonly call?: { readonly providerId: string; readonly source: string };
  readonly outcome?: Outcome;
}

function observe(log: Log, { request: changes, call, outcome }: Overrides, redact = redactText): void {
  const request: Request = {
    id: 'r-1',
    session: { id: 's-1', principal: { kind: 'user', id: 'ann', zone: 'local' }, scope: 'connection' },
    client: {
      protocol: 'modern',
      protocolVersion: '2026-07-28',
      info: JsonText.from({ name: 'a-client', version: '1' }),
      capabilities: JsonText.from({}),
    },
    wanted: { kind: 'tool', name: 'files_read' },
    params: JsonText.from({}),
    trace: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    ...changes,
  };
  const { providerId = 'files', source = 'server:files' } = call ?? {};
  // Only `admit` creates calls; an attempt reads two of their fields.
  const made = { providerId, target: { kind: 'tool', spec: { source } } } as unknown as Call;
  const begun = beginAttempt(request, redact);
  const done = outcome ?? { kind: 'content', result: JsonText.from({ content: [] }) };
  log.observer.begin(begun)(begun.end(done, made, 1.23456));
}

interface Opened {
  readonly log: Log;
  readonly file: string;
  readonly text: () => string;
  readonly lines: () => Promise<readonly unknown[]>;
}

function open(options: Partial<LogOptions> = {}, openIt: typeof openLog = openLog): Opened {
  const file = join(mkdtempSync(join(tmpdir(), 'tidegate-log-')), 'sub', 'log');
  const log = openIt({ level: 'info', stream: 'stderr', file, ...options });
  const text = (): string => readFileSync(file, 'utf8');
  return {
    log,
    file,
    text,
    lines: async () => {
      await log.close();
      return text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
    },
  };
}
