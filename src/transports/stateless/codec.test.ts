import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../../test/support/counts.js';
import { objectText } from '../../../test/support/json-arbitrary.js';
import { JsonText, membersOf } from '../../lib/json-text.js';
import {
  completeResult,
  discoverResult,
  hasEnvelope,
  inputRequiredResult,
  listResult,
  metaKeys,
  readEnvelope,
  taggedParams,
} from './codec.js';

const server = { name: 'tidegate', title: 'Tidegate', version: '1' };
const serverMeta = { [metaKeys.serverInfo]: server };

function withMeta(meta: unknown): JsonText {
  return JsonText.from({ name: 'x', _meta: meta });
}

const version = { [metaKeys.protocolVersion]: '2026-07-28' };
const capabilities = { [metaKeys.clientCapabilities]: {} };

describe('the envelope of a stateless request', () => {
  it('names the sender', () => {
    const envelope = readEnvelope(
      withMeta({
        ...version,
        [metaKeys.clientCapabilities]: { roots: {} },
        [metaKeys.clientInfo]: { name: 'c' },
        [metaKeys.logLevel]: 'warning',
      }),
    );
    expect(envelope).toMatchObject({
      ok: true,
      logLevel: 'warning',
      client: { protocol: 'modern', protocolVersion: '2026-07-28' },
    });
    expect(envelope.ok && envelope.client.capabilities.value).toEqual({ roots: {} });
    expect(envelope.ok && envelope.client.info?.value).toEqual({ name: 'c' });
  });

  it('needs no clientInfo and no log level', () => {
    expect(readEnvelope(withMeta({ ...version, ...capabilities }))).toMatchObject({
      ok: true,
      logLevel: undefined,
    });
    const odd = { ...version, ...capabilities, [metaKeys.logLevel]: 'loud' };
    expect(readEnvelope(withMeta(odd))).toMatchObject({ ok: true, logLevel: undefined });
  });

  it.each<[string, JsonText | undefined]>([
    ['no params', undefined],
    ['no _meta', JsonText.from({})],
    ['a _meta that is an array', withMeta([])],
    ['a _meta that is null', withMeta(null)],
    ['a version that is not a string', withMeta({ [metaKeys.protocolVersion]: 20260728, ...capabilities })],
  ])('lacks its version with %s', (_name, params) => {
    expect(readEnvelope(params)).toEqual({ ok: false, missing: metaKeys.protocolVersion });
  });

  it.each([undefined, null, [], 'none', 5])('lacks its capabilities when they are %j', (odd) => {
    expect(readEnvelope(withMeta({ ...version, [metaKeys.clientCapabilities]: odd }))).toEqual({
      ok: false,
      missing: metaKeys.clientCapabilities,
    });
  });

  it.each(['2025-11-25', '2099-01-01', ''])('of version %j gets the requested version back', (requested) => {
    const meta = { [metaKeys.protocolVersion]: requested, ...capabilities };
    expect(readEnvelope(withMeta(meta))).toEqual({ ok: false, requested });
  });

  it('marks a message as stateless', () => {
    expect(hasEnvelope(withMeta(version))).toBe(true);
    expect(hasEnvelope(withMeta({ [metaKeys.protocolVersion]: null }))).toBe(true);
    for (const params of [undefined, JsonText.from({}), withMeta({}), withMeta([]), withMeta('x')]) {
      expect(hasEnvelope(params)).toBe(false);
    }
    expect(hasEnvelope(new JsonText('{"_meta":{"__proto__":{"x":1}}}'))).toBe(false);
  });
});

describe('the output for stateless clients', () => {
  it('is a discovery with all required fields', () => {
    expect(JSON.parse(discoverResult(server, 'Read "this".'))).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: 'Read "this".',
      ttlMs: 1000,
      cacheScope: 'private',
      _meta: serverMeta,
    });
    expect(JSON.parse(discoverResult(server, undefined))).not.toHaveProperty('instructions');
  });

  it('is a list with private cache scope', () => {
    expect(JSON.parse(listResult('tools', '{"name":"a"}', 'next', server))).toEqual({
      resultType: 'complete',
      tools: [{ name: 'a' }],
      nextCursor: 'next',
      ttlMs: 1000,
      cacheScope: 'private',
      _meta: serverMeta,
    });
  });

  it('is a result with its type and the server added, and nothing lost', () => {
    const text = '{ "content":[{"type":"odd","n":12345678901234567890}], "vendor": 1.0 }';
    const out = completeResult(new JsonText(text), false, server);
    expect(out.startsWith(text.slice(0, -2))).toBe(true);
    expect(JSON.parse(out)).toEqual({
      ...(JSON.parse(text) as object),
      resultType: 'complete',
      _meta: serverMeta,
    });
  });

  it('is a resource without caching, unless its server allows it', () => {
    const plain = JSON.parse(completeResult(new JsonText('{"contents":[]}'), true, server)) as unknown;
    expect(plain).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    const own = '{"contents":[],"ttlMs":5000,"cacheScope":"public","resultType":"complete"}';
    expect(JSON.parse(completeResult(new JsonText(own), true, server))).toMatchObject({
      ttlMs: 5000,
      cacheScope: 'public',
    });
  });

  it('keeps the _meta and the serverInfo of the upstream server', () => {
    const text = `{"_meta":{"vendor/x":[1],"${metaKeys.serverInfo}":{"name":"theirs"}},"resultType":"complete"}`;
    expect(completeResult(new JsonText(text), false, server)).toBe(text);
    const bare = '{"_meta":{"vendor/x":12345678901234567890},"resultType":"complete"}';
    const out = completeResult(new JsonText(bare), false, server);
    expect(out).toContain('"vendor/x":12345678901234567890');
    expect(JSON.parse(out)).toMatchObject({ _meta: serverMeta });
  });

  it('keeps every field of a result, however it is written', () => {
    fc.assert(
      fc.property(objectText, fc.boolean(), (text, isCacheable) => {
        const json = new JsonText(text);
        const out = completeResult(json, isCacheable, server);
        const keep = (source: string): string[] =>
          membersOf(source)
            .filter(({ key }) => !['_meta', 'resultType', 'ttlMs', 'cacheScope'].includes(key))
            .map(({ keyStart, end }) => source.slice(keyStart, end));
        expect(keep(out)).toEqual(keep(json.text));
        expect(JSON.parse(out)).toHaveProperty('resultType');
      }),
      { numRuns: count(3_000) },
    );
  });

  it('is a question with our state, or a state alone', () => {
    const questions = new JsonText('{"k":{"method":"roots/list"}}');
    expect(JSON.parse(inputRequiredResult(questions, 's"1', server))).toEqual({
      resultType: 'input_required',
      inputRequests: { k: { method: 'roots/list' } },
      requestState: 's"1',
      _meta: serverMeta,
    });
    expect(JSON.parse(inputRequiredResult(new JsonText('{}'), 's', server))).not.toHaveProperty(
      'inputRequests',
    );
    expect(JSON.parse(inputRequiredResult(questions, undefined, server))).not.toHaveProperty('requestState');
  });

  it('is a notification with the id of its subscription, as written', () => {
    expect(taggedParams('{"uri":"x://1","n":1.0}', '9007199254740993')).toBe(
      `{"uri":"x://1","n":1.0,"_meta":{"${metaKeys.subscriptionId}":9007199254740993}}`,
    );
    expect(taggedParams('{"_meta":{"a":1}}', '"s"')).toBe(
      `{"_meta":{"a":1,"${metaKeys.subscriptionId}":"s"}}`,
    );
    expect(taggedParams('{"_meta":null}', '1')).toBe(`{"_meta":{"${metaKeys.subscriptionId}":1}}`);
  });
});
