import { type Config, defaultConfig } from '../config/index.js';

/**
 * From an untrusted file, only the server names and the limits on built-in tools are used. It cannot write, send or open
 * anything, and grants no access.
 */
export function inertConfig({ servers, builtins, file }: Config, directory: string): Config {
  return { ...defaultConfig(directory), servers, builtins, ...(file !== undefined && { file }) };
}
