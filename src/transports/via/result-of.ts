import type { JsonText } from '../../lib/json-text.js';
import { readFrame } from '../../lib/json-rpc.js';
import type { GateClient, Order } from './gate-client.js';

/** Send a request of our own to the gateway; undefined if it gave no result. */
export async function resultOf(client: GateClient, order: Order): Promise<JsonText | undefined> {
  let found: JsonText | undefined;
  const look = (text: string): void => {
    const frame = readFrame(text);
    if (frame.kind === 'result') found = frame.result;
  };
  const ending = await client.send({ ...order, onMessage: look });
  if (ending.kind === 'reply' && ending.reply.body !== '') look(ending.reply.body);
  return found;
}
