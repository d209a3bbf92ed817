/**
 * The two reapers. Both take the gateway's id, lease file and group as arguments, read `+ <group>` and
 * `- <group>` from stdin, and act when it ends. The shell reaper also reads `r <record>`: a file that lists
 * folders to remove then. They are text, because a bundle has no second file to start.
 * Timeline from the end of stdin: TERM at 0.3 s and KILL at 2 s, for the registered groups and for groups with
 * a marked process (it left its group, or the gateway died before registering it); then, for marked processes
 * that remain: TERM, 0.7 s, KILL. Never signals the gateway's own group, because it holds the gateway's parent.
 */
import { markName } from './mark.js';

/** For POSIX: a shell starts in a millisecond and takes a megabyte. Uses only builtins until the gateway dies. */
export const shellReaper = `
trap '' INT TERM HUP QUIT PIPE TSTP TTIN TTOU
id=$1 lease=$2 own=$3 groups=' ' found='' ticks=0 records=''
while read -r what group; do
  case $what in
    r) records="$records$group
" ;;
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
nap() {
  if sleep 0.1 2>/dev/null; then ticks=$((ticks + 1)); else sleep 1; ticks=$((ticks + 10)); fi
}
signal() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
}
living() {
  left=' '
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && left="$left$group "; done
  groups=$left
  [ "$left" != ' ' ]
}
ladder() {
  while [ $ticks -lt 3 ] && living; do nap; done
  signal TERM
  while [ $ticks -lt 20 ] && living; do nap; done
  signal KILL
}
environs() {
  if printf 'a\\000b' | grep -qF b; then
    grep -lsF -- "${markName}=$id." /proc/[0-9]*/environ
  else
    for file in /proc/[0-9]*/environ; do
      tr '\\000' '\\n' 2>/dev/null <"$file" | grep -qF -- "${markName}=$id." && echo "$file"
    done
  fi 2>/dev/null
}
hunt() {
  found=''
  [ -r /proc/self/environ ] || return 1
  for file in $(environs); do file=\${file#/proc/}; found="$found \${file%/environ}"; done
  [ -n "$found" ]
}
adopt() {
  hunt
  for pid in $found; do
    # The last line: a name in parentheses may hold line breaks and look like the numbers.
    { while read -r line; do stat=$line; done <"/proc/$pid/stat"; } 2>/dev/null || continue
    set -- \${stat##*) }
    case $3 in '' | 0 | 1 | *[!0-9]*) continue ;; esac
    case " $own $known$groups" in *" $3 "*) ;; *) groups="$groups$3 " ;; esac
  done
}
lingering() {
  for pid in $found; do kill -s 0 "$pid" 2>/dev/null && return 0; done
  return 1
}
# Apart from the rest, because reading /proc can hang on a process that the kernel holds.
ladder &
known=$groups groups=' '
adopt
ladder
wait
if hunt; then
  kill -s TERM $found 2>/dev/null
  ticks=0
  while [ $ticks -lt 7 ] && lingering; do nap; done
  ticks=0
  while [ $ticks -lt 10 ] && hunt; do kill -s KILL $found 2>/dev/null; nap; done
fi
# Of a cgroup the processes go first. Only below this folder: elsewhere somebody could have made such a file.
evict() {
  case $1 in /sys/fs/cgroup/*) ;; *) return ;; esac
  ticks=0
  while [ $ticks -lt 20 ] && [ -d "$1" ] && ! rmdir -- "$1" 2>/dev/null; do
    while read -r pid; do case $pid in [1-9]*) kill -s KILL "$pid" ;; esac; done <"$1/cgroup.procs"
    nap
  done 2>/dev/null
}
# The folders that a record names, the last first. First the record goes: of two gateways that die, one sees no other.
sweep() {
  folders=''
  while read -r line; do
    # Escapes are for the next gateway.
    case $line in *\\\\*) return ;; esac
    folders="$line
$folders"
  done <"$1"
  rm -f -- "$1"
  printf '%s' "$folders" | while read -r line; do
    grep -qsxF -e "$line" "\${1%/*/*}"/*/"\${1##*/}" && continue
    line=\${line#?} line=\${line%?}
    evict "$line"
    rmdir -- "$line"
  done
} 2>/dev/null
printf '%s' "$records" | while read -r record; do [ -f "$record" ] && sweep "$record"; done
[ -z "$found" ] && [ -n "$lease" ] && rm -f -- "$lease"
`;

/** For Windows, and for systems without a shell. */
export const nodeReaper = `
'use strict';
const fs = require('node:fs');
const [id, lease, own] = process.argv.slice(1);
const isWindows = process.platform === 'win32';
const groups = new Set();
let rest = '';
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(name, () => {});
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const pid = Number(line.slice(2));
    if (line[0] === '+') groups.add(pid);
    else groups.delete(pid);
  }
});
process.stdin.on('error', () => {});
process.stdin.on('close', () => endAll().finally(() => process.exit()));

async function endAll() {
  for (const group of hunt().map(groupOf)) if (group > 1 && group !== Number(own)) groups.add(group);
  await waitWhile(living, 300);
  for (const group of groups) signal(group, 'SIGTERM');
  await waitWhile(living, 1700);
  for (const group of groups) signal(group, 'SIGKILL');
  let found = hunt();
  for (const pid of found) send(pid, 'SIGTERM');
  await waitWhile(() => hunt().length > 0, 700);
  for (let round = 0; round < 10 && (found = hunt()).length > 0; round += 1) {
    for (const pid of found) send(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (found.length === 0 && lease) fs.rmSync(lease, { force: true });
}
async function waitWhile(isBusy, ms) {
  const end = Date.now() + ms;
  while (Date.now() < end && isBusy()) await new Promise((resolve) => setTimeout(resolve, 100));
}
function living() {
  for (const group of groups) if (!send(isWindows ? group : -group, 0)) groups.delete(group);
  return groups.size > 0;
}
function signal(group, name) {
  if (!isWindows) return send(-group, name);
  const taskkill = (process.env.SystemRoot || 'C:\\\\Windows') + '\\\\System32\\\\taskkill.exe';
  require('node:child_process').spawnSync(taskkill, ['/PID', String(group), '/T', '/F'],
    { stdio: 'ignore', windowsHide: true, timeout: 2000 });
}
function send(target, name) {
  try { return process.kill(target, name); } catch { return false; }
}
function groupOf(pid) {
  try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch { return 0; }
}
function hunt() {
  if (process.platform !== 'linux') return [];
  return fs.readdirSync('/proc').filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number).filter((pid) => {
    try { return fs.readFileSync('/proc/' + pid + '/environ', 'latin1').includes('${markName}=' + id + '.'); }
    catch { return false; }
  });
}
`;
