import type { Output } from './output.js';

export interface Progress {
  show(titles: readonly string[], done: number): void;
  close(): void;
}

/** Where nobody watches, one line says what is waited for, and only if it takes long. */
const patienceMs = 3000;

/** One line at the end of the terminal that says what is being looked at; it is gone when the results come. */
export function openProgress(output: Output, all: number): Progress {
  const { screen, signs } = output;
  let waitingFor: readonly string[] = [];
  const timer =
    screen === undefined
      ? setTimeout(() => output.note(`still looking at: ${waitingFor.join(', ')}`), patienceMs)
      : undefined;
  timer?.unref();
  return {
    show(titles, done) {
      waitingFor = titles;
      if (titles.length === 0) return;
      const place = output.paint('dim', `(${String(done)} of ${String(all)})`);
      screen?.show([`${signs.going} ${place} ${titles.join(', ')}`]);
    },
    close() {
      clearTimeout(timer);
      screen?.show([]);
    },
  };
}
