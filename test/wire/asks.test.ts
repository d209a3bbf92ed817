import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { waitFor } from '../support/gate.js';
import { clientWays, type Gated, openGated } from '../support/pairings.js';
import {
  openRawHttp,
  type RawAnswer,
  type RawAsk,
  type RawClient,
  type RawClientOptions,
} from '../support/raw-client.js';
import { membersOf, textAt } from '../support/raw-json.js';
import {
  openFixture,
  openScripted,
  type Script,
  type ScriptedUpstream,
  upstreamWays,
} from '../support/upstreams.js';

const all = '{"elicitation":{},"sampling":{},"roots":{}}';
const declined = '{"action":"decline"}';
const named =
  '{"action":"accept","content":{"name":"Ada","username":"ada","email":"a@b","color":"red","context":"c","ok":true}}';
const sampled = '{"model":"m","role":"assistant","content":{"type":"text","text":"sampled"}}';
const rooted = '{"roots":[{"uri":"file:///ada"}]}';

const answerTo = ({ method }: RawAsk): string =>
  method === 'elicitation/create' ? named : method === 'roots/list' ? rooted : sampled;

const script: Script = {
  lists: {
    'tools/list': ['asks', 'asks_model', 'plain'].map(
      (name) => `{"name":"${name}","inputSchema":{"type":"object"}}`,
    ),
    'prompts/list': ['{"name":"asks"}'],
  },
  answers: {
    'tools/call': {
      plain: { result: '{"content":[{"type":"text","text":"plain"}]}' },
      asks: {
        result: '{"content":[{"type":"text","text":"done"}]}',
        asks: {
          q: '{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}',
        },
      },
      asks_model: {
        result: '{"content":[{"type":"text","text":"done"}]}',
        asks: { q: '{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}' },
      },
    },
    'prompts/get': { asks: { result: '{"messages":[]}' } },
  },
};

interface Round {
  readonly state: string;
  readonly questions: ReadonlyMap<string, string>;
}

/** The request for input that a modern client received. */
function roundOf({ result, text }: RawAnswer): Round {
  if (result === undefined || textAt(result, 'resultType') !== '"input_required"')
    throw new Error(`no question: ${text}`);
  return { state: textAt(result, 'requestState'), questions: membersOf(textAt(result, 'inputRequests')) };
}

function reply({ state, questions }: Round, answer: (ask: RawAsk) => string = answerTo): string {
  const parts = [...questions].map(([key, text]) => {
    const ask = { method: JSON.parse(textAt(text, 'method')) as string, params: textAt(text, 'params') };
    return `${JSON.stringify(key)}:${answer(ask)}`;
  });
  return `"inputResponses":{${parts.join(',')}},"requestState":${state}`;
}

/** Some positions spread over a text; all of them in a full run. */
function spotsIn(text: string): readonly number[] {
  const spots = count(text.length);
  return Array.from({ length: spots }, (_, at) => Math.floor((at * text.length) / spots));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const textOf = ({ result, text }: RawAnswer): string => {
  if (result === undefined) throw new Error(`no result: ${text}`);
  return JSON.parse(textAt(result, 'content', 0, 'text')) as string;
};

const codeOf = ({ error, text }: RawAnswer): readonly [number, string | undefined] => {
  if (error === undefined) throw new Error(`no error: ${text.slice(0, 300)}`);
  const { code, data } = JSON.parse(error) as { code: number; data?: { code?: string } };
  return [code, data?.code];
};

describe.each(upstreamWays)('a server over $wire with $protocol protocol', (way) => {
  let gated: Gated;
  let scripted: ScriptedUpstream;
  beforeAll(async () => {
    scripted = await openScripted(way.wire, way.protocol, script);
    const fix = await openFixture(way.wire, way.protocol);
    const roots = way.protocol === 'modern' ? { caller_roots: true } : { roots: ['/configured'] };
    gated = await openGated({ fix: { ...fix, entry: { ...fix.entry, ...roots } }, scr: scripted });
  });
  afterAll(() => gated.close());

  const call = (client: RawClient, tool: string, more = '"arguments":{}'): Promise<RawAnswer> =>
    client.request('tools/call', `"name":"${tool}",${more}`);

  /** Calls a tool and answers its questions, as the client's protocol version requires. */
  async function converse(client: RawClient, tool: string, answer = answerTo): Promise<RawAnswer> {
    let last = await call(client, tool);
    for (let round = 0; round < 5; round += 1) {
      if (last.result === undefined || !last.result.includes('"input_required"')) return last;
      last = await call(client, tool, `"arguments":{},${reply(roundOf(last), answer)}`);
    }
    throw new Error('the questions never ended');
  }

  async function withClient(
    wire: 'stdio' | 'http',
    options: RawClientOptions,
    work: (client: RawClient) => Promise<void>,
  ): Promise<void> {
    const client = await gated.connect(wire, options);
    try {
      await work(client);
    } finally {
      await client.close();
    }
  }

  describe.each(clientWays)('asks a client over $wire with $protocol protocol', ({ wire, protocol }) => {
    it('for forms, for its model and for its folders', async () => {
      await withClient(wire, { protocol, capabilities: all, answer: answerTo }, async (client) => {
        expect(textOf(await converse(client, 'fix_test_elicitation'))).toContain('"username":"ada"');
        expect(textOf(await converse(client, 'fix_test_sampling'))).toBe('LLM response: sampled');
        expect(textOf(await converse(client, 'fix_test_input_required_result_list_roots'))).toBe(
          // A legacy server is shared by all sessions, so it gets the roots of the operator.
          way.protocol === 'modern' ? 'Roots: file:///ada' : 'Roots: file:///configured',
        );
        expect(textOf(await converse(client, 'fix_test_input_required_result_multi_round'))).toBe(
          'Ada likes red.',
        );
      });
    });

    it('and accepts a refusal', async () => {
      const answer = (): string => declined;
      await withClient(wire, { protocol, capabilities: all, answer }, async (client) => {
        expect(textOf(await converse(client, 'fix_test_elicitation', answer))).toContain('action: decline');
      });
    });

    it('and reports to the tool at once if the client cannot be asked', async () => {
      await withClient(wire, { protocol, capabilities: '{}' }, async (client) => {
        const started = performance.now();
        for (const [tool, capability] of [
          ['scr_asks', 'elicitation'],
          ['scr_asks_model', 'sampling'],
        ] as const) {
          const before = scripted.heard().length;
          const answer = await call(client, tool);
          if (way.protocol === 'modern') {
            if (protocol === 'legacy') expect(answer.error).toContain(capability);
            else expect(codeOf(answer)[0]).toBe(-32021);
          } else {
            const refusal = scripted
              .heard()
              .slice(before)
              .find(({ text }) => text?.includes('"question-') === true);
            expect(textAt(refusal?.text ?? '{}', 'error', 'code')).toMatch(/^-32(601|021)$/);
            expect(textOf(answer)).toBe('done');
          }
        }
        expect(performance.now() - started).toBeLessThan(20_000);
        expect(textOf(await call(client, 'scr_plain'))).toBe('plain');
      });
    });

    it('and is notified when the client disconnects with an open question', async () => {
      const before = scripted.heard().length;
      const client = await gated.connect(wire, { protocol, capabilities: all });
      const asked = call(client, 'scr_asks').catch(() => 'gone');
      if (protocol === 'modern') {
        roundOf((await asked) as RawAnswer);
        await client.close();
        // Between two rounds no client is connected: the call waits for its answer until its own timeout.
        return;
      }
      await waitFor(
        () => client.heard.some((text) => text.includes('elicitation/create')),
        5000,
        () => 'the question did not come',
      );
      await client.close();
      // Between two rounds a modern server has no connection to notify.
      if (way.protocol === 'modern') return;
      await waitFor(
        () => hasHeardTheEnd(before),
        5000,
        () => JSON.stringify(scripted.heard().slice(before)),
      );
    });
  });

  /** A server of a stdio gateway ends with it; a shared server gets an error for its question, or a cancellation. */
  function hasHeardTheEnd(from: number): boolean {
    const heard = scripted.heard().slice(from);
    if (heard.some(({ kind, text }) => kind === 'cancelled' || text?.includes('"question-') === true))
      return true;
    const pid = heard.find(({ kind }) => kind === 'start')?.pid;
    return pid !== undefined && !isRunning(pid);
  }

  describe.each(clientWays.filter(({ protocol }) => protocol === 'modern'))(
    'guards requestState over $wire',
    ({ wire }) => {
      let client: RawClient;
      beforeAll(async () => {
        client = await gated.connect(wire, { protocol: 'modern', capabilities: all });
      });
      afterAll(() => client.close());

      const forged = [-32602, 'ask.forged'];
      const tool = 'fix_test_input_required_result_request_state';

      it('against every change, and a failed attempt does not use up the call', async () => {
        const round = roundOf(await call(client, tool));
        const state = JSON.parse(round.state) as string;
        const changed = [
          ...spotsIn(state).map(
            (at) => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`,
          ),
          `${state}A`,
          `${state}=`,
          `${state}.`,
          `.${state}`,
          state.slice(0, -1),
          state.split('.')[0] ?? '',
          state.toUpperCase(),
          '',
          '.',
          'not ours',
          Buffer.from('{"kind":"parked"}').toString('base64url'),
        ];
        for (const text of changed) {
          const answer = reply({ ...round, state: JSON.stringify(text) });
          expect([text, ...codeOf(await call(client, tool, `"arguments":{},${answer}`))]).toEqual([
            text,
            ...forged,
          ]);
        }
        expect(textOf(await call(client, tool, `"arguments":{},${reply(round)}`))).toContain('state-ok');
      });

      it('against other arguments, other tools and other methods', async () => {
        const round = roundOf(await call(client, tool));
        for (const [method, members] of [
          ['tools/call', `"name":"${tool}","arguments":{"a":1}`],
          ['tools/call', `"name":"${tool}"`],
          ['tools/call', '"name":"fix_test_input_required_result_elicitation","arguments":{}'],
          ['tools/call', '"name":"scr_plain","arguments":{}'],
          ['prompts/get', '"name":"scr_asks","arguments":{}'],
        ] as const) {
          expect([members, ...codeOf(await client.request(method, `${members},${reply(round)}`))]).toEqual([
            members,
            ...forged,
          ]);
        }
        expect(textOf(await call(client, tool, `"arguments":{},${reply(round)}`))).toContain('state-ok');
      });

      it('against use at the gateway of another operator', async () => {
        const other = await openGated({ fix: await openFixture('stdio', way.protocol) });
        const stranger = await other.connect(wire, { protocol: 'modern', capabilities: all });
        const round = roundOf(await call(stranger, tool));
        expect(codeOf(await call(client, tool, `"arguments":{},${reply(round)}`))).toEqual(forged);
        expect(textOf(await call(stranger, tool, `"arguments":{},${reply(round)}`))).toContain('state-ok');
        await stranger.close();
        await other.close();
      });

      it('against a second use, if the call waits in the gateway', async () => {
        const round = roundOf(await call(client, tool));
        const answer = `"arguments":{},${reply(round)}`;
        expect(textOf(await call(client, tool, answer))).toContain('state-ok');
        const again = await call(client, tool, answer);
        // A modern server keeps its own state and handles a second use itself; our seal only proves who may send it back.
        if (way.protocol === 'modern') expect(textOf(again)).toContain('state-ok');
        else expect(codeOf(again)).toEqual([-32602, 'ask.expired']);
      });

      it('and repeats questions that were not answered', async () => {
        const first = roundOf(await call(client, tool));
        const again = roundOf(
          await call(client, tool, `"arguments":{},"inputResponses":{"x":1},"requestState":${first.state}`),
        );
        const wrong = roundOf(
          await call(client, tool, `"arguments":{},${reply(again, () => '"no object"')}`),
        );
        expect(textOf(await call(client, tool, `"arguments":{},${reply(wrong)}`))).toContain('state-ok');
      });

      it('and lets two waiting calls be answered in any order', async () => {
        const [one, two] = [
          roundOf(await call(client, 'fix_test_elicitation', '"arguments":{"message":"one"}')),
          roundOf(await call(client, 'fix_test_elicitation', '"arguments":{"message":"two"}')),
        ];
        expect([...one.questions.values()].join()).toContain('"one"');
        expect([...two.questions.values()].join()).toContain('"two"');
        const said = (name: string) => (): string =>
          `{"action":"accept","content":{"username":"${name}","email":"e"}}`;
        const second = await call(
          client,
          'fix_test_elicitation',
          `"arguments":{"message":"two"},${reply(two, said('second'))}`,
        );
        const first = await call(
          client,
          'fix_test_elicitation',
          `"arguments":{"message":"one"},${reply(one, said('first'))}`,
        );
        expect(textOf(first)).toContain('"username":"first"');
        expect(textOf(second)).toContain('"username":"second"');
      });
    },
  );

  describe.each(['legacy', 'modern'] as const)('and several %s clients at once', (protocol) => {
    it('sends each question to the client that made the call', async () => {
      const names = ['ada', 'bob', 'eve', 'kim'];
      const asked: string[] = [];
      const talk = async (name: string): Promise<string> => {
        const answer = ({ params }: RawAsk): string => {
          asked.push(`${name} was asked ${JSON.parse(textAt(params, 'message')) as string}`);
          return `{"action":"accept","content":{"username":"${name}","email":"e"}}`;
        };
        const client = await gated.connect('http', { protocol, capabilities: all, answer });
        const args = `"arguments":{"message":"are you ${name}?"}`;
        const first = await call(client, 'fix_test_elicitation', args);
        const last =
          first.result?.includes('"input_required"') === true
            ? await call(client, 'fix_test_elicitation', `${args},${reply(roundOf(first), answer)}`)
            : first;
        await client.close();
        return last.result === undefined || last.text.includes('"isError":true') ? 'refused' : textOf(last);
      };
      const said = await Promise.all(names.map(talk));
      for (const line of asked) expect(line).toMatch(/^(\w+) was asked are you \1\?$/);
      for (const [at, text] of said.entries()) {
        if (text !== 'refused') expect(text).toContain(`"username":"${names[at] ?? ''}"`);
      }
      // A refused client may try again; by then it is clear which call the question belongs to.
      expect(await talk('zoe')).toContain('"username":"zoe"');
    });
  });
});

describe('a server that believes every state', () => {
  it('receives a forged state without the gateway (control), and not through it', async () => {
    const asks = { q: '{"method":"roots/list","params":{}}' };
    const answers = { 'tools/call': { open: { result: '{"content":[]}', asks, state: '"by the server"' } } };
    const lists = { 'tools/list': ['{"name":"open","inputSchema":{"type":"object"}}'] };
    const upstream = await openScripted('http', 'modern', { lists, answers });
    const gated = await openGated({ up: upstream }, { http: { auth: 'none' } });
    const lie = '"arguments":{},"inputResponses":{"q":{"roots":[]}},"requestState":"a lie"';
    const options = { protocol: 'modern', capabilities: all } as const;

    const direct = await openRawHttp({ url: String(upstream.entry['url']) }, 'none', options);
    expect((await direct.request('tools/call', `"name":"open",${lie}`)).result).toContain('"content"');
    expect(upstream.heardOf('tools/call').at(-1)).toContain('a lie');
    await direct.close();

    const client = await gated.connect('http', options);
    expect(codeOf(await client.request('tools/call', `"name":"up_open",${lie}`))).toEqual([
      -32602,
      'ask.forged',
    ]);
    expect(upstream.heardOf('tools/call')).toHaveLength(1);
    await client.close();
    await gated.close();
  });
});
