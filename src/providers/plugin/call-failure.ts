import { createFault, type Fault, printable } from '../../kernel/index.js';
import type { PluginOptions } from './options.js';

export type FailureKind =
  | 'unavailable'
  | 'timeout'
  | 'cancelled'
  | 'too_large'
  | 'unimplemented'
  | 'malformed'
  /** The plugin said that the arguments are not right. */
  | 'invalid'
  /** The plugin answered with an error of its own. */
  | 'refused';

/** Why a question to a plugin was not answered. */
export class CallFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The same in the words of the gate; `end`: how the process ended. What the plugin said is for the log, save where it is the answer. */
export function faultOf(
  { name: plugin, withoutSecrets }: Pick<PluginOptions, 'name' | 'withoutSecrets'>,
  failure: unknown,
  end?: string,
): Fault {
  const kind = failure instanceof CallFailure ? failure.kind : 'refused';
  const text = failure instanceof Error ? failure.message : String(failure);
  const said = printable(withoutSecrets(text)).slice(0, 2000);
  const more = { detail: said, reason: kind };
  switch (kind) {
    case 'cancelled':
      return createFault('call.cancelled', 'The call was cancelled.');
    case 'timeout':
      return createFault('call.timeout', `The plugin ${plugin} gave no answer within its time.`, {
        ...more,
        suggestion: 'Call again with less work, or ask the operator for a longer `timeout` in plugins.yaml.',
      });
    case 'unavailable':
      return createFault('provider.lost', `The plugin ${plugin} went away before it answered.`, {
        ...more,
        ...(end !== undefined && { detail: end }),
        suggestion: `Ask the operator to run \`tidegate plugin show ${plugin}\`.`,
      });
    case 'invalid':
      return createFault('input.invalid', said);
    case 'too_large':
      return createFault('work.failed', `The plugin ${plugin} cannot take or give that much at once.`, {
        ...more,
        suggestion: 'Ask for less at once.',
      });
    case 'malformed':
    case 'unimplemented':
      return createFault(
        'provider.malformed',
        `The plugin ${plugin} does not speak the plugin protocol.`,
        more,
      );
    case 'refused':
      return createFault('work.failed', said === '' ? `The plugin ${plugin} failed without a word.` : said, {
        reason: kind,
      });
  }
}
