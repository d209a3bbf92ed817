import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fewOdd,
  hugeText,
  oddDefinitions,
  oddMembers,
  oddObject,
  oddResults,
  oddValues,
} from '../support/odd-texts.js';
import { relayedWays, clientWays, type Gated, openGated } from '../support/pairings.js';
import type { RawAsk, RawClient } from '../support/raw-client.js';
import { elementsOf, membersOf, textAt } from '../support/raw-json.js';
import { openScripted, type Script, type ScriptedUpstream, upstreamWays } from '../support/upstreams.js';

const key = (name: string): string => `io.modelcontextprotocol/${name}`;

/** All allowed differences between what a client sent and what the server received. */
const allowedOnTheWayUp = {
  /** Replaced by the server's own name, without our prefix. */
  params: ['name'],
  /** Each protocol hop has its own value, so this is ours and not the client's. */
  meta: [
    'progressToken',
    key('protocolVersion'),
    key('clientInfo'),
    key('clientCapabilities'),
    key('logLevel'),
  ],
} as const;

/** Fields that the modern protocol requires in every result; added only if missing. */
const addedForModernClients = ['resultType', 'ttlMs', 'cacheScope', '_meta'] as const;
const addedMeta = [key('serverInfo')] as const;

/** Removed for legacy clients, which reject structured content and output schemas that are not objects. */
const removedForLegacyClients = ['structuredContent', 'outputSchema'] as const;

const question = `{"method":"elicitation/create","params":{"mode":"form","message":"\\u0077ho?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0,"maximum":12345678901234567890}}},"_meta":{"v":{${fewOdd}}},"x-unknown":${oddObject}}}`;
const answer = `{"action":"accept","content":{"n":12345678901234567890,"m":1.0},"_meta":{"v":-0},"x-unknown":${oddObject}}`;

const progress = `{"progressToken":$TOKEN,"progress":0.10,"total":12345678901234567890,"message":"\\u006d","x-unknown":${oddObject}}`;
/** Number of progress notifications that a server sends together with its answer. */
const manySteps = 50;
const logged = `{"level":"warning","logger":"l","data":${oddObject},"_meta":{"v":1.0},"x-unknown":1e400}`;

const script: Script = {
  lists: oddDefinitions,
  answers: {
    'tools/call': {
      odd: { result: oddResults.tool },
      spaced: { result: oddResults.spaced },
      list: { result: '{"content":[],"structuredContent":[1.0,12345678901234567890],"x":1.0}' },
      error: { error: oddResults.error },
      asks: { result: oddResults.spaced, asks: { 'k\u00e9y': question }, state: '"st\\u0061te \\ud800"' },
      notices: {
        result: oddResults.spaced,
        notices: [
          `{"jsonrpc":"2.0","method":"notifications/progress","params":${progress}}`,
          `{"jsonrpc":"2.0","method":"notifications/message","params":${logged}}`,
        ],
      },
      busy: {
        result: oddResults.spaced,
        notices: Array.from(
          { length: manySteps },
          (_, step) =>
            `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,"progress":${String(step)}}}`,
        ),
      },
    },
    'prompts/get': { odd: { result: oddResults.prompt } },
    'resources/read': { 'odd://one': { result: oddResults.resource } },
    'completion/complete': { odd: { result: oddResults.completion } },
  },
};

/** How long late lines may still arrive after a call by another client. */
const ownershipMs = 2200;

/** The text after parsing and serializing it again. */
function rewritten(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

describe('a gateway that re-serializes (control)', () => {
  it('changes the unusual texts', () => {
    for (const [name, text] of Object.entries(oddValues)) {
      expect(rewritten(text) === text, name).toBe(name === 'empty');
    }
  });

  it('is caught by every comparison below', () => {
    const params = `{"name":"up_odd","arguments":${oddObject}}`;
    expect(() => expectParams(params, rewritten(params).replace('up_odd', 'odd'), 'odd')).toThrow();
    const meta = `{"_meta":{"vendor/x":{${fewOdd}}}}`;
    expect(() => expectParams(meta, rewritten(meta), undefined)).toThrow();
    for (const text of Object.values(oddResults).filter((each) => each !== oddResults.spaced)) {
      for (const protocol of ['legacy', 'modern'] as const) {
        expect(() => expectResult(text, rewritten(text), protocol, false)).toThrow();
      }
    }
    for (const [definition] of Object.values(oddDefinitions)) {
      const shown = rewritten(definition).replace('"name":"odd"', '"name":"up_odd"');
      expect(() => expectDefinition(definition, shown, 'modern')).toThrow();
    }
  });

  it('is not reported if nothing changed', () => {
    const params = `{"name":"up_odd","arguments":${oddObject}}`;
    expectParams(params, params.replace('up_odd', 'odd'), 'odd');
    for (const text of Object.values(oddResults)) expectResult(text, text, 'modern', false);
  });
});

describe.each(upstreamWays)('a server over $wire with $protocol protocol', (upstreamWay) => {
  let upstream: ScriptedUpstream;
  let gated: Gated;
  beforeAll(async () => {
    upstream = await openScripted(upstreamWay.wire, upstreamWay.protocol, script);
    gated = await openGated({ up: upstream });
  });
  afterAll(() => gated.close());

  describe.each([...clientWays, ...(upstreamWay.wire === 'stdio' ? relayedWays : [])])(
    'and a client over $wire with $protocol protocol',
    ({ wire, protocol }) => {
      let client: RawClient;
      const asked: RawAsk[] = [];
      beforeAll(async () => {
        client = await gated.connect(wire, {
          protocol,
          capabilities: '{"elicitation":{"form":{},"x":1.0},"x-unknown":[1e400]}',
          answer: (ask) => {
            asked.push(ask);
            return answer;
          },
        });
      });
      afterAll(() => client.close());

      const call = (name: string, members = '"arguments":{}', meta?: string) =>
        client.request('tools/call', `"name":"up_${name}",${members}`, meta === undefined ? {} : { meta });

      function lastHeard(method: string): string {
        return textAt(upstream.heardOf(method).at(-1) ?? '{}', 'params');
      }

      it.each(Object.entries(oddDefinitions))(
        'passes on every definition of %s unchanged',
        async (method, texts) => {
          const { result = '{}' } = await client.request(method, '');
          const member =
            method === 'resources/templates/list' ? 'resourceTemplates' : (method.split('/')[0] ?? '');
          const shown = elementsOf(textAt(result, member));
          expect(shown).toHaveLength(texts.length);
          for (const [at, text] of texts.entries()) expectDefinition(text, shown[at] ?? '', protocol);
        },
      );

      it('passes on arguments and unknown members of a call, byte for byte', async () => {
        const members = `"x-before":1.0,"arguments":{"huge":${hugeText},${oddMembers}},"x-unknown":[1e400,{"__proto__":1}]`;
        const meta = `"vendor/x":{${fewOdd}},"progressToken":12345678901234567890,"":-0`;
        await call('odd', members, meta);
        expectParams(`{"name":"up_odd",${members},"_meta":{${meta}}}`, lastHeard('tools/call'), 'odd');
      });

      it('adds no _meta if the client sent none and the protocol version needs none', async () => {
        await call('odd', '"arguments":{ "a" : 1.0 }');
        const params = membersOf(lastHeard('tools/call'));
        expect(params.get('arguments')).toBe('{ "a" : 1.0 }');
        expect(params.has('_meta')).toBe(upstreamWay.protocol === 'modern');
      });

      it('passes on the result of a call, byte for byte', async () => {
        expectResult(oddResults.tool, (await call('odd')).result, protocol, false);
        expectResult(oddResults.spaced, (await call('spaced')).result, protocol, false);
      });

      it('passes on structured content that is not an object, to legacy clients as text', async () => {
        const { result = '' } = await call('list');
        expect(textAt(result, 'x')).toBe('1.0');
        if (protocol === 'modern')
          expect(textAt(result, 'structuredContent')).toBe('[1.0,12345678901234567890]');
        else {
          expect(membersOf(result).has('structuredContent')).toBe(false);
          expect(JSON.parse(textAt(result, 'content', 0, 'text'))).toBe('[1.0,12345678901234567890]');
        }
      });

      it('passes on the error of a server, byte for byte', async () => {
        expect((await call('error')).error).toBe(oddResults.error);
      });

      it('passes on prompts, resources and completions both ways, byte for byte', async () => {
        const prompt = await client.request(
          'prompts/get',
          `"name":"up_odd","arguments":{"a":"\\u0061","b":"\\ud800"},${oddMembers}`,
        );
        expectParams(
          `{"name":"up_odd","arguments":{"a":"\\u0061","b":"\\ud800"},${oddMembers}}`,
          lastHeard('prompts/get'),
          'odd',
        );
        expectResult(oddResults.prompt, prompt.result, protocol, false);

        const resource = await client.request('resources/read', `"uri":"odd:\\/\\/one",${oddMembers}`);
        expectParams(`{"uri":"odd:\\/\\/one",${oddMembers}}`, lastHeard('resources/read'), undefined);
        expectResult(oddResults.resource, resource.result, protocol, true);

        const argument = '{"name":"a","value":"\\u0061","x":1.0}';
        const completion = await client.request(
          'completion/complete',
          `"ref":{"x-r":1.0,"type":"ref/prompt","name":"up_odd"},"argument":${argument},${oddMembers}`,
        );
        const heard = lastHeard('completion/complete');
        expect(textAt(heard, 'ref')).toBe('{"x-r":1.0,"type":"ref/prompt","name":"odd"}');
        expect(textAt(heard, 'argument')).toBe(argument);
        for (const [name, text] of Object.entries(oddValues)) expect(textAt(heard, `x-${name}`)).toBe(text);
        expectResult(oddResults.completion, completion.result, protocol, false);
      });

      it.each(['12345678901234567890', '-1', '"\\u0069d"', '"\\ud800"', '""'])(
        'returns the id %s unchanged',
        async (id) => {
          const { text } = await client.request('tools/call', '"name":"up_spaced"', { id });
          expect(textAt(text, 'id')).toBe(id);
        },
      );

      it.each(['12345678901234567890', '"\\u0074oken \\ud800"', '-0', '1.0'])(
        'returns progress with the token %s unchanged',
        async (token) => {
          const before = client.heard.length;
          await call('notices', '"arguments":{}', `"progressToken":${token}`);
          const heard = client.heard.slice(before).find((text) => text.includes('notifications/progress'));
          expect(textAt(heard ?? '{}', 'params')).toBe(progress.replace('$TOKEN', token));
        },
      );

      it('loses no progress sent before the answer, and keeps its order', async () => {
        const before = client.heard.length;
        await call('busy', '"arguments":{}', '"progressToken":"busy"');
        const heard = client.heard.slice(before).filter((text) => text.includes('notifications/progress'));
        expect(heard.map((text) => textAt(textAt(text, 'params'), 'progress'))).toEqual(
          Array.from({ length: manySteps }, (_, step) => String(step)),
        );
      });

      it('passes on log messages unchanged', async () => {
        if (protocol === 'legacy') await client.request('logging/setLevel', '"level":"debug"');
        const before = client.heard.length;
        const heard = () => client.heard.slice(before).find((text) => text.includes('notifications/message'));
        // Right after a call by another client, the gateway cannot know which client a line on a shared pipe belongs to, so it does not forward it.
        for (let tries = 0; tries < 3 && heard() === undefined; tries += 1) {
          if (tries > 0) await new Promise((resolve) => setTimeout(resolve, ownershipMs));
          await call(
            'notices',
            '"arguments":{}',
            protocol === 'modern' ? `"${key('logLevel')}":"debug"` : undefined,
          );
        }
        expect(textAt(heard() ?? '{}', 'params')).toBe(logged);
      });

      it('passes on a question and its answer, byte for byte', async () => {
        asked.length = 0;
        const [shown, done] = protocol === 'legacy' ? await askLegacy() : await askModern();
        expect(textAt(shown, 'params')).toBe(textAt(question, 'params'));
        expectResult(oddResults.spaced, done, protocol, false);
        expect(heardAnswer()).toBe(answer);
      });

      async function askLegacy(): Promise<readonly [string, string | undefined]> {
        const { result } = await call('asks');
        return [`{"params":${asked[0]?.params ?? ''}}`, result];
      }

      async function askModern(): Promise<readonly [string, string | undefined]> {
        const first = (await call('asks')).result ?? '';
        const [name = '', text = ''] = [...membersOf(textAt(first, 'inputRequests'))][0] ?? [];
        const answers = `"inputResponses":{${JSON.stringify(name)}:${answer}},"requestState":${textAt(first, 'requestState')}`;
        return [text, (await call('asks', `"arguments":{},${answers}`)).result];
      }

      function heardAnswer(): string {
        if (upstreamWay.protocol === 'modern') {
          const params = lastHeard('tools/call');
          expect(JSON.parse(textAt(params, 'requestState'))).toBe('state \ud800');
          return textAt(params, 'inputResponses', 'k\u00e9y');
        }
        const texts = upstream
          .heard()
          .flatMap(({ text }) => (text?.includes('"question-') === true ? [text] : []));
        return textAt(texts.at(-1) ?? '{}', 'result');
      }

      it('sends the client’s capabilities to a modern server unchanged', async () => {
        if (upstreamWay.protocol !== 'modern') return;
        await call('spaced');
        const capabilities = textAt(lastHeard('tools/call'), '_meta', key('clientCapabilities'));
        expect(textAt(capabilities, 'x-unknown')).toBe('[1e400]');
        expect(textAt(capabilities, 'elicitation')).toBe('{"form":{},"x":1.0}');
      });
    },
  );
});

describe('line breaks between JSON tokens of a message', () => {
  const hidden = '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"slow"}}';
  const smuggled = `"name":"up_spaced","arguments":{"a":\n${hidden}\n}`;

  it('would be two messages for a server that reads lines (control)', () => {
    const lines = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${smuggled}}}`.split('\n');
    expect(lines).toContain(hidden);
  });

  it.each(upstreamWays.filter(({ wire }) => wire === 'stdio'))(
    'reach a stdio server with $protocol protocol as one message',
    async ({ protocol }) => {
      const upstream = await openScripted('stdio', protocol, script);
      const gated = await openGated({ up: upstream });
      try {
        for (const clientProtocol of ['legacy', 'modern'] as const) {
          const client = await gated.connect('http', { protocol: clientProtocol });
          const before = upstream.heardOf('tools/call').length;
          const { result = '' } = await client.request('tools/call', smuggled, { space: '\r\n ' });
          expect(textAt(result, 'content', 0, 'text')).toBe('"x"');
          const heard = upstream.heardOf('tools/call').slice(before);
          expect(heard).toHaveLength(1);
          expect(JSON.parse(heard[0] ?? '')).toMatchObject({
            params: { name: 'spaced', arguments: { a: JSON.parse(hidden) as object } },
          });
          await client.close();
        }
      } finally {
        await gated.close();
      }
    },
  );

  it.each(upstreamWays.filter(({ wire }) => wire === 'http'))(
    'of an HTTP server with $protocol protocol reach a stdio client as one line',
    async ({ protocol }) => {
      const pretty = JSON.stringify(JSON.parse(oddResults.spaced), undefined, 2);
      const answers = {
        'tools/call': {
          plain: { result: pretty },
          streamed: {
            result: pretty,
            notices: [`{\n"jsonrpc":"2.0","method":"notifications/progress",\n"params":\n${progress}\n}`],
          },
        },
      };
      const tools = Object.keys(answers['tools/call']).map(
        (name) => `{"name":"${name}",\n"inputSchema":{\n"type":"object"}}`,
      );
      const gated = await openGated({
        up: await openScripted('http', protocol, { lists: { 'tools/list': tools }, answers }),
      });
      try {
        for (const clientProtocol of ['legacy', 'modern'] as const) {
          const client = await gated.connect('stdio', { protocol: clientProtocol });
          const list = await client.request('tools/list', '');
          expect(elementsOf(textAt(list.result ?? '', 'tools'))).toHaveLength(2);
          for (const name of ['plain', 'streamed']) {
            const { result } = await client.request('tools/call', `"name":"up_${name}"`, {
              meta: '"progressToken":1',
            });
            expectResult(pretty.replaceAll('\n', ' '), result, clientProtocol, false);
          }
          expect(client.heard.some((text) => text.includes('12345678901234567890'))).toBe(true);
          await client.close();
        }
      } finally {
        await gated.close();
      }
    },
  );
});

function expectParams(sent: string, got: string, localName: string | undefined): void {
  const [before, after] = [membersOf(sent), membersOf(got)];
  expect([...after.keys()].filter((name) => name !== '_meta')).toEqual(
    [...before.keys()].filter((name) => name !== '_meta'),
  );
  for (const [name, text] of before) {
    if (name === '_meta') expectMeta(text, after.get(name) ?? '{}');
    else if ((allowedOnTheWayUp.params as readonly string[]).includes(name)) {
      expect(JSON.parse(after.get(name) ?? 'null')).toBe(localName);
    } else
      expect(after.get(name) === text, `params.${name}: ${(after.get(name) ?? '').slice(0, 300)}`).toBe(true);
  }
}

function expectMeta(sent: string, got: string): void {
  const own = (text: string): (readonly [string, string])[] =>
    [...membersOf(text)].filter(([name]) => !(allowedOnTheWayUp.meta as readonly string[]).includes(name));
  expect(own(got)).toEqual(own(sent));
}

function expectDefinition(written: string, shown: string, protocol: 'legacy' | 'modern'): void {
  const [before, after] = [membersOf(written), membersOf(shown)];
  const isShown = (name: string): boolean =>
    protocol === 'modern' ||
    !(removedForLegacyClients as readonly string[]).includes(name) ||
    (JSON.parse(before.get(name) ?? '{}') as { readonly type?: unknown }).type === 'object';
  expect([...after.keys()]).toEqual([...before.keys()].filter(isShown));
  for (const [name, text] of after) {
    if (name === 'name' && !before.has('uri') && !before.has('uriTemplate')) {
      expect(JSON.parse(text)).toBe(`up_${JSON.parse(before.get(name) ?? 'null') as string}`);
    } else expect(text === before.get(name), `${name}: ${text.slice(0, 300)}`).toBe(true);
  }
}

function expectResult(
  written: string,
  shown: string | undefined,
  protocol: 'legacy' | 'modern',
  isCacheable: boolean,
): void {
  if (protocol === 'legacy') return expect(shown === written, (shown ?? 'nothing').slice(0, 500)).toBe(true);
  const [before, after] = [membersOf(written), membersOf(shown ?? '{}')];
  const added = [...after.keys()].filter((name) => !before.has(name));
  for (const name of added) expect(addedForModernClients).toContain(name);
  expect(added.includes('ttlMs')).toBe(isCacheable);
  for (const [name, text] of before) {
    const found = after.get(name) ?? '';
    if (name === '_meta') expectAddedMeta(text, found);
    else expect(found === text, `${name}: ${found.slice(0, 300)}`).toBe(true);
  }
}

function expectAddedMeta(written: string, shown: string): void {
  const rest = [...membersOf(shown)].filter(([name]) => !(addedMeta as readonly string[]).includes(name));
  expect(rest).toEqual([...membersOf(written)]);
}
