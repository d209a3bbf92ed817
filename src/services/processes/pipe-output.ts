import { closeSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { type Listener, maxLateBytes, type Output, waitForClose } from './output.js';

const bufferBytes = 64 * 1024;

/**
 * Reads a system pipe into one reused buffer, to avoid garbage collection. A chunk is valid only while the
 * listener runs.
 */
export function openPipeOutput(readEnd: number): Output {
  const listeners: Listener[] = [];
  let socket: Socket | undefined;
  let isPaused = false;
  let isDraining = false;
  let lateBytes = 0;

  const take = (length: number, buffer: Uint8Array): boolean => {
    for (const listener of listeners) listener(buffer.subarray(0, length));
    if (isDraining) lateBytes += length;
    if (lateBytes > maxLateBytes) socket?.destroy();
    return !isPaused;
  };
  const begin = () => {
    const onread = { buffer: new Uint8Array(bufferBytes), callback: take };
    const options: SocketConstructorOpts & ConnectOpts = {
      fd: readEnd,
      readable: true,
      writable: false,
      onread,
    };
    socket = new Socket(options);
    // The child's exit follows a broken pipe.
    socket.on('error', () => {});
  };
  const resume = () => {
    if (!isPaused) return;
    isPaused = false;
    socket?.resume();
  };

  return {
    listen: (listener) => {
      listeners.push(listener);
      if (listeners.length === 1) begin();
    },
    pause: () => {
      if (isDraining || isPaused) return;
      isPaused = true;
      socket?.pause();
    },
    resume,
    drain: async (ms) => {
      isDraining = true;
      if (socket === undefined) return closeSync(readEnd);
      resume();
      await waitForClose(socket, ms);
      socket.destroy();
    },
    unref: () => socket?.unref(),
  };
}
