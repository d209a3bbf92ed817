import { parentPort } from 'node:worker_threads';
import type { WatchOrder } from './limit-watch.js';
import { createProcessFamilies } from './process-families.js';

const lookMs = 250;
const families = createProcessFamilies();

parentPort?.on('message', (order: WatchOrder) => {
  if ('add' in order) families.add(order.add, order.allowance);
  else families.remove(order.remove);
});

/** A long check is followed by an equally long pause, so that it uses at most half of a processor. */
function lookAgain(afterMs: number): void {
  setTimeout(() => {
    const began = performance.now();
    for (const found of families.look()) {
      families.remove(found.pid);
      parentPort?.postMessage(found);
    }
    lookAgain(Math.max(lookMs, performance.now() - began));
  }, afterMs);
}
lookAgain(0);
