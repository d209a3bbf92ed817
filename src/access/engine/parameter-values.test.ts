import { describe, expect, it } from 'vitest';
import { isInNetwork, parseIpAddress } from './ip-address.js';
import { toParameter } from './parameter-values.js';
import type { ParameterType } from './model.js';

const make = {
  duration: (seconds: bigint, nanos: number) => `${seconds}s ${nanos}ns`,
  unsigned: (value: bigint) => `${value}u`,
  address: () => 'address',
};
const read = (kind: ParameterType['kind'], value: unknown, of?: ParameterType): unknown =>
  toParameter(value, of === undefined ? { kind } : { kind, of }, make);

describe('a value for a parameter', () => {
  it.each([
    ['int', 5, 5n],
    ['int', '9223372036854775807', 9223372036854775807n],
    ['int', '1e3', 1000n],
    ['int', 1.5, undefined],
    ['int', '9223372036854775808', undefined],
    ['int', null, undefined],
    ['uint', 5, '5u'],
    ['uint', -1, undefined],
    ['double', '1.5', 1.5],
    ['double', '1e309', undefined],
    ['double', 'Infinity', undefined],
    ['double', '', undefined],
    ['bool', 'true', undefined],
    ['string', 5, undefined],
    ['duration', '1h30m', '5400s 0ns'],
    ['duration', '-1.5s', '-1s -500000000ns'],
    ['duration', '5', undefined],
    ['duration', '1 h', undefined],
    ['timestamp', '2023-10-11T10:00:00.5+02:00', new Date('2023-10-11T08:00:00.500Z')],
    ['timestamp', '2023-02-30T10:00:00Z', undefined],
    ['timestamp', '2023-10-11T11:00.000Z', undefined],
    ['timestamp', '2023-10-11', undefined],
    ['timestamp', 1_700_000_000, undefined],
    ['ipaddress', '10.0.0.1', 'address'],
    ['ipaddress', '10.0.0.256', undefined],
    ['any', null, null],
    ['any', undefined, undefined],
  ] as const)('of type %s: %j is %s', (kind, value, expected) => {
    expect(read(kind, value)).toEqual(expected);
  });

  it('converts lists and maps completely or not at all', () => {
    expect(read('list', [1, 2], { kind: 'int' })).toEqual([1n, 2n]);
    expect(read('list', [1, 'x'], { kind: 'int' })).toBeUndefined();
    expect(read('map', { a: 'b' }, { kind: 'string' })).toEqual(new Map([['a', 'b']]));
    expect(read('map', { a: 1 }, { kind: 'string' })).toBeUndefined();
    expect(read('map', ['a'], { kind: 'string' })).toBeUndefined();
  });
});

describe('an address in a network', () => {
  it.each([
    ['192.168.0.1', '192.168.0.0/24', true],
    ['192.168.1.0', '192.168.0.0/24', false],
    ['192.168.1.0', '0.0.0.0/0', true],
    ['::ffff:192.168.0.1', '192.168.0.0/24', true],
    ['192.168.0.1', '::ffff:192.168.0.0/120', true],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['::1', '0.0.0.0/0', false],
    ['10.0.0.1', '10.0.0.0', undefined],
    ['10.0.0.1', '10.0.0.0/33', undefined],
    ['10.0.0.1', 'x/8', undefined],
  ] as const)('%s in %s: %s', (address, network, expected) => {
    const parsed = parseIpAddress(address);
    expect(parsed && isInNetwork(parsed, network)).toBe(expected);
  });

  it.each(['', '1.2.3', '01.2.3.4', '1:2:3', '::1::', 'fe80::1%eth0', '12345::', '1.2.3.4.5'])(
    '%j is invalid',
    (text) => {
      expect(parseIpAddress(text)).toBeUndefined();
    },
  );
});
