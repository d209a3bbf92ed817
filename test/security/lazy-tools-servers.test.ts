import { afterEach, describe, expect, it } from 'vitest';
import { catalogueServer, type Definition, manyTools } from '../support/catalogue.js';
import { endProcess, openPlace, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';

// What one server says about its tools must not decide what a search finds of the others.
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openClient(servers: object, granted: readonly string[]): Promise<LineClient> {
  const place = openPlace({ builtins: ['*'], servers, context: { lazy: 'on' } });
  for (const what of granted) {
    const { status, stderr } = place.run('grant', 'agent:alice', what);
    if (status !== 0) throw new Error(stderr);
  }
  const client = openLineClient(spawnStdioGate(place, '--as', 'agent:alice'));
  closing.push(async () => {
    await endProcess(client.child);
    place.close();
  });
  await client.initialize();
  return client;
}

async function search(client: LineClient, query: string): Promise<string> {
  const { message } = await client.request('tools/call', { name: 'tool_search', arguments: { query } });
  return JSON.stringify(message);
}

const tool = (name: string, description: string, pattern = '.'): Definition => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { text: { type: 'string', pattern } } },
});

describe('[15.9] a search', () => {
  // JSON escapes the backslash: a clumsy search for control characters finds one there.
  it.each(['^[^\\u0000-\\u001f]+$', '\\\\u0001', '\\u0001\\'])(
    'keeps working with a schema that has the pattern %s',
    async (pattern) => {
      const odd = [tool('share_photo_odd', 'Shares a photo.', pattern)];
      const servers = { office: catalogueServer(manyTools), odd: catalogueServer(odd) };
      const client = await openClient(servers, ['server:office', 'server:odd']);
      const found = await search(client, 'share a photo');
      expect(found).toContain('"office_share_photo"');
      // The control: the odd tool is among the results, with its pattern unchanged.
      expect(found).toContain('"odd_share_photo_odd"');
      expect(found).toContain(`"pattern":${JSON.stringify(pattern)}`);
    },
    60_000,
  );
});

describe('[15.16] a name of two servers, one of them hidden', () => {
  const shown = catalogueServer([...manyTools, tool('lookup', 'Peels a banana.')]);
  const hidden = catalogueServer([tool('lookup', 'Finds zebra acquisition plans.')]);
  const servers = { vault: { ...hidden, prefix: '' }, office: { ...shown, prefix: '' } };

  it('is not found by words of the hidden one', async () => {
    const client = await openClient(servers, ['server:office']);
    expect(await search(client, 'banana')).toContain('"lookup"');
    expect(await search(client, 'zebra acquisition plans')).not.toContain('"lookup"');
  }, 60_000);

  it('control: a caller that can see both finds it', async () => {
    const client = await openClient(servers, ['server:office', 'server:vault']);
    expect(await search(client, 'zebra acquisition plans')).toContain('"lookup"');
  }, 60_000);
});
