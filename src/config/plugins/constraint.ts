/** The AWF version that plugin constraints are checked against. It is independent of our own version. */
export const awfLevel = '0.10.0';

const versionShape = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const partShape = /^(>=|<=|!=|==|=|>|<)?\s*v?(\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?)$/;

export function isVersion(text: string): boolean {
  return versionShape.test(text);
}

/** Whether a version satisfies all parts of a constraint such as `>=0.4.0 <1.0.0`. Undefined if it is invalid. */
export function fits(version: string, constraint: string): boolean | undefined {
  const parts = constraint
    .replace(/([<>=!])\s+/g, '$1')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  const results = parts.map((part) => {
    const [, operator = '=', wanted = ''] = partShape.exec(part) ?? [];
    if (wanted === '') return undefined;
    const order = compare(version, padded(wanted));
    return holds(operator, order);
  });
  if (results.includes(undefined)) return undefined;
  return !results.includes(false);
}

function holds(operator: string, order: number): boolean {
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '!=':
      return order !== 0;
    default:
      return order === 0;
  }
}

function padded(version: string): string {
  const [core = '', ...rest] = version.split('-');
  const numbers = [...core.split('.'), '0', '0'].slice(0, 3).join('.');
  return rest.length === 0 ? numbers : `${numbers}-${rest.join('-')}`;
}

/** A prerelease sorts before its release. */
function compare(a: string, b: string): number {
  const [, ...left] = versionShape.exec(a) ?? [];
  const [, ...right] = versionShape.exec(b) ?? [];
  for (let i = 0; i < 3; i += 1) {
    const order = Number(left[i] ?? 0) - Number(right[i] ?? 0);
    if (order !== 0) return order;
  }
  const [before, after] = [left[3] ?? '', right[3] ?? ''];
  if (before === after) return 0;
  if (before === '' || after === '') return before === '' ? 1 : -1;
  return before < after ? -1 : 1;
}
