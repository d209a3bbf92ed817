import { matchWithin } from '../../lib/pattern/match-within.js';
import { offsetAt, type Path } from '../../lib/tree.js';
import { quote } from '../../lib/source-place.js';
import type { Flaw, Report } from '../finding.js';
import { readInputs } from '../grammar/inputs.js';
import type { Workflow } from '../grammar/workflow.js';

/** Variables of shells, loaders and interpreters that would change every command of the workflow. */
const powerful = [
  /^(?:PATH|HOME|SHELL|IFS|ENV|CDPATH|PS4|ZDOTDIR|FPATH|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_.*|TMPDIR)$/,
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|OPENSSL_CONF|TIDEGATE_.*)$/,
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|npm_config_.*|NPM_CONFIG_.*|PYTHON[A-Z0-9]+|PERL5?[A-Z_]*)$/,
  /^(?:RUBYOPT|RUBYLIB|RUBYPATH|GEM_HOME|GEM_PATH|BUNDLE_GEMFILE|LUA_(?:INIT|PATH|CPATH).*|PHPRC|PHP_INI_SCAN_DIR)$/,
  /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS)$/,
  /^GIT_(?:SSH.*|CONFIG.*|EXEC_PATH|EXTERNAL_DIFF|.*EDITOR|PAGER|ASKPASS|PROXY_COMMAND|DIR|TEMPLATE_DIR)$/,
  /^(?:SSH_ASKPASS|EDITOR|VISUAL|PAGER|LESSOPEN|LESSCLOSE|MAKEFLAGS|MAKEFILES|RUSTC_WRAPPER|GOFLAGS)$/,
];

export function isPowerful(name: string): boolean {
  return powerful.some((names) => names.test(name));
}

/** Checks that rules are valid and defaults satisfy them. */
export function checkInputs(workflow: Workflow, cwd: string, report: Report): void {
  const { source, inputs } = workflow;
  const addFlaw = (code: Flaw['code'], path: Path, message: string): void =>
    report({ code, message, source, offset: offsetAt(source.root, path), path });
  for (const input of inputs) {
    const path = ['inputs', input.at];
    const { pattern } = input.validation ?? {};
    if (pattern !== undefined && matchWithin(pattern, '') === 'invalid') {
      addFlaw(
        'WORKFLOW.PARSE.INVALID_VALUE',
        [...path, 'validation', 'pattern'],
        `${quote(pattern)} is not a valid regular expression.`,
      );
    } else if (input.default !== undefined && input.default !== null) {
      for (const problem of readInputs([input], {}, cwd).problems)
        addFlaw('WORKFLOW.PARSE.INVALID_VALUE', [...path, 'default'], problem);
    }
    if (isPowerful(input.name)) {
      addFlaw(
        'WORKFLOW.PARSE.IDLE_FIELD',
        [...path, 'name'],
        `${quote(input.name)} is not passed to commands as an environment variable, because it would change how they run.`,
      );
    }
  }
}
