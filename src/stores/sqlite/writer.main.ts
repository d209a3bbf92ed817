// The thread that writes. While it writes, orders pile up; the next transaction takes all of them.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Order, OrderMessage, OutcomeMessage, WriterParts } from './orders.js';
import { createWriter } from './writer.js';

/** So that one transaction does not keep the first of its orders waiting for ever. */
const mostAtOnce = 512;

function serve(port: MessagePort, parts: WriterParts): void {
  const writer = createWriter(parts);
  const waiting: OrderMessage[] = [];
  let isClosing = false;
  let isWorking = false;
  const take = (message: OrderMessage | null): void => {
    if (message === null) isClosing = true;
    else waiting.push(message);
  };
  const work = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      for (let more = receive(port); more !== undefined && waiting.length < mostAtOnce; more = receive(port))
        take(more);
      const batch = waiting.splice(0, mostAtOnce);
      const outcomes = await writer.run(batch.map(({ order }): Order => JSON.parse(order) as Order));
      const answers = batch.flatMap(({ id }, place): OutcomeMessage[] => {
        const outcome = outcomes[place];
        return outcome === undefined ? [] : [{ id, outcome }];
      });
      port.postMessage(answers);
    }
    isWorking = false;
    if (!isClosing) return;
    writer.close();
    port.close();
  };
  port.on('message', (message: OrderMessage | null) => {
    take(message);
    if (!isWorking) void work();
  });
}

function receive(port: MessagePort): OrderMessage | null | undefined {
  // Only our own other thread speaks on this port.
  return (receiveMessageOnPort(port) as { readonly message: OrderMessage | null } | undefined)?.message;
}

if (parentPort !== null) serve(parentPort, workerData as WriterParts);
