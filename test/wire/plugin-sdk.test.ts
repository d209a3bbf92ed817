// A plugin made with our SDK, under a host that shares no code with it, and under our own host.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPluginPlace, socketsOf } from '../support/plugin-place.js';
import * as peer from '../fixtures/plugins/peer-client.mjs';
import { all, entry, first, map, number, string, text } from '../fixtures/plugins/wire.mjs';

const example = fileURLToPath(new URL('../../examples/plugins/notes', import.meta.url));
const sdk = new URL('../../dist/plugin.js', import.meta.url).href;
const program = join(example, 'awf-plugin-notes');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tg-sdk-'));
});

type Started = Awaited<ReturnType<typeof peer.start>>;
const running: Started[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.close?.();
    one.child.kill('SIGKILL');
    await one.exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function start(more: Readonly<Record<string, unknown>> = {}): Promise<Started> {
  const started = await peer.start(program, { folder, env: { TIDEGATE_PLUGIN_SDK: sdk }, ...more });
  running.push(started);
  return started;
}

async function ask(one: Started, path: string, message?: Buffer): Promise<Buffer> {
  const {
    status,
    message: why,
    answer,
  } = (await one.call?.(path, message)) ?? { status: -1, message: '', answer: Buffer.alloc(0) };
  expect([path, status, why === 'OK' ? '' : (why ?? '')]).toEqual([path, 0, '']);
  return answer;
}

describe.each([true, false])('an SDK plugin under a foreign host (TLS: %s)', (isTls) => {
  it('prints the go-plugin handshake', async () => {
    const one = await start({ isTls });
    const fields = one.line.split('|');
    expect(fields).toHaveLength(6);
    expect(fields.slice(0, 3)).toEqual(['1', '1', 'unix']);
    expect(fields[3]?.startsWith(`${folder}/plugin`)).toBe(true);
    expect(fields[4]).toBe('grpc');
    if (isTls) expect(fields[5]).toMatch(/^[A-Za-z0-9+/]{300,}$/);
    else expect(fields[5]).toBe('');
    expect(one.said().out).toBe(`${one.line}\n`);
    expect(number(1, 1)).toEqual(await ask(one, '/grpc.health.v1.Health/Check', text(1, 'plugin')));
  });

  it('has operations, step types, a validator and events', async () => {
    const one = await start({ isTls });
    const info = await ask(one, '/plugin.v1.PluginService/GetInfo');
    expect([string(info, 1), string(info, 2)]).toEqual(['notes', '1.0.0']);
    await ask(one, '/plugin.v1.PluginService/Init', entry(1, 'context', '"staging"'));

    const operations = all(await ask(one, '/plugin.v1.OperationService/ListOperations'), 1) as Buffer[];
    expect(operations.map((operation) => string(operation, 1))).toEqual(['add', 'find']);
    const inputs = (all(operations[0] ?? Buffer.alloc(0), 3) as Buffer[]).map((input) => [
      string(input, 1),
      string(input, 2),
      first(input, 3) === 1n,
      string(input, 4),
    ]);
    expect(inputs).toEqual([
      ['title', 'string', true, ''],
      ['text', 'string', true, ''],
      ['pinned', 'boolean', false, 'false'],
    ]);
    const execute = (operation: string, values: Readonly<Record<string, unknown>>) =>
      ask(
        one,
        '/plugin.v1.OperationService/Execute',
        Buffer.concat([
          text(1, operation),
          ...Object.entries(values).map(([key, value]) => entry(2, key, JSON.stringify(value))),
        ]),
      );
    const added = await execute('add', { title: 'milk', text: 'buy it' });
    expect([first(added, 1), string(added, 2), String(map(added, 3)['count'])]).toEqual([
      1n,
      'Kept "milk".',
      '1',
    ]);
    expect(String(map(await execute('find', { word: 'buy' }), 3)['titles'])).toBe('["milk"]');
    const wrong = Buffer.concat([text(1, 'find'), entry(2, 'word', '"x"'), entry(2, 'limit', '"many"')]);
    const refused = await one.call?.('/plugin.v1.OperationService/Execute', wrong);
    // INVALID_ARGUMENT: the input is invalid, and nothing was run.
    expect([refused?.status, refused?.message]).toEqual([3, expect.stringContaining('limit')]);
    expect(string(await execute('lose', {}), 4)).toBe('unknown operation: lose');

    const [stepType] = all(await ask(one, '/plugin.v1.StepTypeService/ListStepTypes'), 1) as Buffer[];
    expect(string(stepType ?? Buffer.alloc(0), 1)).toBe('remember');
    const step = Buffer.concat([
      text(1, 's'),
      text(2, 'remember'),
      text(3, '{"title":"t"}'),
      text(4, '{"a":1}'),
    ]);
    const ran = await ask(one, '/plugin.v1.StepTypeService/ExecuteStep', step);
    expect([string(ran, 1), JSON.parse(string(ran, 2))]).toEqual(['Kept "t".', { count: 2 }]);

    const workflow = text(1, JSON.stringify({ name: 'w', initial: 's', steps: { s: { type: 'step' } } }));
    expect(all(await ask(one, '/plugin.v1.ValidatorService/ValidateWorkflow', workflow), 1)).toEqual([]);
    const question = Buffer.concat([workflow, text(2, 's')]);
    const [issue] = all(await ask(one, '/plugin.v1.ValidatorService/ValidateStep', question), 1) as Buffer[];
    expect([first(issue ?? Buffer.alloc(0), 1), string(issue ?? Buffer.alloc(0), 4)]).toEqual([
      1n,
      'timeout',
    ]);

    const event = Buffer.concat([text(1, 'id'), text(2, 'workflow.failed'), text(6, '{}'), number(7, 1)]);
    const [emitted] = all(await ask(one, '/plugin.v1.EventService/HandleEvent', event), 1) as Buffer[];
    expect([string(emitted ?? Buffer.alloc(0), 2), first(emitted ?? Buffer.alloc(0), 7)]).toEqual([
      'notes.kept',
      2n,
    ]);
  });

  it('ignores SIGINT, and exits through the controller and removes its socket', async () => {
    const one = await start({ isTls });
    one.child.kill('SIGINT');
    await ask(one, '/grpc.health.v1.Health/Check', text(1, 'plugin'));
    one.stream?.('/plugin.GRPCStdio/StreamStdio');
    await ask(one, '/plugin.v1.PluginService/Shutdown');
    await ask(one, '/plugin.GRPCController/Shutdown');
    expect(await one.exited).toEqual({ code: 0, signal: null });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an SDK plugin', () => {
  it('accepts no connection without the certificate of its host', async () => {
    const one = await start();
    const stranger = one.open?.({});
    const failed = new Promise((resolve) => {
      stranger?.on('error', () => resolve('refused'));
      stranger?.on('close', () => resolve('refused'));
    });
    const answered =
      stranger &&
      peer.call(stranger, '/plugin.v1.PluginService/GetInfo').then(
        ({ status }) => (status === 0 ? 'answered' : 'refused'),
        () => 'refused',
      );
    expect(await Promise.race([failed, answered])).toBe('refused');
    // The control: with it, the same request is answered.
    await ask(one, '/plugin.v1.PluginService/GetInfo');
  });

  it('explains itself when started by hand', async () => {
    const one = await start({ cookie: '' });
    expect(await one.exited).toMatchObject({ code: 1 });
    expect(one.said().errors).toContain('notes is a plugin and must be started by its host');
    expect(one.said().out).toBe('');
  });

  it('runs under our host: operations, step types, validators and events', () => {
    const place = openPluginPlace();
    try {
      cpSync(example, join(place.workspace, '.tidegate', 'plugins', 'notes'), { recursive: true });
      place.trustPlugins('notes');
      const { stdout } = place.run('plugin', 'show', 'notes', '--json');
      expect(JSON.parse(stdout)).toMatchObject({
        name: 'notes',
        operations: [{ tool: 'notes_add' }, { tool: 'notes_find' }],
        stepTypes: [{ name: 'remember' }],
      });
      const called = place.run('plugin', 'call', 'notes', 'add', 'title=a', 'text=b', '--json');
      expect(JSON.parse(called.stdout)).toMatchObject({ structuredContent: { count: 1 } });
      expect(socketsOf(place)).toEqual([]);
    } finally {
      place.close();
    }
  });
});
