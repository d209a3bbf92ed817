/** A command line, as somebody types it at a terminal. */
export interface Example {
  readonly words: readonly string[];
  /** Where: a folder that has everything (the usual one), or one in which nothing was done yet. */
  readonly at?: 'empty';
  /** What is typed once the word is seen: an answer to its question, or Ctrl+C. */
  readonly types?: { readonly after: string; readonly text: string };
}

/** Names that only the place itself knows. */
export interface Known {
  readonly token: string;
  readonly doneRun: string;
  readonly failedRun: string;
}

const interrupt = '\u0003';
const end = '\u0004';
const hello = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const no = { after: '[y/N]', text: 'n\r' };

function at(place: 'full' | 'empty', ...lines: readonly string[]): readonly Example[] {
  return lines.map((line) => ({ words: splitWords(line), ...(place === 'empty' && { at: place }) }));
}

/** Words are divided by blanks; those in single quotes are one. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

/** What works, in the order in which one prepares the next. */
export function goodExamples({ token, doneRun, failedRun }: Known): readonly Example[] {
  return [
    ...at(
      'full',
      'tools list',
      'tools list --as agent:alice',
      'tools show Read',
      'tools show office_create_invoice',
      'tools show names_long',
      'tools search create an invoice',
      'tools search',
      'tools call office_create_invoice id=7',
      'tools call names_long',
      'tools cost',
      'tools cost --server office --top 60',
      'tools new count_words',
      'servers',
      'servers office',
      'logout hub',
      'context',
      'context --client opencode',
      'doctor',
      'plugin list',
      'plugin show peer',
      'plugin call peer echo text=hello',
      'plugin disable peer',
      'plugin enable peer',
      'plugin new hello',
      'profile list',
      'profile show coding',
      'profile show reviewing --resolved',
      'profile assign agent:bob reviewing',
      'profile inspect agent:alice',
      'grant agent:alice Bash --until 8h',
      'grant agent:bob office_* --see',
      'grant role:devs office_*',
      'check agent:alice Read',
      'explain agent:alice Bash',
      'explain agent:alice office_create_invoice',
      'explain provider.unavailable',
      'explain EXECUTION.COMMAND.FAILED',
      'revoke agent:alice Bash',
      'revoke agent:bob office_* --block',
      'access export',
      'access import grants.yaml --dry-run',
      'access import grants.yaml',
      'access test access-tests.yaml',
      'access accept-store',
      'audit',
      'audit --denied',
      'audit prune --older-than 1y --dry-run',
      'token create --as agent:alice --profile coding --expires 30d --label nightly',
      'token list',
      `token show ${token}`,
      `token attenuate --from ${token} --tools Read,Grep --expires 1h`,
      `token rotate ${token}`,
      'trust --list',
      'secrets list',
      'run deploy',
      'run deploy --dry-run',
      'run wide',
      'runs list',
      `runs show ${doneRun}`,
      `runs show ${failedRun}`,
      'validate',
      'validate deploy',
      'config check',
      'config path',
      'completion bash',
      'import --dry-run',
      'import --point --yes --dry-run --secrets keep',
      'init --dry-run --yes',
    ),
    { words: ['init'], at: 'empty', types: no },
    { words: ['trust'], types: no },
    { words: ['trust', 'other.yaml'], types: no },
    { words: ['secrets', 'set', 'HUB_TOKEN'], types: { after: 'HUB_TOKEN', text: 'value\r' } },
    { words: ['secrets', 'forget', 'HUB_TOKEN'] },
    { words: ['serve', '--port', '0'], types: { after: 'http://', text: interrupt } },
    { words: ['mcp'], types: { after: '', text: end } },
    { words: ['mcp', '--via', 'http://127.0.0.1:9/mcp'], types: { after: '', text: `${hello}\r${end}` } },
  ];
}

/** What is said where there is nothing yet. */
export const emptyExamples: readonly Example[] = at(
  'empty',
  'tools list',
  'tools cost',
  'tools search create an invoice',
  'servers',
  'context',
  'doctor',
  'plugin list',
  'plugin trust',
  'profile list',
  'profile inspect agent:alice',
  'access export',
  'audit',
  'token list',
  'trust --list',
  'trust',
  'secrets list',
  'runs list',
  'validate',
  'config check',
  'config path',
  'import',
  'import --undo',
  'logout hub',
  'init --dry-run --yes',
);

/** The most common mistakes. */
export const wrongExamples: readonly Example[] = at(
  'full',
  'tols list',
  'tools lst',
  'tools list --jsn',
  'tools show',
  'tools show Raed',
  'tools call office_create_invoice idd=7',
  "tools call office_create_invoice '{bad'",
  'tools call away_x --config troubled.yaml',
  'tools list --config troubled.yaml',
  'tools cost --config troubled.yaml',
  'tools cost --top many',
  'tools new Count-Words',
  'tools search zzzzzz qqqqq',
  'servers offce',
  'servers --config troubled.yaml',
  'context --config troubled.yaml',
  'doctor --config troubled.yaml',
  'doctor --only nonsense',
  'login office',
  'login hub',
  'logout offce',
  'exec claud',
  'exec claude',
  'plugin show pear',
  'plugin call peer ech text=1',
  'plugin trust pear',
  'plugin enable pear',
  'plugin new Hello_World',
  'profile show codin',
  'profile assign alice coding',
  'profile assign agent:alice codin',
  'profile inspect alice',
  'grant alice Bash',
  'grant agent:alice Bsh',
  'grant agent:alice',
  'revoke agent:alice Nothing',
  'check agent:carol Bash',
  'check agent:carol Bsh',
  'explain agent:carol Bash',
  'explain provider.unavailabel',
  'access import no-such-file.yaml',
  'access import bad-grants.yaml',
  'access test no-such-file.yaml',
  'audit --limit many',
  'audit prune',
  'token create',
  'token create --as alice',
  'token show tok_nothere12345',
  'token revoke tok_nothere12345',
  'token rotate tok_nothere12345',
  'token attenuate --from tok_nothere12345',
  'trust no-such-file.yaml',
  'trust --yes --forget',
  'secrets forget NOTHING',
  'run',
  'run deplyo',
  'run broken',
  'run fails',
  'run --agent claude',
  'runs show nothing',
  'validate broken',
  'validate no-such-file.yaml',
  'config check broken-config.yaml',
  'config check no-such-file.yaml',
  'tools list --config untrusted.yaml',
  'serve --port 99999',
  'import clade',
  'import --scope nobody',
  'import --undo --dry-run',
  'completion tcsh',
);
