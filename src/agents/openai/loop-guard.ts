import { AgentFailure } from '../agent.js';
import type { ModelCall, Reply } from './reply.js';

/** Detects an agent that is stuck in a loop. */
export interface LoopGuard {
  /** Called before the tool calls of a turn. */
  check(reply: Reply): void;
  /** Called after the tool calls of a turn. */
  note(calls: readonly ModelCall[], answers: readonly string[]): void;
}

/** How often identical calls may return identical answers. */
const mostRepeats = 3;

export function createLoopGuard(maxTurns: number): LoopGuard {
  let turns = 0;
  let last = '';
  let repeats = 0;
  return {
    check({ calls, finish }) {
      if (calls.length === 0 && (finish === 'tool_calls' || finish === 'function_call')) {
        throw guarded('The model announced tool calls but made none.');
      }
      if (calls.length === 0) return;
      turns += 1;
      if (turns > maxTurns) throw guarded(`The model called tools in more than ${String(maxTurns)} turns.`);
      if (repeats >= mostRepeats && last.startsWith(keyOf(calls))) {
        const names = [...new Set(calls.map(({ name }) => name))].join(', ');
        throw guarded(
          `The model repeated the same call to ${names} ${String(repeats + 1)} times, with the same answer.`,
        );
      }
    },
    note(calls, answers) {
      const round = keyOf(calls) + JSON.stringify(answers);
      repeats = round === last ? repeats + 1 : 1;
      last = round;
    },
  };
}

function keyOf(calls: readonly ModelCall[]): string {
  return JSON.stringify(calls.map(({ name, argumentsText }) => [name, argumentsText]));
}

function guarded(message: string): AgentFailure {
  return new AgentFailure('USER.MCP_PROXY.INFINITE_LOOP_GUARD', message);
}
