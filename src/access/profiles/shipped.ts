import type { ProfileSource } from './profile.js';

/** The profiles that are there without a file. They name only tools that exist: a test asks the catalog. */
export const shippedProfiles: readonly ProfileSource[] = [
  { name: 'minimal', description: 'Read and search files', tools: ['Read', 'Glob', 'Grep'] },
  { name: 'coding', description: 'Change files', extends: 'minimal', tools: ['Write', 'Edit'] },
  {
    name: 'search',
    description: 'Everything that only searches',
    extends: 'minimal',
    tools: ['Glob', 'Grep'],
  },
  {
    name: 'execution',
    description: 'Change files and run commands',
    extends: 'coding',
    tools: ['Bash', 'BashOutput', 'KillBash'],
  },
  { name: 'full', description: 'Everything', extends: 'execution', tools: ['*'] },
  { name: 'pm', description: 'Plans and follows the work', extends: 'minimal', tools: [] },
  { name: 'tl', description: 'Leads the work', extends: ['search', 'coding'], tools: [] },
  { name: 'dev', description: 'Does the work', extends: ['search', 'execution'], tools: [] },
];

/** What applies to a principal without a profile, unless a file says otherwise. */
export const shippedDefault = 'minimal';

/** As the name of a default profile: there is none. */
export const noProfile = 'none';
