import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { waitFor } from '../support/gate.js';
import { type Gated, openGated } from '../support/pairings.js';
import { openSdkClient, rootUri, sampledReply, type SdkClient, sdkKinds } from '../support/sdk-clients.js';
import {
  type Heard,
  openFixture,
  openScripted,
  type Script,
  type ScriptedUpstream,
  upstreamWays,
  type Wire,
} from '../support/upstreams.js';

const watched = 'test://watched-resource';
/** How long late lines may still arrive after a call by another client. */
const ownershipMs = 2200;
const kinds = sdkKinds.flatMap((kind) => (['stdio', 'http'] as const).map((wire) => ({ ...kind, wire })));
const reads = {
  type: 'object',
  properties: { degrees: { type: 'number' }, sky: { type: 'string' } },
  required: ['degrees'],
};

const script: Script = {
  lists: {
    'tools/list': [
      JSON.stringify({ name: 'weather', inputSchema: { type: 'object' }, outputSchema: reads }),
      '{"name":"refused","inputSchema":{"type":"object"}}',
      '{"name":"slow","inputSchema":{"type":"object"}}',
    ],
  },
  answers: {
    'tools/call': {
      weather: {
        result:
          '{"content":[{"type":"text","text":"21 and clear"}],"structuredContent":{"degrees":21,"sky":"clear"}}',
      },
      refused: { error: '{"code":-32050,"message":"no such luck","data":{"why":"because"}}' },
      slow: { hangs: true },
    },
  },
};

/** Both official clients with both protocol versions and every upstream; other modes with two, or all in a full run. */
function kindsFor(way: (typeof upstreamWays)[number]): typeof kinds {
  const isWhole =
    count(10) === 10 ||
    `${way.wire} ${way.protocol}` === 'stdio legacy' ||
    `${way.wire} ${way.protocol}` === 'http modern';
  return isWhole ? kinds : kinds.filter(({ sdk, mode }) => sdk === 'v1' || mode === 'pinned');
}

/** The official clients with every kind of upstream. */
describe.each(upstreamWays)('servers over $wire with $protocol protocol', (way) => {
  // A legacy server is shared by all sessions, so it gets the roots of the operator.
  const givenRoot = way.protocol === 'modern' ? rootUri : 'file:///configured';
  let gated: Gated;
  let scripted: ScriptedUpstream;
  beforeAll(async () => {
    const fix = await openFixture(way.wire, way.protocol, { FIXTURE_PAGE_SIZE: '5' });
    const roots = way.protocol === 'modern' ? { caller_roots: true } : { roots: ['/configured'] };
    scripted = await openScripted(way.wire, way.protocol, script);
    gated = await openGated({
      fix: { ...fix, entry: { ...fix.entry, ...roots } },
      scr: scripted,
    });
  });
  afterAll(() => gated.close());

  describe.each(kindsFor(way))('and the official client $sdk in $mode mode over $wire', (kind) => {
    let client: SdkClient;
    beforeAll(async () => {
      client = await openSdkClient({ kind, wire: kind.wire, place: gated.place, gate: gated.gate });
    });
    afterAll(() => client.close());

    const textOf = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const { content } = await client.call(name, args);
      return content.map(({ text }) => text ?? '').join('');
    };

    it('uses the protocol version that the client requests', () => {
      expect(client.serverName()).toBe('tidegate');
      if (kind.sdk === 'v2')
        expect(client.version()).toBe(kind.protocol === 'modern' ? '2026-07-28' : '2025-11-25');
      expect(client.instructions()).toContain('A server that exists to be tested.');
    });

    it('lists all pages of the servers', async () => {
      const names = (await client.tools()).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('fix_')).length).toBeGreaterThanOrEqual(30);
      expect(names).toEqual(
        expect.arrayContaining(['fix_test_simple_text', 'fix_test_trigger_tool_change', 'scr_weather']),
      );
      expect(new Set(names).size).toBe(names.length);
      expect((await client.prompts()).map(({ name }) => name)).toContain('fix_test_prompt_with_arguments');
      expect((await client.resources()).map(({ uri }) => uri)).toContain(watched);
      expect((await client.templates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
        'test://template/{id}/data',
      ]);
    });

    it('passes on text, images, audio, resources and mixed content', async () => {
      expect(await textOf('fix_test_simple_text')).toBe('This is a simple text response for testing.');
      const types = async (name: string) => (await client.call(name)).content.map(({ type }) => type);
      expect((await client.call('fix_test_image_content')).content).toMatchObject([
        { type: 'image', mimeType: 'image/png' },
      ]);
      expect(await types('fix_test_audio_content')).toEqual(['audio']);
      expect(await types('fix_test_embedded_resource')).toEqual(['resource']);
      expect(await types('fix_test_multiple_content_types')).toEqual(['text', 'image', 'resource']);
    });

    it('passes on structured content that matches the schema of the tool', async () => {
      await client.tools();
      expect((await client.call('scr_weather')).structuredContent).toEqual({ degrees: 21, sky: 'clear' });
    });

    it('distinguishes tool errors from protocol errors', async () => {
      expect(await client.call('fix_test_error_handling')).toMatchObject({ isError: true });
      await expect(client.call('scr_refused')).rejects.toMatchObject({
        code: -32050,
        data: { why: 'because' },
      });
      await expect(client.call('fix_nothing')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Unknown tool: fix_nothing'),
      });
    });

    it('gets prompts and completes their arguments', async () => {
      const prompt = await client.prompt('fix_test_prompt_with_arguments', { arg1: 'one', arg2: 'two' });
      expect(prompt).toContain("arg1='one', arg2='two'");
      await expect(client.prompt('fix_nothing')).rejects.toMatchObject({ code: -32602 });
      const ref = { type: 'ref/prompt', name: 'fix_test_prompt_with_arguments' };
      expect(await client.complete(ref, { name: 'arg1', value: 'par' })).toEqual(['paris', 'park', 'party']);
    });

    it('reads resources, fills templates and completes them', async () => {
      expect(await client.read('test://static-text')).toContain('content of the static text resource');
      expect(await client.read('test://static-binary')).toContain('"blob"');
      expect(await client.read('test://template/77/data')).toContain('Data for ID: 77');
      await expect(client.read('test://nowhere')).rejects.toMatchObject({ data: { uri: 'test://nowhere' } });
      const ref = { type: 'ref/resource', uri: 'test://template/{id}/data' };
      expect(await client.complete(ref, { name: 'id', value: 'te' })).toEqual(['test', 'testing']);
    });

    it('receives progress notifications', async () => {
      const seen: number[] = [];
      await client.call(
        'fix_test_tool_with_progress',
        {},
        { onProgress: ({ progress }) => seen.push(progress) },
      );
      // The official clients process an answer at once and remove its progress handler, but deliver notifications one
      // turn later, so they lose progress that arrives together with the answer. lossless.test.ts checks with other
      // clients that the gateway sends all of it, in order and before the answer.
      expect(seen.length).toBeGreaterThan(0);
      expect(seen).toEqual([0, 50, 100].slice(0, seen.length));
    });

    it('receives the log messages it requested', async () => {
      const isLog = ({ method }: { readonly method: string }): boolean => method === 'notifications/message';
      const heard = () => client.notices.filter(isLog);
      if (kind.protocol === 'legacy') await client.setLevel('info');
      const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      // Right after a call by another client, the gateway cannot know which client a line on a shared pipe belongs to, so it does not forward it.
      for (let tries = 0; tries < 3 && heard().length < 3; tries += 1) {
        if (tries > 0) await new Promise((resolve) => setTimeout(resolve, ownershipMs));
        await client.call('fix_test_tool_with_logging', {}, kind.protocol === 'modern' ? { meta } : {});
      }
      expect(heard().at(-1)?.params).toMatchObject({ level: 'info', data: 'Tool execution completed' });
    });

    it('is notified of changed lists and subscribed resources', async () => {
      const stop = await client.watch(watched);
      const heard = (method: string) => client.notices.filter((notice) => notice.method === method).length;
      const trigger = async (tool: string, method: string): Promise<void> => {
        const before = heard(method);
        await client.call(tool);
        await waitFor(
          () => heard(method) > before,
          5000,
          () => `no ${method} among ${JSON.stringify(client.notices)}`,
        );
      };
      await trigger('fix_test_trigger_resource_update', 'notifications/resources/updated');
      const has = async (): Promise<boolean> =>
        (await client.tools()).some(({ name }) => name === 'fix_test_sometimes');
      const hadIt = await has();
      await trigger('fix_test_trigger_tool_change', 'notifications/tools/list_changed');
      expect(await has()).toBe(!hadIt);
      await trigger('fix_test_trigger_prompt_change', 'notifications/prompts/list_changed');
      await trigger('fix_test_trigger_resource_change', 'notifications/resources/list_changed');
      await stop();
    });

    it('cancels the right request of the right server', async () => {
      const start = scripted.heard().length;
      const since = () => scripted.heard().slice(start);
      const arrived = (keeps: boolean): readonly number[] =>
        since().flatMap(({ kind: what, text }) =>
          what === 'message' && text?.includes(`"keep":${String(keeps)}`) === true
            ? [(JSON.parse(text) as { readonly id: number }).id]
            : [],
        );
      const [keeping, dropping] = [new AbortController(), new AbortController()];
      const kept = client.call('scr_slow', { keep: true }, { signal: keeping.signal });
      const dropped = client.call('scr_slow', { keep: false }, { signal: dropping.signal });
      const [keptEnds, droppedEnds] = [expect(kept).rejects.toThrow(), expect(dropped).rejects.toThrow()];
      await waitFor(
        () => arrived(true).length === 1 && arrived(false).length === 1,
        5000,
        () => 'the calls did not arrive',
      );
      dropping.abort();
      await droppedEnds;
      await waitFor(
        () => endedIds(since()).length > 0,
        5000,
        () => `nothing was cancelled: ${JSON.stringify(since())}`,
      );
      expect(new Set(endedIds(since()))).toEqual(new Set(arrived(false)));
      expect(await textOf('fix_test_simple_text')).toContain('simple text');
      keeping.abort();
      await keptEnds;
      await waitFor(
        () => endedIds(since()).includes(arrived(true)[0] ?? -1),
        5000,
        () => 'the second call was not cancelled',
      );
    });

    it('gets questions from tools, and its answers reach them', async () => {
      const before = client.asked.length;
      expect(await textOf('fix_test_elicitation', { message: 'who?' })).toContain('"username":"my username"');
      expect(await textOf('fix_test_sampling', { prompt: 'hi' })).toBe(`LLM response: ${sampledReply}`);
      expect(await textOf('fix_test_input_required_result_list_roots')).toBe(`Roots: ${givenRoot}`);
      expect(client.asked.slice(before)).toEqual([
        'elicitation/create',
        'sampling/createMessage',
        ...(way.protocol === 'modern' ? ['roots/list'] : []),
      ]);
    });

    it('gets several questions at once and one after the other', async () => {
      expect(await textOf('fix_test_input_required_result_multiple_inputs')).toBe(
        `${sampledReply} my name, roots: ${givenRoot}`,
      );
      expect(await textOf('fix_test_input_required_result_multi_round')).toBe('my name likes my color.');
      expect(await textOf('fix_test_input_required_result_request_state')).toBe('state-ok: accept');
      expect(await client.prompt('fix_test_input_required_result_prompt')).toContain(
        'Use this context: my context',
      );
    });
  });
});

/** The ids of calls cancelled at the server, by a message or a closed stream. */
function endedIds(heard: readonly Heard[]): readonly number[] {
  return heard.flatMap(({ kind, text, id, method }) => {
    if (kind === 'cancelled') {
      return [
        (JSON.parse(text ?? '{}') as { readonly params: { readonly requestId: number } }).params.requestId,
      ];
    }
    return kind === 'closed' && method === 'tools/call' && typeof id === 'number' ? [id] : [];
  });
}

describe('a list longer than one page', () => {
  const total = 2345;
  const names = Array.from({ length: total }, (_, at) => `tool_${String(at).padStart(4, '0')}`);
  let gated: Gated;
  beforeAll(async () => {
    const texts = names.map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`);
    gated = await openGated({
      many: await openScripted('stdio', 'legacy', { lists: { 'tools/list': texts } }),
    });
  });
  afterAll(() => gated.close());

  it.each(kinds)(
    'reaches the official client $sdk in $mode mode over $wire complete and in order',
    async (kind) => {
      const wire: Wire = kind.wire;
      const client = await openSdkClient({ kind, wire, place: gated.place, gate: gated.gate });
      expect((await client.tools()).map(({ name }) => name)).toEqual(names.map((name) => `many_${name}`));
      await client.close();
    },
  );
});
