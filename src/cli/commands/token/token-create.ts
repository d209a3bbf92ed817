import { type Command, configOption, type Given, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { tellMade } from './token-made.js';
import {
  expiresOption,
  labelOption,
  optionsOf,
  profileCeiling,
  toolsCeiling,
  workspaceCeiling,
} from './token-options.js';
import { withTokenAdmin } from './with-token-admin.js';

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Create a token for a client. Its secret is shown only once.',
  options: [
    { name: 'as', value: 'principal', about: 'Principal the token is for, such as agent:alice.' },
    profileCeiling,
    toolsCeiling,
    workspaceCeiling,
    expiresOption,
    labelOption,
    configOption,
  ],
  examples: [
    'tidegate token create --as agent:alice --profile coding --expires 30d',
    "tidegate token create --as service:ci --tools 'Read,github_*' --label nightly",
  ],
  async run(given, context) {
    const principal = principalOf(given);
    const request = { ...optionsOf(given, context.cwd), principal };
    return withTokenAdmin(given, context, async (opened) => {
      await tellMade(await opened.service.create(request), opened, context);
      return exitCodes.ok;
    });
  },
};

const kinds = ['agent', 'user', 'service'];

function principalOf(given: Given): string {
  const as = textOption(given, 'as');
  const next = 'tidegate token create --as agent:alice';
  if (as === undefined)
    throw new Failure('usage.missing_argument', 'Missing --as. Pass the principal the token is for.', next);
  const [kind = '', ...name] = as.split(':');
  if (kinds.includes(kind) && name.join(':') !== '') return as;
  const near = name.length === 0 ? '' : didYouMean(kind, kinds);
  const message = `--as takes kind:name, such as agent:alice. Kinds: ${kinds.join(', ')}.${near}`;
  throw new Failure('token.bad_principal', message, next);
}
