import { type Finding, findingOf, hasErrors, orderedFindings, type Report } from '../finding.js';
import type { Workflow } from '../grammar/workflow.js';
import type { Library } from '../library.js';
import { checkAgents, type GatewayNames } from './agents.js';
import { checkCalls } from './calls.js';
import { checkFiles } from './files.js';
import { checkGraph } from './graph.js';
import { checkInputs } from './inputs.js';
import { checkPlugins, type PluginCheck } from './plugins.js';
import { checkReferences } from './references.js';

export interface ValidateParts extends PluginCheck {
  readonly library: Library;
  readonly names: GatewayNames;
  /** Unknown keys are errors. */
  readonly isStrict: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Content to use instead of the file. */
  readonly text?: string;
}

export interface Validated {
  readonly file: string;
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
  readonly isValid: boolean;
  readonly sha256?: string;
}

/** Finds all problems of a file and sorts them by position. */
export async function validateWorkflow(file: string, parts: ValidateParts): Promise<Validated> {
  const { library, names, env } = parts;
  const { workflow, findings: first, sha256 } = library.load(file, parts.text);
  const found: Finding[] = [...first];
  const report: Report = (flaw) => void found.push(findingOf(flaw));
  const isUnreadable =
    first.some(({ code }) => code === 'WORKFLOW.PARSE.YAML_SYNTAX') && workflow.steps.size === 0;
  if (!isUnreadable) {
    checkGraph(workflow, report);
    checkReferences(workflow, report);
    checkInputs(workflow, library.cwd, report);
    checkAgents(workflow, names, report);
    checkFiles(workflow, library, report);
    checkCalls(workflow, library, report);
    checkEnvironment(workflow, env, report);
    await checkPlugins(workflow, parts, report);
  }
  const findings = orderedFindings(withoutEchoes(found).map((finding) => strictly(finding, parts.isStrict)));
  return { file, workflow, findings, isValid: !hasErrors(findings), ...(sha256 !== undefined && { sha256 }) };
}

/** Removes name collisions that a plugin reports again at the same position. */
function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const known = new Set<string>();
  return findings.filter(({ code, file, line, column }) => {
    if (code !== 'USER.MCP_PROXY.NAME_COLLISION') return true;
    const key = `${file}:${line}:${column}`;
    return !known.has(key) && known.add(key);
  });
}

function strictly(finding: Finding, isStrict: boolean): Finding {
  const isUnknown =
    finding.code === 'WORKFLOW.PARSE.UNKNOWN_FIELD' || finding.code === 'WORKFLOW.PARSE.IDLE_FIELD';
  return isStrict && isUnknown ? { ...finding, severity: 'error' } : finding;
}

function checkEnvironment({ env: names, source }: Workflow, env: ValidateParts['env'], report: Report): void {
  const list =
    source.root.kind === 'map' ? source.root.entries.find(({ key }) => key === 'env')?.value : undefined;
  for (const [at, name] of names.entries()) {
    if (env[name] !== undefined) continue;
    const offset = list?.kind === 'list' ? (list.items[at]?.start ?? 0) : 0;
    report({
      code: 'USER.INPUT.MISSING_ENV',
      message: `${name} is not set.`,
      source,
      offset,
      path: ['env', at],
    });
  }
}
