import { describe, expect, it } from 'vitest';
import { isOurHost, isOurOrigin } from './guard.js';

const rule = { host: '127.0.0.1', port: 7420 };

/** Every name that is valid for the gateway. */
const ours = ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', 'LocalHost'];

/** Foreign names, and ours with something before, after or in between. */
const foreignNames = [
  'evil.example',
  'localhost.evil.example',
  'evil-localhost',
  'evillocalhost',
  'localhostevil',
  'localhost.',
  'localhost..',
  '.localhost',
  'sub.localhost',
  'localhost.localdomain',
  '127.0.0.1.evil.example',
  '127.0.0.1.',
  '127.0.0.10',
  '127.0.0.2',
  '127.1',
  '0127.0.0.1',
  '127.000.000.001',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1.nip.io',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '169.254.169.254',
  '::1',
  '[::1].evil.example',
  '[::1',
  '::1]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:0:0:1]',
  '[::1%25lo]',
  '[::]',
  'evil.example@localhost',
  'localhost@evil.example',
  'user:pass@localhost',
  'local host',
  ' localhost',
  'localhost ',
  '\tlocalhost',
  'localhost\t',
  'localhost\u00a0',
  'localhost%00',
  'localhost%2eevil.example',
  '%6cocalhost',
  'loc%61lhost',
  'localhost\u0000',
  'localhost/',
  'localhost\\',
  'localhost#',
  'localhost?',
  'localhost,evil.example',
  'evil.example,localhost',
  'localhost;evil',
  'lоcalhost',
  'ｌocalhost',
  'xn--lcalhost-6fg',
  'null',
  '',
];

const foreignPorts = [
  '',
  ':',
  ':80',
  ':443',
  ':7421',
  ':742',
  ':74200',
  ':07420',
  ':+7420',
  ':7420 ',
  ': 7420',
  ':7420.',
  ':7420/',
  ':0x1cfc',
  ':7420:7420',
];

const foreignHosts = [
  ...foreignNames.map((name) => `${name}:7420`),
  ...foreignNames,
  ...ours.flatMap((name) => foreignPorts.map((port) => `${name}${port}`)),
  '7420',
  ':7420',
  'http://localhost:7420',
  '//localhost:7420',
];

const foreignOrigins = [
  ...foreignHosts.map((host) => `http://${host}`),
  ...ours.flatMap((name) => [
    `https://${name}:7420`,
    `HTTP://${name}:7420`,
    `ws://${name}:7420`,
    `file://${name}:7420`,
    `chrome-extension://${name}:7420`,
    `//${name}:7420`,
    `${name}:7420`,
    `http:/${name}:7420`,
    `http:${name}:7420`,
    `http:///${name}:7420`,
    `http://http://${name}:7420`,
    `http://${name}:7420/`,
    `http://${name}:7420/mcp`,
    ` http://${name}:7420`,
    `http://${name}:7420 http://evil.example`,
    `http://evil.example, http://${name}:7420`,
    `http://evil.example#http://${name}:7420`,
    `http://evil.example/http://${name}:7420`,
    `http://${name}:7420.evil.example`,
    `http://${name}:7420@evil.example`,
  ]),
  'null',
  'undefined',
  'file://',
  '*',
  '',
];

describe('the guard against foreign web pages', () => {
  it('is tested with more than two hundred foreign hosts and origins', () => {
    expect(new Set(foreignHosts).size).toBeGreaterThan(180);
    expect(new Set(foreignOrigins).size).toBeGreaterThan(200);
  });

  it('rejects all foreign hosts', () => {
    expect(foreignHosts.filter((host) => isOurHost(host, rule))).toEqual([]);
    expect(isOurHost(undefined, rule)).toBe(false);
  });

  it('rejects all foreign origins', () => {
    expect(foreignOrigins.filter((origin) => isOurOrigin(origin, rule))).toEqual([]);
  });

  it('accepts every name of the gateway, in any case', () => {
    expect(ours.filter((name) => isOurHost(`${name}:7420`, rule))).toEqual(ours);
    expect(ours.filter((name) => isOurOrigin(`http://${name}:7420`, rule))).toEqual(ours);
  });

  it('accepts a program, which sends no origin', () => {
    expect(isOurOrigin(undefined, rule)).toBe(true);
  });

  it('would be fooled if it searched for our name anywhere in the header (control)', () => {
    // The control: the check that many servers use.
    const naive = (header: string): boolean => header.includes('localhost') || header.includes('127.0.0.1');
    expect(foreignHosts.filter(naive).length).toBeGreaterThan(50);
    expect(foreignOrigins.filter(naive).length).toBeGreaterThan(50);
    const prefix = (header: string): boolean => header.startsWith('http://localhost');
    expect(foreignOrigins.filter(prefix).length).toBeGreaterThan(20);
  });

  it('allows a missing port only if it is the default of the scheme', () => {
    const eighty = { host: '127.0.0.1', port: 80 };
    expect(isOurHost('localhost', eighty)).toBe(true);
    expect(isOurHost('localhost:80', eighty)).toBe(true);
    expect(isOurOrigin('http://localhost', eighty)).toBe(true);
    expect(isOurOrigin('https://localhost', eighty)).toBe(false);
    expect(isOurHost('localhost:443', eighty)).toBe(false);
  });

  it('accepts the configured address', () => {
    const lan = { host: '192.168.1.5', port: 7420 };
    expect(isOurHost('192.168.1.5:7420', lan)).toBe(true);
    expect(isOurHost('192.168.1.50:7420', lan)).toBe(false);
    const six = { host: 'fd00::5', port: 7420 };
    expect(isOurHost('[fd00::5]:7420', six)).toBe(true);
    expect(isOurHost('fd00::5:7420', six)).toBe(false);
    const name = { host: 'gate.local', port: 7420 };
    expect(isOurHost('GATE.local:7420', name)).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('rejects %s, which means all addresses, as a name', (host) => {
    expect(isOurHost(`${host}:7420`, { host, port: 7420 })).toBe(false);
    expect(isOurHost('localhost:7420', { host, port: 7420 })).toBe(true);
  });
});

describe('a gateway bound to all addresses', () => {
  const rule = { host: '0.0.0.0', port: 7331, address: '::ffff:192.0.2.7' };

  it('accepts the address of the connection, and loopback', () => {
    for (const host of ['192.0.2.7:7331', 'localhost:7331', '127.0.0.1:7331', '[::1]:7331']) {
      expect(isOurHost(host, rule)).toBe(true);
    }
    expect(isOurHost('[2001:db8::1]:7331', { ...rule, host: '::', address: '2001:db8::1' })).toBe(true);
  });

  it('rejects all names and foreign addresses', () => {
    for (const host of [
      'gate.example:7331',
      '192.0.2.8:7331',
      '192.0.2.7',
      '192.0.2.7.example:7331',
      '0.0.0.0:7331',
    ]) {
      expect(isOurHost(host, rule)).toBe(false);
    }
    expect(isOurHost('undefined:7331', { host: '0.0.0.0', port: 7331 })).toBe(false);
  });
});
