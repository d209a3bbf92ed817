import type { ReplyLine } from '../../src/transports/framing/reply-line.js';

/** A way back that keeps what it was given. */
export interface KeptLine extends ReplyLine {
  readonly sent: unknown[];
  readonly ended: { readonly message: unknown; readonly status: number | undefined }[];
  readonly drops: () => number;
  /** Resolves when the one answer, or the news that none will come, is there. */
  readonly over: Promise<void>;
}

export function createKeptLine(canSend = true): KeptLine {
  const sent: unknown[] = [];
  const ended: { message: unknown; status: number | undefined }[] = [];
  let drops = 0;
  let finish: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return {
    sent,
    ended,
    drops: () => drops,
    over,
    send(text) {
      if (canSend) sent.push(JSON.parse(text));
      return canSend;
    },
    tell: (text) => void sent.push(JSON.parse(text)),
    end(text, status) {
      ended.push({ message: JSON.parse(text), status });
      finish();
    },
    drop() {
      drops += 1;
      finish();
    },
  };
}
