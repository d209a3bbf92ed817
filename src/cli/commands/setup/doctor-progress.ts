import type { Output } from '../../terminal/output.js';

export interface Progress {
  show(titles: readonly string[], done: number): void;
  close(): void;
}

/** Without a terminal, print one line about slow checks after this time. */
const patienceMs = 3000;

/** A progress line at the bottom of the terminal that disappears when the results are shown. */
export function openProgress(output: Output, all: number): Progress {
  const { screen, signs } = output;
  let waitingFor: readonly string[] = [];
  const timer =
    screen === undefined
      ? setTimeout(() => output.note(`still checking: ${waitingFor.join(', ')}`), patienceMs)
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
