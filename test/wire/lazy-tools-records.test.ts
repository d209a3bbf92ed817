import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { type Collector, openCollector } from '../support/collector.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

let collector: Collector;
let place: Place;
let gate: HttpGate;
let client: SdkClient;

beforeAll(async () => {
  collector = await openCollector();
  place = openPlace({
    builtins: ['tool_search', 'call_tool', 'wait_for_servers'],
    servers: { office: catalogueServer(manyTools) },
    telemetry: { endpoint: collector.endpoint },
    log: { file: 'gate.log' },
  });
  gate = await openHttpGate(place);
  client = await openSdkClient({
    kind: sdkKinds[0],
    wire: 'http',
    place,
    gate,
    name: 'opencode',
    obeys: true,
  });
  await client.tools();
}, 60_000);

afterAll(async () => {
  await client.close();
  await gate.close();
  await collector.close();
  place.close();
});

async function spanOf(name: string) {
  await waitFor(
    () => collector.spans().some((span) => span.name === name),
    10_000,
    () => `no span ${name}`,
  );
  return collector.spans().find((span) => span.name === name);
}

describe('the records of a call through call_tool', () => {
  it('name the real tool in its span, how it was found, and the tokens saved', async () => {
    await client.call('tool_search', { query: 'share a photo' });
    await client.call('call_tool', { name: 'office_share_photo', arguments: { id: 'p' } });
    const found = await spanOf('tool.call.tool_search');
    expect(found?.attributes).toMatchObject({ source: 'builtin' });
    const span = await spanOf('tool.call.office_share_photo');
    expect(span?.attributes).toMatchObject({
      via: 'call_tool',
      source: 'server:office',
      'search.hit_rank': 1,
    });
    const { attributes = {} } = span ?? {};
    expect(Number(attributes['tools.deferred'])).toBe(manyTools.length - 5);
    expect(Number(attributes['tools.avoided_tokens'])).toBeGreaterThan(
      Number(attributes['tools.advertised_tokens']),
    );
    expect(collector.spans().some(({ name }) => name === 'tool.call.call_tool')).toBe(false);
  });

  it('name the real tool in the log and in the audit', async () => {
    const file = join(place.directory, 'workspace', 'gate.log');
    await waitFor(
      () => readFileSync(file, 'utf8').includes('office_share_photo'),
      10_000,
      () => 'no log line',
    );
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('office_share_photo'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { name: 'office_share_photo', via: 'call_tool' },
    ]);
    const refused = await client.call('call_tool', { name: 'office_nothing', arguments: {} });
    expect(refused.isError).toBe(true);
    await waitFor(
      () => place.run('audit', '--json').stdout.includes('office_nothing'),
      10_000,
      () => 'no record',
    );
    const { stdout } = place.run('audit', '--json');
    expect(stdout).toContain('office_share_photo');
    expect(stdout).not.toContain('"call_tool"');
  });

  it('show operators the session', () => {
    const { stdout } = place.run('context', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      deferred: { tools: manyTools.length },
      sessions: [
        {
          client: 'opencode',
          mode: 'list',
          active: expect.arrayContaining([
            expect.objectContaining({ name: 'office_share_photo', idleCalls: 0 }),
          ]) as unknown,
        },
      ],
    });
    expect(place.run('context').stdout).toMatch(
      /active 5\/24, [\d,]+\/5,000 tokens[\s\S]*office_share_photo .*just used/,
    );
    expect(place.run('context', '--exact').stdout).toMatch(/found with tool_search: [\d,]+ tokens saved/);
    expect(place.run('tools', 'search', 'translate', 'a', 'recipe').stdout).toMatch(
      /^office_translate_recipe/,
    );
  });
});
