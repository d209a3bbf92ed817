import { type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
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

export const tokenAttenuate: Command = {
  name: 'token attenuate',
  summary:
    'Derive a token for a sub-agent from another token. It never has more rights than its parent and is valid only as long as its parent is.',
  options: [
    {
      name: 'token',
      value: 'token',
      about: 'Secret of the parent token. Default: TIDEGATE_TOKEN, which is not visible in process lists.',
    },
    { name: 'from', value: 'id', about: 'ID of the parent token.' },
    {
      name: 'as',
      value: 'principal',
      about: 'Principal the token is for, such as agent:helper. Default: the same as the parent.',
    },
    profileCeiling,
    toolsCeiling,
    workspaceCeiling,
    expiresOption,
    labelOption,
    {
      name: 'inherit-active-mcp',
      value: 'true|false',
      about: "Whether to start with the parent's active tools. Default: true.",
    },
    configOption,
  ],
  examples: [
    "tidegate token attenuate --from tok_k3m9x2a7pq4d --tools 'Read,Grep' --expires 1h",
    'TIDEGATE_TOKEN=<token> tidegate token attenuate --as agent:helper --profile minimal',
  ],
  async run(given, context) {
    const parent = parentOf(given, context);
    const as = textOption(given, 'as');
    const request = {
      ...optionsOf(given, context.cwd),
      ...(as !== undefined && { principal: as }),
      inheritsActive: inheritsActive(given),
    };
    return withTokenAdmin(given, context, async (opened) => {
      await tellMade(await opened.service.attenuate(parent, request), opened, context);
      return exitCodes.ok;
    });
  },
};

function inheritsActive(given: Given): boolean {
  const text = textOption(given, 'inherit-active-mcp') ?? 'true';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Failure(
    'usage.bad_value',
    '--inherit-active-mcp takes true or false.',
    'tidegate token attenuate --help',
  );
}

function parentOf(given: Given, { env }: Context): string {
  const [id, secret] = [textOption(given, 'from'), textOption(given, 'token')];
  if (id !== undefined && secret !== undefined) {
    throw new Failure('usage.exclusive', 'Pass the parent with --from or --token, not both.');
  }
  const parent = id ?? secret ?? env['TIDEGATE_TOKEN'];
  if (parent !== undefined && parent !== '') return parent;
  const message = 'Missing parent token: set TIDEGATE_TOKEN to its secret, or pass its ID with --from.';
  throw new Failure('usage.missing_argument', message, 'tidegate token list');
}
