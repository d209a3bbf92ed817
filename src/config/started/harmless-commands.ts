import { gitCommands } from './harmless-git.js';
import { areAllowed, type Options, optionsOf } from './harmless-options.js';

/** Programs and shell keywords that run no file from their working directory, whatever their arguments are. */
const always = new Set(
  (
    'echo true false : test [ [[ exit return set shift sleep date pwd cat head tail wc uniq cut tr grep ' +
    'ls mkdir touch rm cp mv basename dirname sha256sum if then else elif fi while do done { } ! in'
  ).split(' '),
);

/** Options known to run nothing and to read no settings file. With any other option, the command counts as unknown. */
const programs: Readonly<Record<string, Options>> = {
  sort: optionsOf(
    'nruhVfbdgiMRszmcC',
    'ktoST',
    'numeric-sort reverse unique version-sort human-numeric-sort ignore-case stable check zero-terminated merge',
    'key field-separator output parallel',
  ),
  jq: optionsOf(
    'rcesnSMCajR',
    '',
    'raw-output compact-output exit-status slurp null-input sort-keys monochrome-output color-output ascii-output ' +
      'join-output raw-input tab args jsonargs',
    'indent arg:2 argjson:2 slurpfile:2 rawfile:2',
  ),
  curl: optionsOf(
    'sSfLiIvkgNGORq46#',
    'odHXuAebcmFTxrzC',
    'silent show-error fail fail-with-body location head include verbose insecure globoff no-buffer get remote-name ' +
      'compressed retry-connrefused retry-all-errors create-dirs no-progress-meter progress-bar ipv4 ipv6 http1.1 http2 ' +
      'tlsv1.2 tlsv1.3 disable',
    'output data data-raw data-binary data-urlencode json header request user user-agent referer cookie cookie-jar ' +
      'max-time connect-timeout retry retry-delay retry-max-time form form-string upload-file proxy range url output-dir ' +
      'cacert max-redirs oauth2-bearer resolve',
  ),
  wget: optionsOf(
    'qcNvS46',
    'OPTtU',
    'quiet continue timestamping no-verbose show-progress no-check-certificate https-only no-clobber server-response spider',
    'output-document directory-prefix timeout tries user-agent header post-data waitretry',
  ),
  ssh: optionsOf('qvTtnNxaC46', 'pliLRDcm', '', ''),
  scp: optionsOf('rpqvCBTO346', 'Plic', '', ''),
};

const gh: Readonly<Record<string, string>> = {
  pr: 'view list create comment merge close reopen checks diff ready review status edit',
  issue: 'view list create comment close reopen edit status',
  run: 'view list watch rerun cancel',
  release: 'view list create download upload edit',
  workflow: 'list view run',
  repo: 'view list',
  label: 'list create',
  auth: 'status token',
};
const ghOptions = optionsOf(
  'scdm',
  'RtbFfHBlarLXqjn',
  'squash merge rebase delete-branch auto draft fill comments approve request-changes comment exit-status paginate ' +
    'include prerelease latest generate-notes clobber log log-failed failed name-only',
  'repo title body body-file base head label assignee reviewer milestone json jq state limit method field raw-field header ' +
    'notes notes-file target branch workflow job pattern dir ref add-label remove-label search author',
);

/** Variables that only change messages, dates and author names. */
const plainVariable =
  /^(?:LANG|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|SOURCE_DATE_EPOCH|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GH_PROMPT_DISABLED)=[\w.@-]*$/;
const authorVariable = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)=[^$]*$/;
/** Names that only the script itself uses. */
const ownName =
  /^(?:[a-z]|file|files|name|names|dir|dirs|url|branch|tag|version|message|msg|count|item|out|output|result|one|line)$/;

/** Whether an assignment in front of a command, or alone, can't change what runs. */
export function isHarmlessAssignment(word: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  if (ownName.test(name)) return !value.includes('$');
  return plainVariable.test(word) || authorVariable.test(word);
}

/** Whether a command neither runs a file from its working directory nor follows instructions in one. */
export function isHarmless([program = '', ...args]: readonly string[]): boolean {
  if (always.has(program)) return true;
  if (program === 'printf') return args[0]?.startsWith('-') !== true && args[0]?.startsWith('$') !== true;
  if (program === 'for') return ownName.test(args[0] ?? '');
  if (program === 'git') return isHarmlessGit(args);
  if (program === 'gh') return isHarmlessGh(args);
  const options = Object.hasOwn(programs, program) ? programs[program] : undefined;
  // Words after the host are for the shell on that host.
  return options !== undefined && areAllowed(args, options, program === 'ssh' ? 2 : undefined);
}

const gitOptions = optionsOf('P', 'C', 'no-pager version no-optional-locks literal-pathspecs', '');

function isHarmlessGit(args: readonly string[]): boolean {
  let at = 0;
  while (args[at]?.startsWith('-') === true) at += args[at] === '-C' ? 2 : 1;
  const [name = 'version', ...rest] = args.slice(at);
  // Other names may be aliases, or programs that are looked up.
  const options = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined;
  return options !== undefined && areAllowed(args.slice(0, at), gitOptions) && areAllowed(rest, options);
}

function isHarmlessGh([command = '', ...rest]: readonly string[]): boolean {
  if (command === 'api') return areAllowed(rest, ghOptions);
  const [action = '', ...args] = rest;
  const known = Object.hasOwn(gh, command) ? gh[command] : undefined;
  return known?.split(' ').includes(action) === true && areAllowed(args, ghOptions);
}
