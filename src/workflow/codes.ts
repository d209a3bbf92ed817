export type Severity = 'error' | 'warning';

interface CodeRow {
  readonly severity: Severity;
  readonly meaning: string;
  readonly remedy: string;
}

const error = (meaning: string, remedy: string): CodeRow => ({ severity: 'error', meaning, remedy });
const warning = (meaning: string, remedy: string): CodeRow => ({ severity: 'warning', meaning, remedy });

/** Everything that can be wrong with a workflow or its run. Codes never change once released. */
export const workflowCodes = {
  'USER.INPUT.MISSING_FILE': error('A file that was named does not exist.', 'Correct the path.'),
  'USER.INPUT.VALIDATION_FAILED': error(
    'An input is missing or does not fit its rules.',
    'Give the input with `-i name=value`.',
  ),
  'USER.INPUT.MISSING_ENV': warning(
    'A variable that the workflow lists under `env` is not set.',
    'Set it before the run.',
  ),
  'USER.INPUT.MISSING_SKILL': error(
    'A skill has no folder with a SKILL.md that says something.',
    'Create `.tidegate/skills/<name>/SKILL.md`, or correct the name.',
  ),
  'USER.INPUT.MISSING_ROLE': error(
    'A role has no folder with an AGENTS.md that says something.',
    'Create `.tidegate/roles/<name>/AGENTS.md`, or correct the name.',
  ),
  'USER.MCP_PROXY.UNKNOWN_KEY': error(
    'A key of `mcp_proxy` or `tidegate` is not known.',
    'Remove or correct it.',
  ),
  'USER.MCP_PROXY.UNKNOWN_PLUGIN': error(
    'No plugin of that name is declared or found.',
    'Correct the name; `tidegate plugin list` shows what there is.',
  ),
  'USER.MCP_PROXY.UNKNOWN_OPERATION': error(
    'The plugin has no operation of that name.',
    'Correct the name in `expose`.',
  ),
  'USER.MCP_PROXY.NAME_COLLISION': error(
    'Two tools of the step would have the same name.',
    'Expose only one of them.',
  ),
  'USER.MCP_PROXY.EMPTY_PROXY': error(
    'The proxy is enabled and would offer nothing.',
    'Add `plugin_tools`, or leave `intercept_builtins` on, or remove the block.',
  ),
  'USER.MCP_PROXY.UNSUPPORTED_PROVIDER': warning(
    'Nothing proves that an agent of this provider has no other tools than those of the gate.',
    'Try it: `tidegate doctor --agent all`. Until then its own tools may remain.',
  ),
  'USER.PLUGIN.UNAVAILABLE': error(
    'A plugin that a step needs cannot be used.',
    'See its state with `tidegate plugin list`; `tidegate plugin trust <name>` trusts it.',
  ),
  'USER.MCP_PROXY.INFINITE_LOOP_GUARD': error(
    'The agent went in circles: calls without content, too many turns, or the same call again and again.',
    'Change the prompt, or raise `options.max_turns`.',
  ),
  'WORKFLOW.PARSE.YAML_SYNTAX': error(
    'The file is not sound YAML.',
    'Look at the indentation, the quotes and the brackets there.',
  ),
  'WORKFLOW.PARSE.UNKNOWN_FIELD': warning('A key is not known and has no effect.', 'Remove or correct it.'),
  'WORKFLOW.PARSE.IDLE_FIELD': warning('A key has no effect in this place.', 'Remove it.'),
  'WORKFLOW.PARSE.INVALID_VALUE': error(
    'A value is not one that its key takes.',
    'The reference says what each key takes: docs/reference/workflow.md.',
  ),
  'WORKFLOW.PARSE.MISSING_FIELD': error('A key that is needed is missing.', 'Add it.'),
  'WORKFLOW.PARSE.CONFLICTING_FIELDS': error('Two keys exclude each other.', 'Keep one of them.'),
  'WORKFLOW.PARSE.BAD_TEMPLATE': error(
    'A text with {{ }} cannot be read.',
    'Correct what stands in the braces.',
  ),
  'WORKFLOW.PARSE.BAD_EXPRESSION': error(
    'An expression cannot be read.',
    'Write it like `states.build.ExitCode == 0 and inputs.mode in ["a", "b"]`.',
  ),
  'WORKFLOW.VALIDATION.MISSING_STATE': error('A state that is named does not exist.', 'Correct the name.'),
  'WORKFLOW.VALIDATION.INVALID_TRANSITION': error(
    'A state has no way on, or one that it cannot take.',
    'Add `on_success`, `on_failure` or `transitions`.',
  ),
  'WORKFLOW.VALIDATION.CYCLE_DETECTED': warning(
    'States lead back to where they came from.',
    'Make sure that a condition ends it.',
  ),
  'WORKFLOW.VALIDATION.UNREACHABLE_STATE': warning('Nothing leads to a state.', 'Remove it, or lead to it.'),
  'WORKFLOW.VALIDATION.NO_TERMINAL_STATE': error(
    'No terminal state can be reached from the first state.',
    'Add a state of `type: terminal` and lead to it.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_INPUT': error(
    'An input that is used is not declared.',
    'Declare it under `inputs`, or correct the name.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_STEP': error('A state that is used does not exist.', 'Correct the name.'),
  'WORKFLOW.VALIDATION.FORWARD_REFERENCE': error(
    'A result is used before its state can have run.',
    'Use it in a state that comes later.',
  ),
  'WORKFLOW.VALIDATION.INVALID_PROPERTY': error(
    'There is no such property.',
    'Correct the name; docs/reference/workflow.md says what each of them means.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_REFERENCE': error(
    'There is no such namespace or function.',
    'Correct the name; docs/reference/workflow.md says what texts can use.',
  ),
  'WORKFLOW.VALIDATION.ERROR_OUTSIDE_HOOK': error(
    '`error` is known in the hooks of `workflow_error` only.',
    'Use `states.<name>` elsewhere.',
  ),
  'WORKFLOW.VALIDATION.LOOP_OUTSIDE_LOOP': error(
    '`loop` is known in the body of a loop only.',
    'Move it into a body, or use an input.',
  ),
  'WORKFLOW.VALIDATION.UNSAFE_COMMAND': warning(
    'A value from outside enters a command as it is: a shell would run what stands in it.',
    'Write `{{escape …}}`, or use the environment variable of the input.',
  ),
  'WORKFLOW.VALIDATION.UNSAFE_ENDPOINT': warning(
    'A value from outside chooses where a key is sent, or which variable is sent as the key.',
    'Write the value, or take it from the environment: `{{.env.NAME}}`.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_SUBWORKFLOW': error(
    'The workflow that is called cannot be found.',
    'Correct the name, or create the file.',
  ),
  'WORKFLOW.VALIDATION.CIRCULAR_CALL': error('Workflows call each other in a circle.', 'Break the circle.'),
  'WORKFLOW.VALIDATION.NESTING_TOO_DEEP': error(
    'Calls of workflows are nested too deeply.',
    'Call fewer levels.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_TEMPLATE': error(
    'The template cannot be found, or names itself.',
    'Correct the name, or create the file under `templates/`.',
  ),
  'WORKFLOW.VALIDATION.MISSING_PARAMETER': error(
    'A parameter of the template is missing or unknown.',
    'Give what the template declares.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_PROVIDER': error(
    'There is no such provider.',
    'Correct `provider`: openai, claude, gemini, codex and opencode can be run.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_PROFILE': error('There is no such profile.', 'See `tidegate profile list`.'),
  'WORKFLOW.VALIDATION.UNKNOWN_TOOL': warning(
    'No tool has a name that fits what an agent was given.',
    'Correct the name; `tidegate tools list` shows what there is.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_SERVER': error('No such server is configured.', 'See `tidegate servers`.'),
  'WORKFLOW.VALIDATION.UNKNOWN_STEP_TYPE': error('No plugin has such a type of step.', 'Correct the type.'),
  'WORKFLOW.VALIDATION.PLUGIN_RULE': error('A validator of a plugin objects.', 'See what the plugin says.'),
  'WORKFLOW.VALIDATION.CHECK_SKIPPED': warning(
    'Something could not be checked.',
    'Check again without --skip-plugins, or with the plugin trusted.',
  ),
  'EXECUTION.COMMAND.FAILED': error('A command ended with a status other than 0.', 'Read what it wrote.'),
  'EXECUTION.COMMAND.TIMEOUT': error('A step took longer than it was given.', 'Raise its `timeout`.'),
  'EXECUTION.PARALLEL.PARTIAL_FAILURE': error('A branch failed.', 'Read what the branch says.'),
  'EXECUTION.AGENT.FAILED': error('The agent could not do its turn.', 'Read what the model said.'),
  'EXECUTION.AGENT.UNAVAILABLE': error(
    'The model could not be reached.',
    'Check `options.base_url` and the key.',
  ),
  'EXECUTION.AGENT.UNAUTHORIZED': error('The model refused the key.', 'Set the key in the environment.'),
  'EXECUTION.AGENT.CONTEXT_LIMIT': error(
    'The conversation is longer than the model can take.',
    'Give it less, or another model.',
  ),
  'EXECUTION.AGENT.BAD_RESPONSE': error('What the model sent cannot be read.', 'Check `options.base_url`.'),
  'EXECUTION.AGENT.BAD_OUTPUT': error(
    'The answer is not of the form that was asked for.',
    'Change the prompt.',
  ),
  'EXECUTION.AGENT.BYPASSED': error(
    'A tool of the agent itself ran, or could run, beside the gate.',
    'Look with `tidegate doctor --agent <name>`; `tidegate: {allow_native: true}` lets the step go on all the same.',
  ),
  'EXECUTION.AGENT.UNSUPPORTED': error('This provider cannot be run here.', 'Use another provider.'),
  'EXECUTION.OPERATION.FAILED': error('An operation failed.', 'Read what it says.'),
  'EXECUTION.PLUGIN.FAILED': error('A step of a plugin failed.', 'Read what it says.'),
  'EXECUTION.LOOP.FAILED': error('A step in the body of a loop failed.', 'Read what the step says.'),
  'EXECUTION.CALL.FAILED': error('The called workflow failed.', 'Read what it says.'),
  'EXECUTION.STEP.DEPENDENCY': error(
    'A step was reached before one that it depends on was done.',
    'Lead through what it depends on first.',
  ),
  'EXECUTION.STEP.BAD_VALUE': error(
    'A text or an expression of a step could not be worked out.',
    'Correct it, or what it uses.',
  ),
  'EXECUTION.WORKFLOW.FAILED': error('The workflow ended in failure.', 'Read the message of its last state.'),
  'EXECUTION.WORKFLOW.TOO_MANY_STEPS': error(
    'The run went through too many steps.',
    'Look for an endless circle.',
  ),
  'EXECUTION.WORKFLOW.CHANGED': error(
    'A file of a trusted workflow was changed while it ran.',
    'Read the change, then run `tidegate trust <workflow>`.',
  ),
  'EXECUTION.WORKFLOW.CANCELLED': error('The run was stopped.', 'Go on with `tidegate run --resume <run>`.'),
  'SYSTEM.IO.WRITE_FAILED': error('A file cannot be written.', 'Check the disk and the permissions.'),
  'SYSTEM.INTERNAL.UNMAPPED': error('A defect of Tidegate.', 'Report it with the message.'),
} as const satisfies Readonly<Record<string, CodeRow>>;

export type WorkflowCode = keyof typeof workflowCodes;

const exits: Readonly<Record<string, number>> = { USER: 1, WORKFLOW: 2, EXECUTION: 3, SYSTEM: 4 };

/** How a command ends that stopped with this code. */
export function exitOfCode(code: WorkflowCode): number {
  return exits[code.slice(0, code.indexOf('.'))] ?? 1;
}
