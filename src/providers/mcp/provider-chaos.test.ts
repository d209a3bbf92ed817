import { describe, expect, it } from 'vitest';
import { openBench } from '../../../test/support/scripted-provider.js';
import {
  echoTool,
  type Message,
  type Script,
  type ScriptedChild,
} from '../../../test/support/scripted-upstream.js';
import { JsonText } from '../../lib/json-text.js';
import type { Outcome } from '../../core/index.js';

/** A small generator, so that a failing run can be run again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor((state / 4294967296) * below);
  };
}

const markOf = ({ params }: Message): string =>
  String((params?.['arguments'] as { readonly mark?: string } | undefined)?.mark);

/** A server that does with each call whatever comes to its mind. */
function chaosScript(random: (below: number) => number): Script {
  let asked = 0;
  return (message, child) => {
    const { id, method } = message;
    const say = (body: object): void => child.say({ jsonrpc: '2.0', ...body });
    if (method === 'initialize') {
      if (random(10) === 0) return child.exit();
      return say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} } } });
    }
    if (method === 'tools/list') return say({ id, result: { tools: [echoTool] } });
    if (method !== 'tools/call') return;
    act(random(12), message, child, say);
    asked += 1;
    if (asked % 7 === 0)
      say({ id: `q${asked}`, method: 'elicitation/create', params: { mark: markOf(message) } });
  };
}

function act(kind: number, message: Message, child: ScriptedChild, say: (body: object) => void): void {
  const { id } = message;
  const mark = markOf(message);
  const result = { content: [], mark };
  const meta = message.params?.['_meta'] as { readonly progressToken?: unknown } | undefined;
  const params = { progressToken: meta?.progressToken, progress: 1, mark };
  if (kind < 5) return say({ id, result });
  if (kind === 5) return say({ id, error: { code: -32000, message: mark } });
  if (kind === 6) return child.exit();
  if (kind === 7) return child.sayRaw('{"half":');
  if (kind === 8) return child.sayRaw(`garbage\n[]\n{"jsonrpc":"2.0","id":${String(id)}}\n`);
  if (kind === 9) {
    say({ method: 'notifications/progress', params });
    say({ method: 'notifications/message', params: { level: 'error', data: mark, mark } });
    return say({ id, result });
  }
  if (kind === 10) {
    say({ id, result });
    say({ id, result });
    return say({ id, error: { code: 1, message: 'twice' } });
  }
  // Silence.
}

function isOwn(outcome: Outcome, mark: string): boolean {
  if (outcome.kind === 'content') return (outcome.result.value as { readonly mark: string }).mark === mark;
  return (
    outcome.kind === 'fault' && (outcome.fault.code !== 'upstream.error' || outcome.fault.message === mark)
  );
}

describe('a server that misbehaves in any way', () => {
  it.each([1, 2, 3, 4, 5])(
    'gets exactly one answer per call, and no byte of another (seed %i)',
    async (seed) => {
      const random = createRandom(seed);
      const bench = openBench(chaosScript(random), { protocol: 'legacy' });
      const problems: string[] = [];
      let answered = 0;
      const calls: Promise<void>[] = [];
      const total = 400;
      for (let n = 0; n < total; n += 1) {
        const session = `s${random(4)}`;
        const mark = `${session}/${n}`;
        const controller = new AbortController();
        const { outcome, seen } = bench.call({
          session,
          signal: controller.signal,
          wantsProgress: random(2) === 0,
          logLevel: 'debug',
          can: ['elicitation/create'],
          answer: () => ({ kind: 'answer', result: JsonText.from({ action: 'accept' }) }),
          params: JSON.stringify({ name: 's_echo', arguments: { mark } }),
        });
        calls.push(
          outcome.then((value) => {
            answered += 1;
            if (!isOwn(value, mark)) problems.push(`${mark} got ${JSON.stringify(value)}`);
            for (const params of [...seen.progress, ...seen.logs.map((line) => (line as unknown[])[1])]) {
              const theirs = (params as { readonly mark: string }).mark;
              if (!theirs.startsWith(`${session}/`)) problems.push(`${mark} heard of ${theirs}`);
            }
            for (const { params } of seen.questions) {
              const theirs = (params.value as { readonly mark: string }).mark;
              if (!theirs.startsWith(`${session}/`)) problems.push(`${mark} was asked for ${theirs}`);
            }
          }),
        );
        if (random(6) === 0) controller.abort();
        if (random(3) === 0) await bench.clock.advance(random(600));
      }
      await bench.clock.advance(600_000);
      await Promise.all(calls);
      expect(problems).toEqual([]);
      expect(answered).toBe(total);
      await bench.provider.close();
      expect(bench.server.children.filter((child) => !child.isClosed)).toEqual([]);
    },
  );
});
