import type { Answer, Question } from '../../core/index.js';
import type { Cancellation } from '../../lib/cancellation.js';
import { type Frame, requestText } from '../../lib/json-rpc.js';
import { refusedAnswer } from '../exchanges.js';
import type { ReplyLine } from '../framing/reply-line.js';

/** Questions to a client that it has not answered yet. */
export interface OpenQuestions {
  ask(line: ReplyLine, caller: Cancellation, question: Question): Promise<Answer>;
  answered(frame: Extract<Frame, { kind: 'result' | 'error' }>): void;
  close(): void;
}

/** Far above what a real client needs; more is a mistake or an attack. */
const maxQuestions = 256;

export function createOpenQuestions(): OpenQuestions {
  const open = new Map<string, (answer: Answer) => void>();
  let last = 0;
  return {
    ask(line, caller, question) {
      if (open.size >= maxQuestions) return Promise.resolve(refusedAnswer('too many open questions'));
      last += 1;
      const id = String(last);
      return new Promise((resolve) => {
        const giveUp = (): void => settle(refusedAnswer('the caller left'));
        const settle = (answer: Answer): void => {
          stop();
          open.delete(id);
          resolve(answer);
        };
        open.set(id, settle);
        const stop = caller.onCancel(giveUp);
        const isSent = line.send(requestText(id, question.method, question.params.text));
        if (!isSent) settle(refusedAnswer('no stream is open to ask the caller'));
      });
    },
    answered(frame) {
      if (frame.id === undefined) return;
      const settle = open.get(frame.id);
      if (frame.kind === 'result') settle?.({ kind: 'answer', result: frame.result });
      else settle?.({ kind: 'refused', error: frame.error });
    },
    close() {
      for (const settle of [...open.values()]) settle(refusedAnswer('the caller left'));
    },
  };
}
