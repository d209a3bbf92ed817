import { describe, expect, it } from 'vitest';
import { readGreeting } from './handshake-line.js';

const certificate = Buffer.alloc(61, 7).toString('base64').replace(/=+$/, '');

describe('a handshake line', () => {
  it('names a socket and a certificate without padding', () => {
    expect(readGreeting(`1|1|unix|/tmp/plugin1|grpc|${certificate}\n`)).toEqual({
      address: { kind: 'unix', path: '/tmp/plugin1' },
      certificate: Buffer.alloc(61, 7),
    });
  });

  it('can name a port of this machine, without a certificate', () => {
    expect(readGreeting('1|1|tcp|127.0.0.1:10001|grpc|')).toEqual({
      address: { kind: 'tcp', host: '127.0.0.1', port: 10001 },
    });
    expect(readGreeting('1|1|unix|/s|grpc')).toEqual({ address: { kind: 'unix', path: '/s' } });
    expect(readGreeting('1|1|unix|/s|grpc|short|true')).toEqual({ address: { kind: 'unix', path: '/s' } });
  });

  it.each([
    ['', 'not a handshake'],
    ['Hello', 'not a handshake'],
    ['1|1|unix', 'not a handshake'],
    ['2|1|unix|/s|grpc|', 'go-plugin version "2"'],
    ['1|2|unix|/s|grpc|', 'plugin protocol version "2"'],
    ['1|1|unix|/s|netrpc|', '"netrpc", not grpc'],
    ['1|1|unix|/s', '"netrpc", not grpc'],
    ['1|1|unix|relative|grpc|', 'path is not absolute'],
    ['1|1|tcp|192.0.2.7:80|grpc|', 'not on this machine'],
    ['1|1|tcp|evil.example:80|grpc|', 'not on this machine'],
    ['1|1|tcp|127.0.0.1.evil.example:80|grpc|', 'not on this machine'],
    ['1|1|tcp|127.0.0.1:0|grpc|', 'not on this machine'],
    ['1|1|tcp|127.0.0.1:70000|grpc|', 'not on this machine'],
    ['1|1|quic|x|grpc|', 'neither unix nor tcp'],
  ])('is refused with a reason: %s', (line, reason) => {
    expect(readGreeting(line)).toContain(reason);
  });
});
