import type { Environment } from './substitute.js';

/** Variables that every child inherits, on all platforms except Windows. */
export const childBaseNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TERM',
  'TMPDIR',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

// Without SYSTEMROOT and similar variables, most Windows programs do not start.
const windowsBase = [
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROCESSOR_ARCHITECTURE',
  'NUMBER_OF_PROCESSORS',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

/** The complete environment of a child: a fixed base, and what the file names. Nothing else leaks to it. */
export function childEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  if (platform === 'win32') return windowsEnvironment(own, configured);
  const base = childBaseNames.flatMap((name) => entryOf(own, name));
  return Object.fromEntries([...base, ...Object.entries(configured)]);
}

// Windows variable names are case-insensitive, so a child must not get both `Path` and `PATH`.
function windowsEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(configured).map((name) => name.toUpperCase()));
  const wanted = new Set<string>(windowsBase.filter((name) => !taken.has(name)));
  const base = Object.keys(own).filter((name) => wanted.delete(name.toUpperCase()));
  return Object.fromEntries([...base.flatMap((name) => entryOf(own, name)), ...Object.entries(configured)]);
}

// A value that starts like a shell function is code that bash would run.
function entryOf(own: Environment, name: string): (readonly [string, string])[] {
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  return value === undefined || value.startsWith('()') ? [] : [[name, value]];
}
