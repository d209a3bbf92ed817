import { pathToFileURL } from 'node:url';
import {
  type Call,
  createFault,
  type Fault,
  faulted,
  type Outcome,
  type Resumption,
} from '../../core/index.js';
import { JsonText, membersOf, textOf, withMembers } from '../../lib/json-text.js';
import { isRecord } from '../../lib/is-record.js';

/**
 * Which roots a server gets. All sessions share a server, so roots of one caller would apply to everyone. By default, a
 * server gets none. `caller` is only for protocol version 2026-07-28, where an answer applies to one call.
 */
export type RootsRule =
  | { readonly kind: 'folders'; readonly folders: readonly string[] }
  | { readonly kind: 'caller' };

type Asks = Extract<Outcome, { readonly kind: 'asks' }>;

/** Answers requests for roots from a modern server, instead of the caller. */
export interface RootsAnswers {
  /** The answers to send with this call, or why the caller's answers are refused. */
  given(call: Call): Resumption | Fault | undefined;
  /** Returns the questions left for the caller, or calls `again` if there are none. */
  settle(asks: Asks, again: (answers: Resumption) => Promise<Outcome>): Outcome | Promise<Outcome>;
}

/** Marks a state that includes questions answered by the gateway. The gateway seals it before sending. */
const marker = 'tidegate-roots:';

export function createRootsAnswers(server: string, rule: RootsRule | undefined): RootsAnswers {
  const text = rule?.kind === 'folders' ? rootsText(rule.folders) : undefined;
  return {
    given({ answers }) {
      if (answers === undefined || rule?.kind === 'caller') return answers;
      if (volunteersRoots(answers.responses)) return callersRoots(server);
      const held = readHeld(answers.state);
      return held === undefined || text === undefined ? answers : withRoots(answers.responses, held, text);
    },
    settle(asks, again) {
      const questions = asks.questions.text;
      const keys = rootsKeys(questions);
      if (keys.length === 0 || rule?.kind === 'caller') return asks;
      if (text === undefined) return faulted(noRoots(server));
      const rest = withMembers(questions, Object.fromEntries(keys.map((key) => [key, undefined])));
      const held: Held = { keys, ...(asks.state !== undefined && { state: asks.state }) };
      if (membersOf(rest).length === 0) return again(withRoots(new JsonText('{}'), held, text));
      return { kind: 'asks', questions: new JsonText(rest), state: `${marker}${JSON.stringify(held)}` };
    },
  };
}

interface Held {
  readonly keys: readonly string[];
  readonly state?: string;
}

function withRoots(responses: JsonText, { keys, state }: Held, text: string): Resumption {
  const own = Object.fromEntries(keys.map((key) => [key, text]));
  return {
    responses: new JsonText(withMembers(responses.text, own)),
    ...(state !== undefined && { state }),
  };
}

function readHeld(state: string | undefined): Held | undefined {
  return state?.startsWith(marker) === true ? (JSON.parse(state.slice(marker.length)) as Held) : undefined;
}

function rootsKeys(questions: string): readonly string[] {
  return membersOf(questions)
    .filter(({ start, end }) => {
      const question = questions.slice(start, end);
      return textOf(question, membersOf(question), 'method') === '"roots/list"';
    })
    .map(({ key }) => key);
}

/** Whether the caller sends roots unasked: a server may accept an answer to a question it has not asked yet. */
function volunteersRoots({ value }: JsonText): boolean {
  return isRecord(value) && Object.values(value).some((answer) => isRecord(answer) && 'roots' in answer);
}

function callersRoots(server: string): Fault {
  return createFault('input.invalid', `The server ${server} does not accept roots from callers.`);
}

function noRoots(server: string): Fault {
  return createFault(
    'ask.unsupported',
    `The server ${server} asked for roots, but none are configured for it.`,
    {
      suggestion: `Ask the operator to set servers.${server}.roots.`,
    },
  );
}

export function rootsText(folders: readonly string[]): string {
  return JSON.stringify({ roots: folders.map((path) => ({ uri: pathToFileURL(path).href })) });
}
