import { type Command, configOption, type Context, type Given, textOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { tellMade } from '../token-made.js';
import { expiresOption, labelOption, profileCeiling, toolsCeiling, wishOf } from '../token-wish.js';
import { withTokenDesk } from '../with-token-desk.js';

export const tokenAttenuate: Command = {
  name: 'token attenuate',
  summary:
    'Make a token from another one, for a sub-agent: it can do no more than its parent, and ends with it.',
  options: [
    {
      name: 'token',
      value: 'token',
      about: 'The parent, by its secret. Default: TIDEGATE_TOKEN, which no list of processes shows.',
    },
    { name: 'from', value: 'id', about: 'The parent, by its id.' },
    { name: 'as', value: 'principal', about: 'Who holds it, such as agent:helper. Left out: as its parent.' },
    profileCeiling,
    toolsCeiling,
    expiresOption,
    labelOption,
    { name: 'no-inherit-active', about: 'Start without the tools that the parent has activated.' },
    configOption,
  ],
  examples: [
    "tidegate token attenuate --from tok_k3m9x2a7pq4d --tools 'Read,Grep' --expires 1h",
    'TIDEGATE_TOKEN=<token> tidegate token attenuate --as agent:helper --profile minimal',
  ],
  async run(given, context) {
    const parent = parentOf(given, context);
    const as = textOption(given, 'as');
    const wish = {
      ...wishOf(given),
      ...(as !== undefined && { principal: as }),
      inheritsActive: given.options['no-inherit-active'] !== true,
    };
    return withTokenDesk(given, context, async (opened) => {
      await tellMade(await opened.desk.attenuate(parent, wish), opened, context);
      return exitCodes.ok;
    });
  },
};

function parentOf(given: Given, { env }: Context): string {
  const [id, secret] = [textOption(given, 'from'), textOption(given, 'token')];
  if (id !== undefined && secret !== undefined) {
    throw new Failure('usage.exclusive', '--from and --token both name the parent: give one of them.');
  }
  const parent = id ?? secret ?? env['TIDEGATE_TOKEN'];
  if (parent !== undefined && parent !== '') return parent;
  const message = 'The parent is missing: set TIDEGATE_TOKEN to its secret, or give its id with --from.';
  throw new Failure('usage.missing_argument', message, 'tidegate token list');
}
