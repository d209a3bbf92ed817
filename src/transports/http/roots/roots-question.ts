import { type Frame, requestText } from '../../../lib/json-rpc.js';
import type { ReplyLine } from '../../framing/reply-line.js';
import type { PushStream } from '../push-stream.js';

/** Asks a client for its roots, once. */
export interface RootsQuestion {
  /** Resolves with the result, or with undefined if there is none in time. */
  ask(line: ReplyLine): Promise<unknown>;
  hear(frame: Frame): void;
  giveUp(): void;
}

/** Not a number: the session's own questions are numbered, and an id may be used only once. */
const questionId = '"roots"';

/** Asks on the stream of the request that needs the answer, else on the stream of the session. */
export function createRootsQuestion(push: PushStream, patienceMs: number): RootsQuestion {
  let settle: (result: unknown) => void = () => undefined;
  return {
    ask(line) {
      const text = requestText(questionId, 'roots/list');
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(undefined), patienceMs);
        settle = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
        if (line.send(text)) return;
        if (push.isOpen) push.send(text);
        else settle(undefined);
      });
    },
    hear(frame) {
      if (frame.kind === 'result' && frame.id === questionId) settle(frame.result.value);
      if (frame.kind === 'error' && frame.id === questionId) settle(undefined);
    },
    giveUp: () => settle(undefined),
  };
}
