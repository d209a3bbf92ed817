export type Severity = 'error' | 'warning';

interface CodeRow {
  readonly severity: Severity;
  readonly meaning: string;
  readonly remedy: string;
}

const error = (meaning: string, remedy: string): CodeRow => ({ severity: 'error', meaning, remedy });
const warning = (meaning: string, remedy: string): CodeRow => ({ severity: 'warning', meaning, remedy });

/** Every problem a workflow or its run can have. Codes never change once released. */
export const workflowCodes = {
  'USER.INPUT.MISSING_FILE': error('The file does not exist.', 'Correct the path.'),
  'USER.INPUT.VALIDATION_FAILED': error(
    'An input is missing or invalid.',
    'Pass a valid value with `-i name=value`.',
  ),
  'USER.INPUT.MISSING_ENV': warning(
    'An environment variable listed under `env` is not set.',
    'Set it before you run the workflow.',
  ),
  'USER.INPUT.MISSING_SKILL': error(
    'The skill has no folder, or its SKILL.md is missing or empty.',
    'Create `.tidegate/skills/<name>/SKILL.md`, or correct the name.',
  ),
  'USER.INPUT.MISSING_ROLE': error(
    'The role has no folder, or its AGENTS.md is missing or empty.',
    'Create `.tidegate/roles/<name>/AGENTS.md`, or correct the name.',
  ),
  'USER.MCP_PROXY.UNKNOWN_KEY': error(
    'Unknown key in `mcp_proxy` or `tidegate`.',
    'Remove or correct the key.',
  ),
  'USER.MCP_PROXY.UNKNOWN_PLUGIN': error(
    'The plugin is neither declared nor installed.',
    'Correct the name. Run `tidegate plugin list` to see the available plugins.',
  ),
  'USER.MCP_PROXY.UNKNOWN_OPERATION': error(
    'The plugin has no such operation.',
    'Correct the operation name.',
  ),
  'USER.MCP_PROXY.NAME_COLLISION': error(
    'Two tools of the step have the same name.',
    'Expose only one of them.',
  ),
  'USER.MCP_PROXY.EMPTY_PROXY': error(
    '`mcp_proxy` is enabled but provides no tools.',
    'List operations under `plugin_tools[].expose`, leave `intercept_builtins` on, or remove `mcp_proxy`.',
  ),
  'USER.MCP_PROXY.UNSUPPORTED_PROVIDER': warning(
    'This agent has not been verified to use only tools provided by Tidegate.',
    'Verify it with `tidegate doctor --agent all`. Until then, the agent may still use its own tools.',
  ),
  'USER.PLUGIN.UNAVAILABLE': error(
    'A plugin required by a step is not available.',
    'Check it with `tidegate plugin list`. If it is untrusted, run `tidegate plugin trust <name>`.',
  ),
  'USER.MCP_PROXY.INFINITE_LOOP_GUARD': error(
    'The agent is stuck in a loop: empty calls, too many turns, or the same call over and over.',
    'Change the prompt, or raise `options.max_turns`.',
  ),
  'WORKFLOW.PARSE.YAML_SYNTAX': error(
    'The file is not valid YAML.',
    'Check the indentation, quotes and brackets at this position.',
  ),
  'WORKFLOW.PARSE.UNKNOWN_FIELD': warning('Unknown key. It has no effect.', 'Remove or correct the key.'),
  'WORKFLOW.PARSE.IDLE_FIELD': warning('The key has no effect here.', 'Remove the key.'),
  'WORKFLOW.PARSE.INVALID_VALUE': error(
    'The value is not valid for this key.',
    'See docs/reference/workflow.md for the allowed values.',
  ),
  'WORKFLOW.PARSE.MISSING_FIELD': error('A required key is missing.', 'Add the key.'),
  'WORKFLOW.PARSE.CONFLICTING_FIELDS': error('Two keys cannot be used together.', 'Keep one of them.'),
  'WORKFLOW.PARSE.BAD_TEMPLATE': error(
    'A `{{ }}` template is not valid.',
    'Correct the part inside the braces.',
  ),
  'WORKFLOW.PARSE.BAD_EXPRESSION': error(
    'An expression is not valid.',
    'Use a form such as `states.build.ExitCode == 0 and inputs.mode in ["a", "b"]`.',
  ),
  'WORKFLOW.VALIDATION.MISSING_STATE': error(
    'The workflow refers to a state that does not exist.',
    'Correct the name.',
  ),
  'WORKFLOW.VALIDATION.INVALID_TRANSITION': error(
    'A state has no next state, or cannot go to the one it names.',
    'Add `on_success`, `on_failure` or `transitions`.',
  ),
  'WORKFLOW.VALIDATION.CYCLE_DETECTED': warning(
    'States form a cycle.',
    'Make sure a condition ends the cycle.',
  ),
  'WORKFLOW.VALIDATION.UNREACHABLE_STATE': warning(
    'No transition leads to this state.',
    'Remove the state, or add a transition to it.',
  ),
  'WORKFLOW.VALIDATION.NO_TERMINAL_STATE': error(
    'No terminal state can be reached from the initial state.',
    'Add a state with `type: terminal` and a transition to it.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_INPUT': error(
    'The input is not declared.',
    'Declare it under `inputs`, or correct the name.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_STEP': error(
    'A template or expression refers to a state that does not exist.',
    'Correct the name.',
  ),
  'WORKFLOW.VALIDATION.FORWARD_REFERENCE': error(
    'The result of a state is used before that state can have run.',
    'Use it in a later state.',
  ),
  'WORKFLOW.VALIDATION.INVALID_PROPERTY': error(
    'Unknown property.',
    'Correct the name. See docs/reference/workflow.md for all properties.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_REFERENCE': error(
    'Unknown namespace or function.',
    'Correct the name. See docs/reference/workflow.md for all namespaces and functions.',
  ),
  'WORKFLOW.VALIDATION.ERROR_OUTSIDE_HOOK': error(
    '`error` is only available in `workflow_error` hooks.',
    'Use `states.<name>` elsewhere.',
  ),
  'WORKFLOW.VALIDATION.LOOP_OUTSIDE_LOOP': warning(
    '`loop` is used outside a loop body. The step fails when it runs.',
    'Move the step into the `body` of a `for_each` or `while` state, or use an input.',
  ),
  'WORKFLOW.VALIDATION.UNSAFE_COMMAND': warning(
    'An external value is inserted into a command without escaping, so a shell would execute it.',
    'Use `{{escape …}}`, or read the environment variable of the input.',
  ),
  'WORKFLOW.VALIDATION.UNSAFE_ENDPOINT': warning(
    'An external value determines where an API key or a request is sent, which environment variable is sent as the API key, which program is started, or what an agent may do with its own tools. Such a workflow cannot be trusted.',
    'Use a fixed value (for a URL, at least the scheme, the host and the slash after it), or read it from the environment: `{{.env.NAME}}`.',
  ),
  'WORKFLOW.VALIDATION.NATIVE_REFUSED': warning(
    'An agent keeps its own tools, and its permissions deny writes or commands. The step still succeeds; its result lists the denied calls.',
    'Set `options.native_permissions` to read, edit or full.',
  ),
  'WORKFLOW.VALIDATION.UNDEFINED_SUBWORKFLOW': error(
    'The called workflow cannot be found.',
    'Correct the name, or create the file.',
  ),
  'WORKFLOW.VALIDATION.CIRCULAR_CALL': warning(
    'Workflows call each other in a cycle. A run fails at the call that closes the cycle.',
    'Remove one of the calls.',
  ),
  'WORKFLOW.VALIDATION.NESTING_TOO_DEEP': error(
    'Workflow calls are nested too deeply.',
    'Reduce the nesting of workflow calls.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_TEMPLATE': error(
    'The template cannot be found, or it uses itself.',
    'Correct the name, or create the file under `templates/`.',
  ),
  'WORKFLOW.VALIDATION.MISSING_PARAMETER': error(
    'A template parameter is missing or unknown.',
    'Pass the parameters that the template declares.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_PROVIDER': error(
    'Unknown provider.',
    'Set `provider` to openai, claude, gemini, codex or opencode.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_PROFILE': error(
    'Unknown profile.',
    'Run `tidegate profile list` to see the available profiles.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_TOOL': warning(
    'No tool matches this name or pattern.',
    'Correct the name. Run `tidegate tools list` to see the available tools.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_SERVER': error(
    'The server is not configured.',
    'Run `tidegate servers` to see the configured servers.',
  ),
  'WORKFLOW.VALIDATION.UNKNOWN_STEP_TYPE': error('No plugin provides this step type.', 'Correct the type.'),
  'WORKFLOW.VALIDATION.PLUGIN_RULE': error(
    'A plugin validator rejected the step.',
    'Follow the message from the plugin.',
  ),
  'WORKFLOW.VALIDATION.CHECK_SKIPPED': warning(
    'A check was skipped.',
    'Validate again without --skip-plugins, or trust the plugin first.',
  ),
  'EXECUTION.COMMAND.FAILED': error(
    'A command exited with a non-zero status.',
    'Check the output of the command.',
  ),
  'EXECUTION.COMMAND.TIMEOUT': error('A step exceeded its time limit.', 'Raise its `timeout`.'),
  'EXECUTION.COMMAND.NO_SANDBOX': error(
    'An agent started the run, but the sandbox its commands require is not available.',
    'Run the workflow yourself, fix the sandbox (`tidegate doctor --only sandbox`), or set `workflows.<name>.sandbox: off`.',
  ),
  'EXECUTION.PARALLEL.PARTIAL_FAILURE': error('A parallel branch failed.', 'Check the error of the branch.'),
  'EXECUTION.AGENT.FAILED': error('The agent failed.', 'Check the error from the agent or model.'),
  'EXECUTION.AGENT.UNAVAILABLE': error(
    'The model could not be reached.',
    'Check `options.base_url` and the API key.',
  ),
  'EXECUTION.AGENT.UNAUTHORIZED': error(
    'The model rejected the API key.',
    'Set a valid API key in the environment.',
  ),
  'EXECUTION.AGENT.CONTEXT_LIMIT': error(
    'The conversation exceeds the context window of the model.',
    'Send less text, or use a model with a larger context window.',
  ),
  'EXECUTION.AGENT.BAD_RESPONSE': error(
    'The response from the model is not valid.',
    'Check `options.base_url`.',
  ),
  'EXECUTION.AGENT.BAD_OUTPUT': error(
    'The answer does not match the requested output format.',
    'Change the prompt.',
  ),
  'EXECUTION.AGENT.BYPASSED': error(
    'The agent used, or could use, its own tools instead of those from Tidegate.',
    'Run `tidegate doctor --agent <name>`, or set `tidegate: {allow_native: true}` to allow this.',
  ),
  'EXECUTION.AGENT.NOT_ISOLATED': error(
    'An agent started the run, and an agent step would have tools that bypass Tidegate.',
    'Give the step `mcp_proxy: {enable: true}` or a `tidegate:` block without `allow_native`, or run the workflow yourself with `tidegate run`.',
  ),
  'EXECUTION.AGENT.UNSUPPORTED': error(
    'Tidegate cannot run this provider. `validate` warns about it.',
    'Use openai, claude, gemini, codex or opencode.',
  ),
  'EXECUTION.OPERATION.UNSUPPORTED': error(
    'Tidegate does not support this built-in AWF operation. `validate` warns about it.',
    'Use a `command` step, or add a plugin that provides this operation.',
  ),
  'EXECUTION.OPERATION.FAILED': error('An operation failed.', 'Check the error of the operation.'),
  'EXECUTION.PLUGIN.FAILED': error('A plugin step failed.', 'Check the error from the plugin.'),
  'EXECUTION.LOOP.FAILED': error('A step in a loop body failed.', 'Check the error of that step.'),
  'EXECUTION.CALL.FAILED': error('The called workflow failed.', 'Check the error of that workflow.'),
  'EXECUTION.STEP.DEPENDENCY': error(
    'A step ran before a step it depends on had finished.',
    'Make sure the dependency runs first.',
  ),
  'EXECUTION.STEP.BAD_VALUE': error(
    'A template or an expression could not be evaluated.',
    'Correct it, or the values it uses.',
  ),
  'EXECUTION.WORKFLOW.FAILED': error(
    'The workflow ended in a failure state.',
    'Check the message of its last state.',
  ),
  'EXECUTION.WORKFLOW.TOO_MANY_STEPS': error(
    'The run exceeded the maximum number of steps.',
    'Look for states that form an endless cycle.',
  ),
  'EXECUTION.WORKFLOW.CHANGED': error(
    'A file of a trusted workflow changed after it was trusted.',
    'Review the change, then run `tidegate trust <workflow>`.',
  ),
  'EXECUTION.WORKFLOW.CANCELLED': error(
    'The run was stopped.',
    'Continue with `tidegate run --resume <run>`.',
  ),
  'SYSTEM.IO.WRITE_FAILED': error('A file cannot be written.', 'Check free disk space and file permissions.'),
  'SYSTEM.INTERNAL.UNMAPPED': error('Internal error in Tidegate.', 'Report a bug and include the message.'),
} as const satisfies Readonly<Record<string, CodeRow>>;

export type WorkflowCode = keyof typeof workflowCodes;

const exits: Readonly<Record<string, number>> = { USER: 1, WORKFLOW: 2, EXECUTION: 3, SYSTEM: 4 };

/** Exit status of a command that stopped with this code. */
export function exitOfCode(code: WorkflowCode): number {
  return exits[code.slice(0, code.indexOf('.'))] ?? 1;
}
