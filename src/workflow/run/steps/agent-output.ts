import { type Done, StepFailure } from '../result.js';

const fence = /^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/;

/** The answer of an agent in the form that its step asks for. */
export function readOutput(
  text: string,
  format: string | undefined,
  done: Done,
): Pick<Done, 'output' | 'json'> {
  if (format !== 'json' && format !== 'text') return { output: text };
  const plain = (fence.exec(text)?.[1] ?? text).trim();
  if (format === 'text') return { output: plain };
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
