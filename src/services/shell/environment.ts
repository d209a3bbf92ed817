import { homedir, userInfo } from 'node:os';
import type { SandboxKind } from '../../ports/shell.js';

export interface EnvironmentParts {
  /** The variables that the operator passes to commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interpreter: string;
  readonly temporary: string;
  readonly sandbox: SandboxKind;
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Files that a shell would run before the command, options that change its meaning, and the gateway's own variables.
 */
const unwanted = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|LD_PRELOAD|TIDEGATE_.*)$/;

/** Makes programs return instead of prompting, opening an editor or pager, or drawing on a screen. */
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
  // Without input, vim reads from stderr forever. Commands given with -c have run by the time this ends it.
  VIMINIT:
    'set nocompatible | silent! source $HOME/.vimrc | set viminfo= noswapfile nomore | autocmd VimEnter * cquit',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** The whole environment of a command: nothing is inherited from the gateway. */
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

/** The home is read-only in the sandbox, so caches go to /tmp. */
function temporaries({ temporary, sandbox }: EnvironmentParts): Readonly<Record<string, string>> {
  if (sandbox === 'none') return { TMPDIR: temporary };
  return { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' };
}

function userNames(): Readonly<Record<string, string>> {
  try {
    const { username } = userInfo();
    return { USER: username, LOGNAME: username };
  } catch {
    // The user id has no name, as in some containers.
    return {};
  }
}
