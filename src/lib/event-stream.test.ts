import { describe, expect, it } from 'vitest';
import { createSseReader } from './event-stream.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(text: string, size: number) {
  const reader = createSseReader(1000);
  const all = bytes(text);
  const events = [];
  for (let at = 0; at < all.length; at += size) events.push(...reader.push(all.subarray(at, at + size)));
  return { events, lastEventId: reader.lastEventId, retryMs: reader.retryMs };
}

const streams = {
  LF: 'id: 7\nretry: 250\ndata: {"a":"é€😀"}\n\n: comment\n\nevent: other\ndata:x\ndata: y\n\n',
  CRLF: 'id: 7\r\nretry: 250\r\ndata: {"a":"é€😀"}\r\n\r\n: comment\r\n\r\nevent: other\r\ndata:x\r\ndata: y\r\n\r\n',
  CR: 'id: 7\rretry: 250\rdata: {"a":"é€😀"}\r\r: comment\r\revent: other\rdata:x\rdata: y\r\r',
};

describe('reading server-sent events', () => {
  for (const [name, text] of Object.entries(streams)) {
    it(`reads lines that end with ${name}, cut at every byte`, () => {
      for (let size = 1; size <= bytes(text).length; size += 1) {
        expect(readAll(text, size)).toEqual({
          events: [
            { event: 'message', data: '{"a":"é€😀"}' },
            { event: 'other', data: 'x\ny' },
          ],
          lastEventId: '7',
          retryMs: 250,
        });
      }
    });
  }

  it('reads mixed line endings in one stream, cut at every byte', () => {
    const text =
      ': hello\r\n\r\nevent: message\ndata: {"a":"ü"}\n\nid: 7\rdata:{"b":1,\rdata: "c":2}\r\r\ndata: last\n\n';
    for (let size = 1; size <= bytes(text).length; size += 1) {
      const data = readAll(text, size).events.map((event) => event.data);
      expect(data).toEqual(['{"a":"ü"}', '{"b":1,\n"c":2}', 'last']);
    }
  });

  it('ignores a byte order mark, unknown fields and an unfinished event', () => {
    expect(readAll('\uFEFFdata: a\nfoo: bar\nbare\n\ndata: cut', 3).events).toEqual([
      { event: 'message', data: 'a' },
    ]);
  });

  it('keeps the id of an event without data, so that the stream can be resumed', () => {
    expect(readAll('id: 3\n\n', 2)).toEqual({ events: [], lastEventId: '3', retryMs: undefined });
    expect(readAll('id: 3\ndata:\n\n', 2).events).toEqual([{ event: 'message', data: '' }]);
  });

  it('ignores an id with a NUL character and a retry that is not a number', () => {
    expect(readAll('id: a\0b\nretry: soon\ndata: x\n\n', 50)).toMatchObject({
      lastEventId: undefined,
      retryMs: undefined,
    });
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => createSseReader(1000).push(new Uint8Array([0x64, 0xff]))).toThrow();
  });

  it('replaces them if it is lenient', () => {
    const reader = createSseReader(1000, { isLenient: true });
    expect(reader.push(Buffer.from('data: a\xffb\n\n', 'latin1'))).toEqual([
      { event: 'message', data: 'a\uFFFDb' },
    ]);
  });

  it('refuses an event over the limit, in one line or in many', () => {
    expect(() => createSseReader(10).push(bytes('data: 12345678901'))).toThrow('too long');
    const reader = createSseReader(10);
    expect(() => {
      for (let line = 0; line < 5; line += 1) reader.push(bytes('data: 123\n'));
    }).toThrow('too long');
  });

  it('counts short lines of one event by the memory they need', () => {
    const reader = createSseReader(1000);
    expect(() => reader.push(bytes('data:x\n'.repeat(100)))).toThrow('too long');
    expect(() => createSseReader(1000).push(bytes('id:x\n'.repeat(100)))).toThrow('too long');
    expect(createSseReader(1000).push(bytes('data:x\n\n'.repeat(100)))).toHaveLength(100);
  });

  it.each(['\n', ':\n', ': ping\n\n', 'data\n', 'data:\n\n'])(
    'calls back for each line without content: %j',
    (line) => {
      let left = 20;
      const mayBeEmpty = (): boolean => {
        left -= 1;
        return left >= 0;
      };
      const reader = createSseReader(1_000_000, { mayBeEmpty });
      reader.push(bytes(line.repeat(5)));
      expect(reader.push(bytes('data: x\n\n')).at(-1)?.data.trim()).toBe('x');
      expect(() => reader.push(bytes(line.repeat(50)))).toThrow('too many empty lines');
    },
  );

  it('reads a long line in many pieces in linear time', () => {
    const reader = createSseReader(64 * 1024 * 1024);
    const piece = bytes('x'.repeat(16 * 1024));
    reader.push(bytes('data: '));
    for (let at = 0; at < 1000; at += 1) reader.push(piece);
    expect(reader.push(bytes('\n\n'))[0]?.data.length).toBe(16 * 1024 * 1000);
  });
});
