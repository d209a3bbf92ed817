import { homedir, userInfo } from 'node:os';
import type { SandboxKind } from '../../ports/shell.js';

export interface EnvironmentParts {
  /** What the operator lets commands know. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interpreter: string;
  readonly temporary: string;
  readonly sandbox: SandboxKind;
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Files that a shell would run before the command, options that change its meaning, and what is the gate's own. */
const unwanted = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|LD_PRELOAD|TIDEGATE_.*)$/;

/** Whoever would ask a person, open an editor or a pager, or draw on a screen, returns instead. */
const unattended = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Without input vim reads from stderr, for ever. Commands given with -c have run when this one ends it.
  VIMINIT:
    'set nocompatible | silent! source $HOME/.vimrc | set viminfo= noswapfile nomore | autocmd VimEnter * cquit',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** The whole environment of a command: nothing is inherited from the gate. */
export function commandEnvironment(parts: EnvironmentParts): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.env)) {
    if (value !== undefined && !unwanted.test(name)) given[name] = value;
  }
  return {
    PATH: usualPath,
    HOME: homedir(),
    LANG: 'C.UTF-8',
    ...userNames(),
    ...given,
    ...unattended,
    SHELL: parts.interpreter,
    ...temporaries(parts),
  };
}

/** The home is read-only in the sandbox, so what programs keep there for speed goes elsewhere. */
function temporaries({ temporary, sandbox }: EnvironmentParts): Readonly<Record<string, string>> {
  if (sandbox === 'none') return { TMPDIR: temporary };
  return { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' };
}

function userNames(): Readonly<Record<string, string>> {
  try {
    const { username } = userInfo();
    return { USER: username, LOGNAME: username };
  } catch {
    // A user id without a name, as in some containers.
    return {};
  }
}
