import { excessIn } from '../../../lib/json-rpc.js';
import { type Done, StepFailure } from '../result.js';

const fence = /^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/;

/** Converts the answer of an agent to the requested output format. */
export function readOutput(
  text: string,
  format: string | undefined,
  done: Done,
): Pick<Done, 'output' | 'json'> {
  if (format !== 'json' && format !== 'text') return { output: text };
  const plain = (fence.exec(text)?.[1] ?? text).trim();
  if (format === 'text') return { output: plain };
  const excess = excessIn(plain);
  if (excess !== undefined)
    throw new StepFailure('EXECUTION.AGENT.BAD_OUTPUT', `The answer ${excess}.`, { ...done, output: text });
  try {
    return { output: plain, json: JSON.parse(plain) };
  } catch {
    const shown = plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
    throw new StepFailure('EXECUTION.AGENT.BAD_OUTPUT', `The answer is not JSON: ${shown}`, {
      ...done,
      output: text,
    });
  }
}
