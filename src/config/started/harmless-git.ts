import { type Options, optionsOf } from './harmless-options.js';

const digits = '0123456789';
const logs = optionsOf(
  `pzs${digits}`,
  'nSGL',
  'oneline stat shortstat numstat name-only name-status graph all decorate no-decorate patch no-patch cached staged quiet ' +
    'exit-code no-merges merges first-parent reverse follow check no-color no-ext-diff no-textconv abbrev-commit summary ' +
    'format pretty since until after before author grep max-count date color diff-filter unified abbrev',
  '',
);
const refs = optionsOf(
  '',
  'n',
  'short verify quiet abbrev-ref show-toplevel is-inside-work-tree show-prefix symbolic-full-name count tags heads all ' +
    'always dirty long abbrev contains merged format sort points-at match exact-match get-url refs',
  '',
);
const none = optionsOf('', '', '', '');

/** Git subcommands with their harmless options. Options with a value take it after `=`. */
export const gitCommands: Readonly<Record<string, Options>> = {
  version: none,
  status: optionsOf('sbzvu', '', 'short branch porcelain untracked-files ignored long', ''),
  log: logs,
  show: logs,
  diff: logs,
  shortlog: optionsOf('sne', '', 'summary numbered email no-merges since until', ''),
  'rev-parse': refs,
  'rev-list': refs,
  describe: refs,
  'show-ref': refs,
  'symbolic-ref': refs,
  'merge-base': refs,
  'for-each-ref': refs,
  'ls-files': optionsOf('zcdmost', '', 'cached deleted modified others stage exclude-standard', ''),
  'ls-tree': optionsOf('rdtlz', '', 'name-only long full-tree', ''),
  'ls-remote': optionsOf('q', '', 'heads tags refs quiet exit-code symref branches', ''),
  remote: optionsOf('v', '', 'verbose', ''),
  branch: optionsOf(
    'avrdDmMf',
    'u',
    'all list remotes delete move force show-current merged no-merged contains',
    '',
  ),
  tag: optionsOf('aldf', 'mn', 'annotate list delete force sort points-at contains', 'message'),
  add: optionsOf('Aufvn', '', 'all update force verbose dry-run intent-to-add', ''),
  commit: optionsOf(
    'aqsvn',
    'mF',
    'all quiet signoff verbose allow-empty amend no-edit no-verify author date cleanup',
    'message file',
  ),
  push: optionsOf(
    'ufqvnd',
    '',
    'set-upstream force force-with-lease quiet verbose dry-run delete tags follow-tags all',
    '',
  ),
  pull: optionsOf('qv', '', 'ff-only no-ff rebase no-rebase quiet verbose tags prune', ''),
  fetch: optionsOf('qvpft', '', 'all quiet verbose prune tags force depth unshallow no-tags', ''),
  clone: optionsOf(
    'qvn',
    'bo',
    'quiet verbose no-checkout bare single-branch no-tags',
    'branch depth origin',
  ),
  init: optionsOf('q', 'b', 'quiet bare', 'initial-branch'),
  checkout: optionsOf('qf', 'bB', 'quiet force detach track no-track ours theirs', ''),
  switch: optionsOf('qfd', 'cC', 'quiet force detach', 'create'),
  restore: optionsOf('qSW', 's', 'quiet staged worktree', 'source'),
  reset: optionsOf('q', '', 'quiet soft mixed hard keep', ''),
  clean: optionsOf('fdxXnq', '', 'force dry-run quiet', ''),
  rm: optionsOf('rfqn', '', 'cached force quiet dry-run', ''),
  mv: optionsOf('fkvn', '', 'force verbose dry-run', ''),
  merge: optionsOf('q', 'm', 'ff-only no-ff squash abort no-edit quiet no-commit', ''),
  stash: optionsOf('qu', 'm', 'quiet include-untracked', 'message'),
  gc: optionsOf('q', '', 'quiet auto', ''),
};
