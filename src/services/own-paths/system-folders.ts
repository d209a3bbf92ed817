import { readFileSync } from 'node:fs';

/** File systems without ordinary files: they expose process environments and memory, devices and kernel settings. */
const pseudoTypes = new Set([
  'binfmt_misc',
  'bpf',
  'cgroup',
  'cgroup2',
  'configfs',
  'debugfs',
  'devpts',
  'devtmpfs',
  'efivarfs',
  'fusectl',
  'mqueue',
  'nsfs',
  'proc',
  'pstore',
  'securityfs',
  'selinuxfs',
  'sysfs',
  'tracefs',
]);

/** The usual folders, and every other mount point of a pseudo file system. */
export function systemFolders(): readonly string[] {
  if (process.platform === 'win32') return [];
  const all = new Set(['/proc', '/sys', '/dev', ...mountPoints()]);
  const within = (path: string): boolean => [...all].some((other) => path.startsWith(`${other}/`));
  return [...all].filter((path) => !within(path));
}

function mountPoints(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').flatMap(pseudoMount);
  } catch {
    // Only Linux has this file.
    return [];
  }
}

/** `id parent major:minor root mountpoint options … - type source options` */
function pseudoMount(line: string): readonly string[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , , point] = before.split(' ');
  const [type = ''] = after.split(' ');
  return point !== undefined && pseudoTypes.has(type) ? [unescaped(point)] : [];
}

/** Mount points contain blanks as octal escapes. */
function unescaped(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
