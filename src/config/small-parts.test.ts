import { describe, expect, it } from 'vitest';
import { flawOf, isLoopbackHost, nameRules } from './formats.js';
import { nearest } from '../lib/nearest.js';
import { formatPath, quote } from '../lib/source-place.js';

describe('the nearest name', () => {
  const known = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'timeout', 'service_name'];
  it.each([
    ['comand', 'command'],
    ['Command', 'command'],
    ['arg', 'args'],
    ['serviceName', 'service_name'],
    ['service-name', 'service_name'],
    ['time_out', 'timeout'],
    ['header', 'headers'],
    ['agrs', 'args'],
    ['evn', 'env'],
  ])('to %s is %s', (word, expected) => expect(nearest(word, known)).toBe(expected));

  it.each(['', 'workspace', 'x'.repeat(10_000)])('to %s is none', (word) =>
    expect(nearest(word, known)).toBeUndefined(),
  );
});

describe('loopback', () => {
  it.each(['127.0.0.1', '127.255.255.254', 'LOCALHOST', '::1', '[::1]', '::ffff:127.0.0.1'])(
    'is %s',
    (host) => expect(isLoopbackHost(host)).toBe(true),
  );
  it.each([
    '',
    '0.0.0.0',
    '::',
    '127.1',
    '127.0.0.1.',
    '127.0.0.1:80',
    '0x7f000001',
    'localhost.',
    'a.localhost',
    '::ffff:8.8.8.8',
    '127.0.0.256',
  ])('is not %s', (host) => expect(isLoopbackHost(host)).toBe(false));
});

describe('formats', () => {
  it.each(['http://x', 'https://x:1/y?z', 'http://[::1]/'])('accepts the address %s', (url) =>
    expect(flawOf('url', url)).toBeUndefined(),
  );
  it.each(['', 'x', '//x', 'file:///etc/passwd', 'javascript:0', 'http://', 'http://u:p@x'])(
    'refuses the address %s',
    (url) => expect(flawOf('url', url)).toBeDefined(),
  );
  it.each(['a', 'a_b.C-9', 'x'.repeat(64)])('accepts the server name %s', (name) =>
    expect(name).toMatch(new RegExp(nameRules.server.pattern)),
  );
  it.each(['', 'a b', 'a/b', 'é', 'x'.repeat(65), '.', '..', '__proto__', 'a\n'])(
    'refuses the server name %j',
    (name) => expect(name).not.toMatch(new RegExp(nameRules.server.pattern)),
  );
});

describe('a path in a message', () => {
  it('is formatted in the usual notation', () => {
    expect(formatPath(['servers', 'a-b', 'args', 0])).toBe('servers.a-b.args[0]');
    expect(formatPath(['servers', 'a.b', 'env'])).toBe('servers["a.b"].env');
  });

  it('is short, without control characters', () => {
    expect(quote('a'.repeat(1_000)).length).toBeLessThan(70);
    expect(quote('\u001b[0m\u202e\u0085')).toBe('"\\u001b[0m\\u202e\\u0085"');
  });
});
