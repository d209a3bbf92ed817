import { type Given, type OptionSpec, textOption } from '../../command.js';
import { realFolder } from '../../real-folder.js';
import { patternsOf } from '../../with-gateway.js';

export const profileCeiling: OptionSpec = {
  name: 'profile',
  value: 'profile',
  about: 'Limit the token to this profile. If the principal has no profile, this one applies.',
};

export const toolsCeiling: OptionSpec = {
  name: 'tools',
  value: 'patterns',
  about:
    'Limit the token to these tools: names or patterns with * and ?, separated by commas. !name excludes a tool.',
};

export const workspaceCeiling: OptionSpec = {
  name: 'workspace',
  value: 'folder',
  about:
    'Limit the token to this workspace of `tidegate serve`. Clients that name no workspace get this one.',
};

export const expiresOption: OptionSpec = {
  name: 'expires',
  value: 'when',
  about: 'Expire after this time (12h, 30d, 2w) or on a date (2030-01-31). Default: never.',
};

export const labelOption: OptionSpec = {
  name: 'label',
  value: 'text',
  about: 'Label that identifies the token in lists.',
};

/** The token options as typed; the token service checks them. */
export interface TypedOptions {
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly workspace?: string;
  readonly expires?: string;
  readonly label?: string;
}

export function optionsOf(given: Given, cwd: string): TypedOptions {
  const [profile, expires, label] = ['profile', 'expires', 'label'].map((name) => textOption(given, name));
  const tools = patternsOf(given, 'tidegate token create');
  const workspace = textOption(given, 'workspace');
  return {
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(workspace !== undefined && { workspace: realFolder(workspace, cwd) }),
    ...(expires !== undefined && { expires }),
    ...(label !== undefined && { label }),
  };
}
