import { describe, expect, it } from 'vitest';
import { createOpenAccess, openHall, sessionOf, toolRequest } from '../../test/support/gateway.js';
import { type Attempt, content, type Outcome } from '../core/index.js';
import { emptyObject, JsonText } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider } from '../testing/index.js';
import { throughCallTool } from './call-tool.js';

const done = (): Outcome => content(emptyObject);
const viaCallTool = (text: string) => toolRequest('call_tool', {}, { params: new JsonText(text) });

describe('a request through call_tool', () => {
  it('becomes the real call, byte for byte', () => {
    const real = throughCallTool(
      viaCallTool(
        '{"name":"call_tool","arguments":{"name":"a","arguments":{"n":12345678901234567890,"x":1e2}},"_meta":{"k":1}}',
      ),
    );
    expect(real).toMatchObject({ wanted: { kind: 'tool', name: 'a' }, via: 'call_tool' });
    expect(real?.params.text).toBe(
      '{"name":"a","arguments":{"n":12345678901234567890,"x":1e2},"_meta":{"k":1}}',
    );
  });

  it.each([
    ['no arguments', '{"name":"call_tool","arguments":{"name":"a"}}', '{"name":"a","arguments":{}}'],
    ['null', '{"name":"call_tool","arguments":{"name":"a","arguments":null}}', '{"name":"a","arguments":{}}'],
    [
      'arguments as text',
      '{"name":"call_tool","arguments":{"name":"a","arguments":"{\\"b\\":1}"}}',
      '{"name":"a","arguments":{"b":1}}',
    ],
  ])('accepts %s', (_name, given, expected) => {
    expect(throughCallTool(viaCallTool(given))?.params.text).toBe(expected);
  });

  it.each([
    ['itself', '{"name":"call_tool","arguments":{"name":"call_tool"}}'],
    ['the search', '{"name":"call_tool","arguments":{"name":"tool_search"}}'],
    ['nothing', '{"name":"call_tool"}'],
    ['a number', '{"name":"call_tool","arguments":{"name":7}}'],
    ['a list of arguments', '{"name":"call_tool","arguments":{"name":"a","arguments":[1]}}'],
    ['text that is not an object', '{"name":"call_tool","arguments":{"name":"a","arguments":"[1]"}}'],
  ])('refuses %s', (_name, given) => {
    expect(throughCallTool(viaCallTool(given))).toBeUndefined();
  });

  it('refuses text that is nested deeper than a message may be', () => {
    const deep = (levels: number): string => `{"d":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const given = (levels: number) =>
      viaCallTool(JSON.stringify({ name: 'call_tool', arguments: { name: 'a', arguments: deep(levels) } }));
    expect(throughCallTool(given(100))).toBeDefined();
    expect(throughCallTool(given(5000))).toBeUndefined();
  });

  it('is authorized and recorded as the real call; call_tool itself is not recorded', async () => {
    const attempts: Attempt[] = [];
    const provider = createFakeProvider('one', { a: done, call_tool: done });
    const observers = [{ name: 'test', begin: () => (attempt: Attempt) => void attempts.push(attempt) }];
    const gateway = openHall({ providers: [provider], observers });
    const outcome = await gateway.call(
      toolRequest('call_tool', { name: 'a', arguments: {} }),
      createFakeExchange(),
    );
    expect(outcome.kind).toBe('content');
    expect(provider.calls.map(({ target }) => target)).toMatchObject([{ spec: { name: 'a' } }]);
    expect(attempts).toMatchObject([{ name: 'a', via: 'call_tool' }]);
  });

  it('treats hidden and absent tools alike, with the same message', async () => {
    const provider = createFakeProvider('one', { a: done, hidden: done, call_tool: done });
    const access = createOpenAccess((_session, spec) => spec.kind === 'tool' && spec.name === 'hidden');
    const gateway = openHall({ providers: [provider], access });
    const ask = async (name: string): Promise<string> =>
      JSON.stringify(
        await gateway.call(toolRequest('call_tool', { name, arguments: {} }), createFakeExchange()),
      );
    expect((await ask('hidden')).replaceAll('hidden', 'X')).toBe(
      (await ask('absent')).replaceAll('absent', 'X'),
    );
    expect(await ask('hidden')).toContain('unknown_tool');
    expect(provider.calls).toEqual([]);
  });

  it('is not available to callers without access to call_tool', async () => {
    const provider = createFakeProvider('one', { a: done, call_tool: done });
    const access = createOpenAccess((_session, spec) => spec.kind === 'tool' && spec.name === 'call_tool');
    const gateway = openHall({ providers: [provider], access });
    const request = toolRequest('call_tool', { name: 'a', arguments: {} }, { session: sessionOf() });
    expect(await gateway.call(request, createFakeExchange())).toMatchObject({
      fault: { code: 'tool.not_found' },
    });
    expect(provider.calls).toEqual([]);
  });
});
