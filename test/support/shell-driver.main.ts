import { createOwnPaths } from '../../src/services/own-paths/index.js';
import { openProcesses } from '../../src/services/processes/index.js';
import { openShell } from '../../src/services/shell/index.js';
import { createFakeExchange } from '../../src/testing/index.js';
import { forgetPeak, memoryOf } from './proc.js';
import type { DriverAnswer, DriverOrder } from './shell-driver.js';

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
const order = JSON.parse(text) as DriverOrder;
const { root, stateDir, path, protectedPaths } = order;
const processes = openProcesses({ stateDir });
const service = openShell({
  roots: [root],
  stateDir,
  processes,
  env: { PATH: path },
  protectedPaths: () => protectedPaths,
  own: createOwnPaths({ roots: [root], stateDir, files: [], governing: [], program: [] }),
});
const principal = { kind: 'user', id: 'driver', zone: 'local' } as const;
const shell = await service.serve({
  id: 'driver',
  principal,
  scope: 'connection',
  chain: [{ principal, rights: 'all' }],
});

for (const command of order.commands) {
  globalThis.gc?.();
  forgetPeak(process.pid);
  const { now: beforeBytes } = memoryOf(process.pid);
  const result = await shell.run(command, createFakeExchange());
  const { peak: peakBytes } = memoryOf(process.pid);
  const answer: DriverAnswer = { result, beforeBytes, peakBytes };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await service.close();
await processes.close();
