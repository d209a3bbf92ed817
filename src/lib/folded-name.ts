/** One spelling for names that a file system may treat as equal: case, width, invisible characters, Windows suffixes. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?!^):.*$/su, '')
    .replace(/[. ]+$/u, '');
}
