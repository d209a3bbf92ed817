import { type Command, type Given, type OptionSpec, textOption } from '../../command.js';
import { Failure } from '../../failure.js';

/** The arguments of `check` and `explain`. */
export const askedArguments = [
  { name: '<principal>', about: 'agent:alice, user:ana or service:ci.' },
  {
    name: '<what>',
    about:
      'Read, server:github/create_issue, prompt:name, resource:uri; server:github for its prompts and resources.',
  },
] as const satisfies NonNullable<Command['arguments']>;

export const askedOptions: readonly OptionSpec[] = [
  { name: 'action', value: 'action', about: 'Action to check: see or call. Default: call.' },
  {
    name: 'token',
    value: 'id',
    about: 'Apply the limits of this token and of the tokens it is derived from.',
  },
  {
    name: 'profile',
    value: 'name',
    about: 'Apply this profile as a limit, as if Tidegate were started with --profile.',
  },
];

export function actionOf(given: Given): 'see' | 'call' {
  const action = textOption(given, 'action') ?? 'call';
  if (action === 'see' || action === 'call') return action;
  throw new Failure('usage.bad_value', `--action takes see or call, not "${action}".`);
}

export function askingOf(given: Given): { readonly token?: string; readonly profile?: string } {
  const token = textOption(given, 'token');
  const profile = textOption(given, 'profile');
  return { ...(token !== undefined && { token }), ...(profile !== undefined && { profile }) };
}
