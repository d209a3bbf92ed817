// The writer thread. Orders that arrive during a transaction go into the next one together.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Order, OrderMessage, OutcomeMessage, WriterParts } from './orders.js';
import { createWriter } from './writer.js';

/** Limits how long the first order of a transaction waits. */
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
  // Only our own main thread sends on this port.
  return (receiveMessageOnPort(port) as { readonly message: OrderMessage | null } | undefined)?.message;
}

if (parentPort !== null) serve(parentPort, workerData as WriterParts);
