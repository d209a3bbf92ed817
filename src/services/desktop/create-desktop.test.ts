import { expect, it } from 'vitest';
import type { ChildProcess, ProcessOrder } from '../../ports/processes.js';
import { createDesktop } from './create-desktop.js';

const note = { title: '--hint', message: '-e do shell script', priority: 'low' } as const;
const { signal } = new AbortController();

/** A child that ends at once, and what was ordered. */
function open(platform: NodeJS.Platform, code = 0, isThere = true) {
  const orders: ProcessOrder[] = [];
  const child = {
    onOutput: () => undefined,
    onErrorOutput: (listener: (chunk: Uint8Array) => void) =>
      listener(Buffer.from(code === 0 ? '' : 'no bus')),
    onExit: (listener: (exit: { code: number; signal: null }) => void) => listener({ code, signal: null }),
    close: () => Promise.resolve({ isGone: true, ended: 0 }),
  } as unknown as ChildProcess;
  const start = (order: ProcessOrder): Promise<ChildProcess> => {
    orders.push(order);
    return Promise.resolve(child);
  };
  const desktop = createDesktop({
    processes: { start, close: () => Promise.resolve() },
    platform,
    env: { DISPLAY: ':0' },
    findProgram: (name) => (isThere ? `/usr/bin/${name}` : undefined),
  });
  return { desktop, orders };
}

it('passes the texts of a notification as arguments, never as options or code', async () => {
  const linux = open('linux');
  expect(await linux.desktop.show(note, signal)).toBe('notification sent via linux');
  expect(linux.orders[0]).toMatchObject({
    command: '/usr/bin/notify-send',
    args: ['--urgency=low', '--', note.title, note.message],
    env: { DISPLAY: ':0' },
  });
  const mac = open('darwin');
  await mac.desktop.show({ ...note, message: 'a\0b' }, signal);
  const args = mac.orders[0]?.args ?? [];
  expect(args.slice(-3)).toEqual(['--', note.title, 'a\uFFFDb']);
  expect(args.slice(0, -2).join(' ')).not.toContain(note.title);
});

it('reports why there is no notification', async () => {
  await expect(open('win32').desktop.show(note, signal)).rejects.toThrow('need Linux or macOS, not win32');
  await expect(open('linux', 0, false).desktop.show(note, signal)).rejects.toThrow(
    'notify-send, which is not on PATH',
  );
  await expect(open('linux', 1).desktop.show(note, signal)).rejects.toThrow('notify-send failed: no bus');
});
