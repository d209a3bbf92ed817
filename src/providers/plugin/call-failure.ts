import { messageOf } from '../../lib/error-message.js';
import { createFault, type Fault } from '../../core/index.js';
import { printable } from '../../lib/printable.js';
import type { PluginOptions } from './options.js';

export type FailureKind =
  | 'unavailable'
  | 'timeout'
  | 'cancelled'
  | 'too_large'
  | 'unimplemented'
  | 'malformed'
  /** The plugin rejected the arguments. */
  | 'invalid'
  /** The plugin returned another error. */
  | 'refused';

/** Why a request to a plugin failed. */
export class CallFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Converts it to a fault; `end` says how the process exited. The plugin's message goes to the log, unless it is the answer. */
export function faultOf(
  { name: plugin, withoutSecrets }: Pick<PluginOptions, 'name' | 'withoutSecrets'>,
  failure: unknown,
  end?: string,
): Fault {
  const kind = failure instanceof CallFailure ? failure.kind : 'refused';
  const text = messageOf(failure);
  const said = printable(withoutSecrets(text)).slice(0, 2000);
  const more = { detail: said, reason: kind };
  switch (kind) {
    case 'cancelled':
      return createFault('call.cancelled', 'The call was cancelled.');
    case 'timeout':
      return createFault('call.timeout', `The plugin ${plugin} did not answer in time.`, {
        ...more,
        suggestion: 'Request less work per call, or ask the operator to raise `timeout` in plugins.yaml.',
      });
    case 'unavailable':
      return createFault('provider.lost', `The plugin ${plugin} exited before it answered.`, {
        ...more,
        ...(end !== undefined && { detail: end }),
        suggestion: `Ask the operator to run \`tidegate plugin show ${plugin}\`.`,
      });
    case 'invalid':
      return createFault('input.invalid', said);
    case 'too_large':
      return createFault(
        'work.failed',
        `The request to the plugin ${plugin}, or its response, is too large.`,
        {
          ...more,
          suggestion: 'Request less data per call.',
        },
      );
    case 'malformed':
    case 'unimplemented':
      return createFault(
        'provider.malformed',
        `The plugin ${plugin} does not implement the plugin protocol.`,
        more,
      );
    case 'refused':
      return createFault(
        'work.failed',
        said === '' ? `The plugin ${plugin} failed without an error message.` : said,
        {
          reason: kind,
        },
      );
  }
}
