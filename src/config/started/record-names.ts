/** The name under which a server is recorded: next to the file that configures it. */
export function serverRecordName(configFile: string, name: string): string {
  return `${configFile}#servers.${name}`;
}

const partial = `package.json (type and names)`;

/** The record name for the members of a `package.json` that decide how files are loaded. */
export function partialName(file: string): string {
  return `${file} (type and names)`;
}

/** Throws for a file that would be recorded under the name of a partial record, which is not locked. */
export function refusePartialName(path: string): void {
  if (path.endsWith(partial)) throw new Error(`${path} can't be trusted under this name; rename it`);
}

/** The path behind a recorded name: `folder/**` is the folder. In a partial record, only some members are hashed. */
export function hashedPath(name: string): readonly string[] {
  return name.endsWith(`/${partial}`) || name === partial ? [] : [name.replace(/[/\\]\*\*.*$/, '') || '/'];
}
