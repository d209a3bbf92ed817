import { describe, expect, it } from 'vitest';
import { createEventReader } from './event-reader.js';

const stream =
  ': hello\r\n\r\nevent: message\ndata: {"a":"ü"}\n\nid: 7\rdata:{"b":1,\rdata: "c":2}\r\r\ndata: last\n\n';
const events = ['{"a":"ü"}', '{"b":1,\n"c":2}', 'last'];

describe('createEventReader', () => {
  it('returns the data of each event', () => {
    expect(createEventReader(1000).push(Buffer.from(stream))).toEqual(events);
  });

  it('returns the same wherever the stream is split', () => {
    const bytes = Buffer.from(stream);
    for (let at = 0; at <= bytes.length; at += 1) {
      const reader = createEventReader(1000);
      expect([...reader.push(bytes.subarray(0, at)), ...reader.push(bytes.subarray(at))]).toEqual(events);
    }
  });

  it('returns the same byte by byte', () => {
    const reader = createEventReader(1000);
    const found = [...Buffer.from(stream)].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    expect(found).toEqual(events);
  });

  it('buffers no more than the limit', () => {
    const reader = createEventReader(100);
    expect(() => {
      for (let i = 0; i < 100; i += 1) reader.push(Buffer.from('data: xxxxxxxxx\n'));
    }).toThrow('too long');
    expect(() => createEventReader(100).push(Buffer.from(`data: ${'x'.repeat(200)}`))).toThrow('too long');
  });

  it('refuses invalid UTF-8', () => {
    expect(() => createEventReader(100).push(Uint8Array.of(0xff, 0x0a))).toThrow();
  });
});
