import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

const identity = {
  GIT_AUTHOR_NAME: 'n',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'n',
  GIT_COMMITTER_EMAIL: 'a@b.c',
};

const make = `make() { git init -q "$1" && git -C "$1" commit -qm m --allow-empty; }
link() { printf "160000 $(git -C "$1" rev-parse HEAD)\\t$2\\0" | git update-index -z --index-info; }
plain='[core]
	repositoryformatversion = 0
'
monitor="	fsmonitor = \\"touch $PWD/canary; false\\"
"
evil="$plain$monitor"`;
const linked = 'make sub && link sub sub';

/** Each makes the operator's next `git status` run a command, unless Tidegate undoes it. */
const attacks: Readonly<Record<string, string>> = {
  'a plain configuration': `${linked} && printf '%s' "$evil" > sub/.git/config`,
  'two headers on one line': `${linked} && printf '%s[x][core]%s' "$plain" "$monitor" > sub/.git/config`,
  'a comment that ends with a backslash': `${linked} && printf '%s# note \\\\\\n%s' "$plain" "$monitor" > sub/.git/config`,
  'a configuration of more than 4 MiB': `${linked} && { printf '%s' "$plain"; head -c 4400000 /dev/zero | tr '\\0' '\\n'; printf '%s' "$monitor"; } > sub/.git/config`,
  'a line break in the pointer': `${linked} && mv sub/.git $'real\\nevil' && cp -r $'real\\nevil' real && printf '%s' "$evil" > $'real\\nevil/config' && printf 'gitdir: ../real\\nevil\\n' > sub/.git`,
  'a line break in commondir': `${linked} && cp -r sub/.git ok && cp -r sub/.git $'ok\\nevil' && printf '%s' "$evil" > $'ok\\nevil/config' && printf '../../ok\\nevil\\n' > sub/.git/commondir`,
  'a carriage return after the pointer': `${linked} && mv sub/.git 'evil ' && printf '%s' "$evil" > 'evil /config' && printf 'gitdir: ../evil \\r\\n' > sub/.git`,
  'a name that is not UTF-8': `make $'s\\xff' && link $'s\\xff' 's\\xff' && printf '%s' "$evil" > $'s\\xff/.git/config'`,
  'a split index': `${linked} && git update-index --split-index && printf '%s' "$evil" > sub/.git/config`,
  'further bits in the mode of a link': `${linked} && python3 -c '
data = bytearray(open(".git/index", "rb").read())
data[12 + 24] = 0x01
open(".git/index", "wb").write(data)' && printf '%s' "$evil" > sub/.git/config`,
  'a name length that hides an entry': `${linked} && python3 -c '
import struct, sys
def entry(mode, hash, name):
    one = bytes(24) + struct.pack(">I", mode) + bytes(12) + bytes.fromhex(hash) + struct.pack(">H", len(name)) + name
    return one + bytes(8 - len(one) % 8)
link, blob = sys.argv[1:]
shown = b"a" + bytes(1) + entry(0o100644, blob, b"b") + b"XTRA" + struct.pack(">I", 80)
index = b"DIRC" + struct.pack(">II", 2, 2) + entry(0o100644, blob, shown) + entry(0o160000, link, b"sub")
open(".git/index", "wb").write(index + bytes(20))' $(git -C sub rev-parse HEAD) $(git hash-object -w --stdin </dev/null) && printf '%s' "$evil" > sub/.git/config`,
  'another work tree, whose index links further': `make sub && make other && make other/deep && (cd sub && link ../other/deep deep) && link sub sub && git -C sub config core.worktree ../../other && printf '%s' "$evil" > other/deep/.git/config`,
  'a repository in the 65th one': `${linked} && for i in $(seq 10 80); do cp -r sub n$i && link n$i n$i; done && make z && make z/deep && (cd z && link deep deep) && link z z && printf '%s' "$evil" > z/deep/.git/config`,
};

describe.skipIf(!hasBubblewrap)('[15.34] the operator runs git after a sandboxed command', () => {
  let place: Place;
  let client: StdioAgent;
  let root: string;
  const git = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync('git', args, {
      cwd: root,
      env: { ...place.env, ...identity },
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  };
  const open = async (): Promise<void> => {
    place = openPlace({ builtins: ['Write', 'Bash'] });
    root = join(place.directory, 'workspace');
    mkdirSync(root, { recursive: true });
    git('init', '-q');
    git('commit', '-qm', 'one', '--allow-empty');
    client = await openStdioAgent(place);
  };
  const asAgent = (script: string): string =>
    `${Object.entries(identity)
      .map(([name, value]) => `export ${name}=${value}`)
      .join('; ')}\n${make}\n${script}`;
  const bash = async (script: string) => {
    const { structured, text } = await client.call('Bash', { command: asAgent(script) });
    expect(structured, text).toMatchObject({ sandbox: 'bubblewrap' });
    return structured;
  };
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  const undone = (): readonly string[] => readdirSync(root).filter((name) => name.startsWith('.git.'));
  afterEach(async () => {
    await client.close();
    place.close();
  });

  it.each(Object.entries(attacks))('and runs nothing from a linked repository: %s', async (_name, script) => {
    await open();
    const { undone_configurations: told } = await bash(script);
    git('status');
    expect(isHit()).toBe(false);
    expect(told ?? []).not.toEqual([]);
    expect(undone()).toEqual([]);
  });

  it.each(Object.entries(attacks))('control: without the sandbox git runs it: %s', async (_name, script) => {
    await open();
    execFileSync('/bin/bash', ['-c', asAgent(script)], { cwd: root, env: place.env, stdio: 'pipe' });
    git('status');
    expect(isHit()).toBe(true);
  });

  it('and finds linked repositories with everyday settings unchanged', async () => {
    await open();
    const settings = [
      'user.name "A B"',
      'pull.rebase true',
      'remote.origin.url https://example.com/a.git',
      'branch.main.merge refs/heads/main',
    ];
    const configure = settings.map((setting) => `git -C sub config ${setting}`).join(' && ');
    const result = await bash(`${linked} && git -C sub remote add up ../up && ${configure}`);
    expect(result).not.toHaveProperty('undone_configurations');
    expect(readFileSync(join(root, 'sub', '.git', 'config'), 'utf8')).toContain('A B');
    expect(git('status', '--short')).toContain('A  sub\n');
  });

  const ownConfig = `printf '[core]\\n\\tfsmonitor = "touch canary; false"\\n' > .git/config.worktree`;

  it.each(['false', 'true'])('and still has its own .git (worktreeConfig %s)', async (isRead) => {
    await open();
    git('config', 'extensions.worktreeConfig', isRead);
    const { undone_configurations: told } = await bash(ownConfig);
    expect(told).toEqual(['.git/config.worktree']);
    expect(undone()).toEqual([]);
    expect(git('status', '--short')).toBe('?? tidegate.yaml\n');
    expect(isHit()).toBe(false);
  });

  it('control: without the sandbox config.worktree runs', async () => {
    await open();
    git('config', 'extensions.worktreeConfig', 'true');
    execFileSync('/bin/bash', ['-c', ownConfig], { cwd: root, env: place.env });
    git('status');
    expect(isHit()).toBe(true);
  });

  it('and finds the .git of a repository that an earlier command created, without its commands', async () => {
    await open();
    await bash('make sub');
    const { undone_configurations: told } = await bash(`link sub sub; printf '%s' "$evil" > sub/.git/config`);
    expect(told).toEqual(['sub/.git/config']);
    expect(existsSync(join(root, 'sub', '.git', 'HEAD'))).toBe(true);
    git('status');
    expect(isHit()).toBe(false);
  });
});
