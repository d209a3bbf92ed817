import { exitCodes } from '../../exit-codes.js';

/** Errors of the plugin commands, part of the table of the command line. */
export const pluginCodes = {
  'plugin.not_found': {
    exit: exitCodes.notFound,
    meaning: 'Unknown plugin.',
    remedy: 'List the plugins: `tidegate plugin list`.',
  },
  'plugin.no_operation': {
    exit: exitCodes.notFound,
    meaning: 'The plugin has no operation with that name.',
    remedy: 'List its operations: `tidegate plugin show <name>`.',
  },
  'plugin.collision': {
    exit: exitCodes.unavailable,
    meaning:
      "A tool of the plugin has the same name as another tool, so none of the plugin's tools are available.",
    remedy: 'Rename one of the two tools, or disable the plugin: `tidegate plugin disable <name>`.',
  },
  'plugin.broken': {
    exit: exitCodes.usage,
    meaning: 'The plugin cannot be used: its manifest, program or settings are invalid.',
    remedy: 'Fix the reported problems, then run `tidegate plugin show <name>`.',
  },
  'plugin.disabled': {
    exit: exitCodes.unavailable,
    meaning: 'The plugin is disabled.',
    remedy: 'Enable it: `tidegate plugin enable <name>`.',
  },
  'plugin.exists': {
    exit: exitCodes.usage,
    meaning: 'A plugin with that name already exists.',
    remedy: 'Choose another name, or remove the folder.',
  },
} as const;
