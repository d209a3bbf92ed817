import { readCommandStrings, readNaughtyStrings } from './test-data.js';

/** What a shell would run, in every way of quoting and joining that we know of. `run` is the command to smuggle in. */
export function injections(run: string): readonly string[] {
  const joined = [';', '&&', '||', '|', '&', '\n', '\r\n', '\0;'].flatMap((between) => [
    `${between}${run}`,
    `x${between}${run}${between}`,
    `'${between}${run}${between}'`,
    `"${between}${run}${between}"`,
    `)${between}${run};(`,
    `}${between}${run};{`,
  ]);
  const substituted = [`$(${run})`, `\`${run}\``, `"$(${run})"`, `'$(${run})'`, `<(${run})`, `>(${run})`];
  const others = [
    `\${x:-$(${run})}`,
    `$((a[$(${run})]))`,
    `%0a${run}`,
    `() { :;}; ${run}`,
    `-e ${run}`,
    `--rcfile=${run}`,
  ];
  return [...joined, ...substituted, ...others];
}

/** Public lists, each string alone and with the command after it; nothing where they are not there. */
export function listedStrings(run: string): readonly string[] {
  const lists = [readCommandStrings(), readNaughtyStrings()];
  const listed = [...new Set(lists.flatMap(({ found }) => found ?? []))].filter((text) => text !== '');
  return listed.flatMap((text) => [text, `${text}${run}`, `${text};${run};`]);
}
