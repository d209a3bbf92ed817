import { describe, expect, it } from 'vitest';
import { isHarmless } from './harmless-commands.js';
import { withoutKeywords } from './shell-lines.js';
import { commandsIn } from './shell-words.js';

const isSafe = (text: string): boolean =>
  commandsIn(text)?.every((words) => {
    const command = withoutKeywords(words);
    return command.length === 0 || isHarmless(command);
  }) === true;

describe('a command outside the sandbox', () => {
  it.each([
    'echo good > out.txt 2>&1',
    'git --version',
    'git -C sub status -s && git log --oneline -5 | head -3',
    'git commit -qm "a; b" && git push -u origin main',
    'git clone -q --depth 1 https://example.org/x.git /tmp/x',
    'curl -sSfL -o out.json -H "a: b" https://example.org/x?a=b',
    'curl -s -d "{{inputs.text}}" https://example.org',
    'LC_ALL=C sort -u names.txt',
    'GIT_AUTHOR_NAME="A B" git commit -m {{inputs.message}}',
    'for f in a b; do echo "$f"; done',
    'if test -e a; then cp a b; fi # copies',
    'echo $(date) ${USER}',
    'ssh -q host uptime -x',
    'gh pr view 3 --json title',
    'jq -r --arg a b .x data.json',
    'x=1; echo $x',
  ])('is harmless: %s', (text) => {
    expect(isSafe(text)).toBe(true);
  });

  it.each([
    'PATH=./bin:/usr/bin git --version',
    'GIT_EXEC_PATH=bin git hello',
    'GIT_CONFIG_GLOBAL=gitcfg git status',
    'LD_PRELOAD=./x.so echo a',
    'EDITOR=./x git commit',
    'for PATH in ./bin; do git --version; done',
    'printf -v PATH ./bin; git --version',
    'unset PATH; git --version',
    ': ${PATH:=bin}; git --version',
    'curl -sK fetch',
    'curl -s"K" fetch',
    'curl -s\\K fetch',
    'curl --conf fetch',
    'curl "a; echo " -K fetch',
    'curl $OPTIONS https://example.org',
    'curl {{inputs.url}}',
    'curl -w @format https://example.org',
    'wget -qe use_askpass=./x https://example.org',
    'wget -i list',
    'ssh -vF cfg host',
    'ssh -qo ProxyCommand=./x host',
    'ssh host -o ProxyCommand=./x',
    'ssh -- host -oProxyCommand=./x',
    'scp -S ./x a b:',
    'sort --compress-prog=./x a',
    'sort *',
    'jq -rf prog.jq',
    'git hello',
    'git -c core.fsmonitor=./x status',
    'git --exec-path=bin status',
    'git --git-dir=conf status',
    'git clone --template tpl a b',
    'git clone --templ=tpl a b',
    'git clone -u ./x a b',
    'git clone -c core.fsmonitor=./x a b',
    'git init --template=tpl',
    'git fetch --upload-pac ./x origin',
    'git push --receive-pack=./x',
    'git grep -O./x a',
    'git log --ext-diff',
    'git submodule update',
    'git bisect run ./x',
    'git() { ./x; }; git',
    'gh extension exec x',
    'gh repo clone a/b -- --template tpl',
    'cat <(./x)',
    'echo `./x`',
    'echo $(./x)',
    '(./x)',
    'sh <<END\n./x\nEND',
    'echo $((a[$(./x)]))',
    'toString',
    'git constructor',
  ])('counts as unknown: %s', (text) => {
    expect(isSafe(text)).toBe(false);
  });
});
