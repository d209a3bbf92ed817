import type { ProfileSource } from './profile.js';

/** The built-in profiles. Tests check that they name only existing tools and that no two are equal. */
export const shippedProfiles: readonly ProfileSource[] = [
  { name: 'minimal', description: 'Read and search files', tools: ['Read', 'Glob', 'Grep'] },
  { name: 'coding', description: 'Change files', extends: 'minimal', tools: ['Write', 'Edit'] },
  {
    name: 'search',
    description: 'Search files and tools',
    extends: 'minimal',
    tools: ['discovery_*'],
  },
  {
    name: 'execution',
    description: 'Change files and run commands',
    extends: 'coding',
    tools: ['Bash', 'BashOutput', 'KillBash'],
  },
  { name: 'full', description: 'Everything', extends: 'execution', tools: ['*', 'discovery_*'] },
  { name: 'pm', description: 'Plan work', extends: 'minimal', tools: ['list_workflows'] },
  {
    name: 'tl',
    description: 'Lead work and start workflows',
    extends: ['search', 'coding'],
    tools: ['list_workflows', 'execute_workflow'],
  },
  {
    name: 'dev',
    description: 'Change files, run commands, search',
    extends: ['search', 'execution'],
    tools: ['list_workflows'],
  },
];

/** The default profile, unless a file sets another one. */
export const shippedDefault = 'minimal';

/** The value of `default_profile` for no default profile. */
export const noProfile = 'none';
