import { messageOf } from '../../lib/error-message.js';
import type { PluginIssue, PluginWorkflow, ValidateLimits } from '../../ports/plugins.js';
import { type ValidationIssue, validatorService } from '../../plugin-protocol/index.js';
import { CallFailure } from './call-failure.js';
import { isFault, type PluginProvider } from './provider.js';

const usualMs = 5_000;

/** Asks one plugin to validate a workflow and each of its steps. A failure of the plugin becomes an issue. */
export async function askValidator(
  plugin: PluginProvider,
  workflow: PluginWorkflow,
  { signal, timeoutMs = usualMs }: ValidateLimits,
): Promise<readonly PluginIssue[]> {
  const { name, withoutSecrets } = plugin.options;
  const running = await plugin.use(signal);
  if (isFault(running)) return [{ plugin: name, severity: 'error', message: running.message }];
  const { validateWorkflow, validateStep } = validatorService;
  const limits = { ms: timeoutMs, signal };
  const json = Buffer.from(JSON.stringify(workflow));
  const issues: PluginIssue[] = [];
  try {
    const whole = await running.channel.call(validateWorkflow, { workflow_json: json }, limits);
    issues.push(...whole.issues.map((issue) => issueOf(name, issue)));
    for (const step of Object.keys(workflow.steps)) {
      const answer = await running.channel.call(
        validateStep,
        { workflow_json: json, step_name: step },
        limits,
      );
      issues.push(...answer.issues.map((issue) => issueOf(name, issue, step)));
    }
  } catch (failure) {
    void plugin.doubt(running, failure);
    const kind = failure instanceof CallFailure ? failure.kind : 'failed';
    const said = withoutSecrets(messageOf(failure));
    issues.push({
      plugin: name,
      severity: 'error',
      message: `The validator of the plugin failed (${kind}): ${said}`,
    });
  }
  return unique(issues);
}

function issueOf(plugin: string, issue: ValidationIssue, asked?: string): PluginIssue {
  const step = issue.step === '' ? asked : issue.step;
  return {
    plugin,
    severity: issue.severity === 1 ? 'warning' : issue.severity === 3 ? 'info' : 'error',
    message: issue.message,
    ...(step !== undefined && { step }),
    ...(issue.field !== '' && { field: issue.field }),
  };
}

/** Many validators report the same issue for the workflow and the step. */
function unique(issues: readonly PluginIssue[]): readonly PluginIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}
