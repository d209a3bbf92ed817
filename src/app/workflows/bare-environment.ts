import type { Environment } from '../../config/index.js';

/** What an agent needs of the environment to start at all. Keys and settings of the user stay out. */
const kept = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'SYSTEMROOT',
  'ComSpec',
  'PATHEXT',
];

/** The environment of somebody who has nothing but an empty home. */
export function bareEnvironment(env: Environment, home: string): Readonly<Record<string, string>> {
  const own = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), HOME: home, USERPROFILE: home, TERM: 'dumb' };
}
