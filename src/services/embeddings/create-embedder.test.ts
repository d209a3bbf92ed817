import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEmbedder } from './create-embedder.js';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

let server: Server | undefined;
afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))));

async function endpoint(
  answer: (asked: Asked) => unknown,
  status = 200,
): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const one = {
        path: request.url,
        authorization: request.headers.authorization,
        body: JSON.parse(text) as Asked['body'],
      };
      asked.push(one);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer(one)));
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/`, asked };
}

const signal = new AbortController().signal;
const byLength = ({ body }: Asked): unknown => ({
  data: body.input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse(),
});

describe('an embedder', () => {
  it('sends batches and returns vectors in the order of the texts', async () => {
    const { url, asked } = await endpoint(byLength);
    const texts = Array.from({ length: 130 }, (_, at) => 'x'.repeat(at + 1));
    const vectors = await createEmbedder({ url, model: 'm', key: 'secret' }).embed(texts, signal);
    expect(vectors.map(([length]) => length)).toEqual(texts.map(({ length }) => length));
    expect(asked.map(({ body }) => body.input.length)).toEqual([64, 64, 2]);
    expect(asked[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: 'Bearer secret',
      body: { model: 'm' },
    });
  });

  it.each([
    ['too few', () => ({ data: [] })],
    ['no numbers', () => ({ data: [{ index: 0, embedding: ['a'] }] })],
    ['nothing', () => null],
  ])('refuses %s', async (_name, answer) => {
    const { url } = await endpoint(answer);
    await expect(createEmbedder({ url, model: 'm' }).embed(['a'], signal)).rejects.toThrow(
      'one vector per text',
    );
  });

  it('reports the status, never the key', async () => {
    const { url } = await endpoint(() => ({ error: 'secret' }), 401);
    const failed = createEmbedder({ url, model: 'm', key: 'secret' }).embed(['a'], signal);
    await expect(failed).rejects.toThrow('answered with 401');
    await expect(failed).rejects.not.toThrow('secret');
  });
});
