import { type Command, type Given, type OptionSpec, textOption } from './command.js';
import { Failure } from './failure.js';

/** On whose behalf, and about what, `check` asks. */
export const askedArguments = [
  { name: '<principal>', about: 'agent:alice, user:ana or service:ci.' },
  {
    name: '<what>',
    about:
      'Read, server:github/create_issue, prompt:name, resource:address; server:github for its prompts and resources.',
  },
] as const satisfies NonNullable<Command['arguments']>;

export const askedOptions: readonly OptionSpec[] = [
  { name: 'action', value: 'action', about: 'see or call. Default: call.' },
  { name: 'token', value: 'id', about: 'As with this token: its bounds, and all that it was made from.' },
  { name: 'profile', value: 'name', about: 'As at a gate that was started with --profile.' },
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
