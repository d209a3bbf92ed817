import { shellWord } from '../lib/shell-word.js';
import { AgentFailure, type AgentFailureCode } from './agent.js';
import type { AgentCli, LaunchSettings } from './launch.js';
import { contextLimitPattern } from './openai/request-error.js';

/** Launch facts that help to locate a problem. */
export type Asked = Pick<LaunchSettings, 'endpoint' | 'env'>;

const noKey =
  /(?:status|error|code|http)\D{0,12}401\b|\b401 unauthori[sz]ed|unauthenticated|not logged in|please run \/login|invalid (?:x-)?api[ _-]?key|authentication[ _](?:failed|error)|api[ _]key (?:is )?(?:not (?:valid|set|found)|missing)|missing environment variable|(?:set an|invalid) auth method|must (?:specify|set) .{0,20}api[ _]key/i;
const noAnswer =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|connection ?(?:error|failed|refused|reset|timed out)|(?:unable to|cannot) connect|fetch failed|error sending request|waiting for network|no answer/i;
const tooBusy =
  /(?:status|error|code|http)\D{0,12}(?:429|5\d\d)\b|overloaded|rate.?limit|quota|RESOURCE_EXHAUSTED/i;

export function failed(cli: AgentCli, why: string): AgentFailure {
  return new AgentFailure('EXECUTION.AGENT.FAILED', sentence(`${cli.title} failed: ${oneLine(why)}`));
}

/** The CLI ended before any output or request: resuming the run would fail the same way. */
export function notStarted(cli: AgentCli, failure: AgentFailure): AgentFailure {
  if (failure.code !== 'EXECUTION.AGENT.FAILED') return failure;
  const next = `reinstall it (${cli.install}), then: tidegate doctor --agent ${shellWord(cli.name)}`;
  return new AgentFailure(failure.code, failure.message, next);
}

/** Maps the error output of a CLI to a failure code. */
export function failureOf(cli: AgentCli, asked: Asked, output: string, status?: number): AgentFailure {
  const code = codeOf(output, status);
  if (code === 'EXECUTION.AGENT.UNAUTHORIZED') return unauthorized(cli, asked, output);
  if (code === 'EXECUTION.AGENT.UNAVAILABLE') return unavailable(cli, asked, output);
  return new AgentFailure(code, failed(cli, output).message);
}

export function unauthorized(cli: AgentCli, { endpoint }: Asked, why: string): AgentFailure {
  const next = endpoint === undefined ? cli.login : `set ${endpoint.keyEnv} to a valid API key`;
  return new AgentFailure('EXECUTION.AGENT.UNAUTHORIZED', failed(cli, why).message, next);
}

export function unavailable(cli: AgentCli, asked: Asked, why: string): AgentFailure {
  const address = addressOf(cli, asked);
  const where = address === undefined || why.includes(address) ? '' : ` (${address})`;
  const what = asked.endpoint === undefined ? cli.addressEnv : 'options.base_url';
  const next =
    address === undefined || what === undefined
      ? 'check your network connection and proxy settings'
      : `make sure a model responds at ${address}, or correct ${what}`;
  const message = sentence(`${cli.title} cannot reach its model: ${oneLine(why).replace(/\.$/, '')}${where}`);
  return new AgentFailure('EXECUTION.AGENT.UNAVAILABLE', message, next);
}

/** Whether the output means that the model did not respond. */
export function isNoAnswer(output: string): boolean {
  return noAnswer.test(output);
}

/** Address of the model, if configured. Leaves out any credentials in it. */
export function addressOf(cli: AgentCli, { endpoint, env }: Asked): string | undefined {
  const written = endpoint?.url ?? (cli.addressEnv === undefined ? undefined : env[cli.addressEnv]);
  if (written === undefined || !URL.canParse(written)) return undefined;
  const { origin, pathname } = new URL(written);
  return `${origin}${pathname}`.replace(/\/$/, '');
}

function codeOf(output: string, status: number | undefined): AgentFailureCode {
  if (status === 401 || noKey.test(output)) return 'EXECUTION.AGENT.UNAUTHORIZED';
  if (contextLimitPattern.test(output)) return 'EXECUTION.AGENT.CONTEXT_LIMIT';
  const isBusy = status === 429 || (status !== undefined && status >= 500) || tooBusy.test(output);
  return isBusy || noAnswer.test(output) ? 'EXECUTION.AGENT.UNAVAILABLE' : 'EXECUTION.AGENT.FAILED';
}

/** Joins indented lines, because a reason is part of a sentence. */
function oneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n]+\s*/g, ' ');
}

function sentence(text: string): string {
  return `${text}.`.replace(/\.\.$/, '.');
}
