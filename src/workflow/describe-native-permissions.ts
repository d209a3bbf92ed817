import { asRecord } from '../lib/is-record.js';
import { clis, nativeLevel } from '../agents/index.js';
import { providerNamed } from './grammar/providers.js';

/** Describes in one line what an agent may do with its own tools. */
export function describeNativePermissions(provider: string, given: unknown): string {
  const cli = clis.find(({ name }) => name === providerNamed(provider));
  const commands =
    cli === undefined || cli.sandboxesCommands === true
      ? 'run commands in its own sandbox'
      : 'not run other commands';
  const meanings = {
    read: 'it may read files but not change them',
    edit: `it may change files in the workspace and ${commands}`,
    full: 'it may change any file and run any command, without asking',
  };
  const options = asRecord(given);
  const { allowed_tools: listed } = options;
  const level = nativeLevel(options);
  const more =
    listed === undefined
      ? ''
      : `; allowed_tools adds ${(Array.isArray(listed) ? listed : [listed]).map(String).join(', ')}`;
  return level === undefined ? 'unknown' : `${level}: ${meanings[level]}${more}`;
}
