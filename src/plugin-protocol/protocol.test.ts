import { createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type GrpcObject, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCertificate } from './certificate.js';
import { decodeMessage, Malformed } from '../lib/protobuf/decode.js';
import { encodeMessage } from '../lib/protobuf/encode.js';
import type { Field, Message, Scalar } from '../lib/protobuf/message.js';
import * as methods from './methods.js';
import * as messages from './messages.js';

const schema = fileURLToPath(new URL('../../schema/', import.meta.url));
const options = { keepCase: true, longs: String, bytes: Buffer, defaults: true } as const;
const proto: PackageDefinition = {
  ...loadSync('plugin.proto', { ...options, includeDirs: [schema] }),
  ...loadSync('go-plugin.proto', { ...options, includeDirs: [schema] }),
};

const { handshake: _handshake, ...services } = methods;
const allMethods = Object.values(services)
  .flatMap((service) => Object.values(service) as methods.Method<Message, Message>[])
  .filter(({ path }) => !path.startsWith('/grpc.health'));

/** The method according to the schema file. */
function written(path: string) {
  const [, service = '', name = ''] = path.split('/');
  const found = (proto[service] as Readonly<Record<string, unknown>> | undefined)?.[name];
  return found as {
    readonly path: string;
    readonly requestStream: boolean;
    readonly responseStream: boolean;
    readonly requestType: MessageTypeDefinition<object, object>;
    readonly responseType: MessageTypeDefinition<object, object>;
    requestSerialize(value: object): Buffer;
    requestDeserialize(bytes: Buffer): object;
    responseSerialize(value: object): Buffer;
    responseDeserialize(bytes: Buffer): object;
  };
}

const scalarValues: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  string: fc.string({ unit: 'grapheme', maxLength: 40 }),
  bytes: fc.uint8Array({ maxLength: 300 }),
  bool: fc.boolean(),
  int32: fc.integer(),
  uint32: fc.nat(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
};

function valuesOf(table: Message): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record(
    Object.fromEntries(Object.entries(table.fields).map(([name, field]) => [name, fieldValues(field)])),
  );
}

function fieldValues({ of, shape }: Field): fc.Arbitrary<unknown> {
  const each = typeof of === 'string' ? scalarValues[of] : valuesOf(of);
  if (shape === 'many') return fc.array(each, { maxLength: 3 });
  if (shape === 'map')
    return fc
      .array(fc.tuple(scalarValues.string, each), { maxLength: 3 })
      .map((entries) => new Map(entries as []));
  return each;
}

/** In the form of protobufjs: longs as text, maps as objects, enums as numbers, absent fields left out. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

describe('the tables and the schema files', () => {
  it('have the same methods', () => {
    const inFiles = Object.values(proto).flatMap((entry) =>
      'format' in entry ? [] : Object.values(entry).map(({ path }) => path),
    );
    expect(allMethods.map(({ path }) => path).sort()).toEqual(inFiles.sort());
    for (const { path, streams } of allMethods) {
      const { requestStream, responseStream } = written(path);
      expect([path, requestStream, responseStream]).toEqual([
        path,
        streams === 'asked' || streams === 'both',
        streams === 'given' || streams === 'both',
      ]);
    }
  });

  it.each(allMethods.map((method) => [method.path, method] as const))(
    'can decode each other: %s',
    (path, method) => {
      const file = written(path);
      for (const [table, serialize, deserialize] of [
        [method.asked, file.requestSerialize, file.requestDeserialize],
        [method.given, file.responseSerialize, file.responseDeserialize],
      ] as const) {
        fc.assert(
          fc.property(valuesOf(table), (value) => {
            const ours = encodeMessage(table, value as never);
            const theirs = plain(deserialize(Buffer.from(ours)));
            expect(theirs).toEqual(plain(value));
            expect(plain(decodeMessage(table, serialize(deserialize(Buffer.from(ours)))))).toEqual(
              plain(value),
            );
          }),
          { numRuns: 60 },
        );
      }
    },
  );

  it('can be loaded by a gRPC library', () => {
    const loaded = loadPackageDefinition(proto) as { plugin: { v1: GrpcObject } };
    expect(loaded.plugin.v1).toHaveProperty('OperationService');
  });
});

describe('reading a message', () => {
  it('throws only Malformed, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeMessage(messages.listOperationsResponse, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('skips unknown fields', () => {
    const richer = {
      fields: { ...messages.getOperationRequest.fields, more: { number: 90, of: 'string', shape: 'one' } },
    };
    const bytes = encodeMessage(richer as Message, { name: 'echo', more: 'words' });
    expect(decodeMessage(messages.getOperationRequest, bytes)).toEqual({ name: 'echo' });
  });

  it.each([
    ['entries of a map', messages.executeResponse, [26, 0]],
    ['messages of a list', messages.listOperationsResponse, [10, 0]],
    ['values of one field', messages.executeResponse, [8, 1]],
    ['unknown fields', messages.executeResponse, [120, 1]],
  ] as const)('stops early at too many %s', (_what, table, pair) => {
    const started = performance.now();
    const bytes = Buffer.alloc(32 * 1024 * 1024, Buffer.from(pair));
    expect(() => decodeMessage(table, bytes)).toThrow('more than 100000 fields');
    expect(performance.now() - started).toBeLessThan(5_000);
    // The control: a realistic number.
    expect(() => decodeMessage(table, bytes.subarray(0, 60_000))).not.toThrow();
  });

  it('counts fields of nested messages', () => {
    const inner = Buffer.alloc(120_000, Buffer.from([26, 0]));
    const outer = Buffer.concat([Buffer.from([10, 0xc0, 0xa9, 0x07]), inner]);
    expect(decodeMessage(messages.listOperationsResponse, outer).operations[0]?.inputs).toHaveLength(60_000);
    const twice = Buffer.concat([outer, outer]);
    expect(() => decodeMessage(messages.listOperationsResponse, twice)).toThrow(Malformed);
  });

  it('rejects invalid UTF-8, and a length beyond the end', () => {
    expect(() => decodeMessage(messages.getOperationRequest, Uint8Array.of(10, 1, 0xff))).toThrow(Malformed);
    expect(() => decodeMessage(messages.getOperationRequest, Uint8Array.of(10, 9, 0x41))).toThrow(Malformed);
  });
});

describe('a certificate', () => {
  it('is self-signed and valid for localhost and for both ends', () => {
    for (let i = 0; i < 50; i += 1) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const made = new X509Certificate(
        createCertificate({
          publicKey: publicKey.export({ type: 'spki', format: 'der' }),
          sign: (bytes) => sign('sha256', bytes, privateKey),
          serial: randomBytes(16),
          notBefore: new Date('2026-01-02T03:04:05Z'),
          notAfter: new Date('2056-01-02T03:04:05Z'),
        }),
      );
      expect(made.verify(createPublicKey(made.publicKey.export({ type: 'spki', format: 'pem' })))).toBe(true);
      expect(made.checkIssued(made)).toBe(true);
      expect(made).toMatchObject({ ca: true, subject: 'CN=localhost', subjectAltName: 'DNS:localhost' });
      expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
      expect(new Date(made.validTo).getUTCFullYear()).toBe(2056);
    }
  });
});
