import { isRecord } from '../../lib/is-record.js';
import type { StepResult } from './result.js';

type Values = Readonly<Record<string, unknown>>;

export const runEnds = ['completed', 'failed', 'cancelled'] as const;
const ends: readonly unknown[] = runEnds;

/** Whether a journal record is valid: the file may have been edited. */
export function isWhole(record: Values): boolean {
  switch (record['kind']) {
    case 'run':
      return isHead(record);
    case 'step':
      return areTexts(record, 'key', 'name') && isResult(record['result']) && isWay(record['next']);
    case 'decision':
      return areTexts(record, 'key');
    case 'resumed':
      return areTexts(record, 'at');
    case 'end':
      return isEnd(record['end']);
    default:
      return true;
  }
}

function isHead(head: Values): boolean {
  const { withheld, text, profile, rights, gateway } = head;
  return (
    areTexts(head, 'id', 'name', 'file', 'sha256', 'cwd', 'startedAt', 'version', 'startedBy') &&
    isRecord(head['inputs']) &&
    Array.isArray(withheld) &&
    withheld.every((name) => typeof name === 'string') &&
    isTextOrNothing(text) &&
    isTextOrNothing(profile) &&
    (rights === undefined || (Array.isArray(rights) && rights.length > 0 && rights.every(isLink))) &&
    (gateway === undefined || isGateway(gateway))
  );
}

/** Unreadable limits must not turn into none. */
function isGateway(gateway: unknown): boolean {
  return isRecord(gateway) && isTextOrNothing(gateway['config']) && areTextsOrNothing(gateway['tools']);
}

function areTextsOrNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/** An unreadable delegation must not turn into one without limits. */
function isLink(link: unknown): boolean {
  if (!isRecord(link) || !isRecord(link['principal'])) return false;
  const { principal, rights, profile, tools, tokenId } = link;
  return (
    areTexts(principal, 'kind', 'id', 'zone') &&
    (rights === 'own' || rights === 'inherited' || rights === 'all') &&
    isTextOrNothing(profile) &&
    isTextOrNothing(tokenId) &&
    areTextsOrNothing(tools)
  );
}

function isResult(result: unknown): result is StepResult {
  if (!isRecord(result)) return false;
  const { error } = result;
  return (
    ends.includes(result['status']) &&
    areTexts(result, 'output', 'stderr', 'startedAt') &&
    areNumbers(result, 'exitCode', 'attempts', 'ms') &&
    isRecord(result['response']) &&
    (error === undefined || (isRecord(error) && areTexts(error, 'code', 'message')))
  );
}

function isEnd(end: unknown): boolean {
  if (!isRecord(end)) return false;
  const { message, code, outputs } = end;
  const isGiven = outputs === undefined || isRecord(outputs);
  return (
    ends.includes(end['status']) &&
    areTexts(end, 'at') &&
    areNumbers(end, 'ms', 'exitCode') &&
    isTextOrNothing(message) &&
    isTextOrNothing(code) &&
    isGiven
  );
}

function isWay(way: unknown): boolean {
  return way === undefined || (isRecord(way) && areTexts(way, 'to'));
}

function areTexts(values: Values, ...names: readonly string[]): boolean {
  return names.every((name) => typeof values[name] === 'string');
}

function areNumbers(values: Values, ...names: readonly string[]): boolean {
  return names.every((name) => typeof values[name] === 'number');
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
