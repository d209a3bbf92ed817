/** A simple command as words, without redirections. */
export type Words = readonly string[];

const blank = /[ \t\r]/;
/** Characters that keep their meaning after a backslash in double quotes. */
const escapable = /["$`\\\n]/;

/**
 * Splits a script into simple commands as a shell does. Those in substitutions are listed separately. Undefined if it
 * uses anything else: escapes, here-documents, functions, arithmetic, process substitution.
 */
export function commandsIn(text: string): readonly Words[] | undefined {
  const scan = new Scan(text);
  return scan.readUntil('') ? scan.commands : undefined;
}

class Scan {
  readonly commands: Words[] = [];
  readonly #text: string;
  #at = 0;
  #words: string[] = [];
  #word: string | undefined;
  /** Whether the next word is the target of a redirection. */
  #isTarget = false;

  constructor(text: string) {
    // A template that is filled in later counts as one word.
    this.#text = text.replace(/\{\{[^{}]*\}\}/g, '$$_').replace(/\\\n/g, ' ');
  }

  /** False if there is something that it can't read. */
  readUntil(end: '' | ')'): boolean {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text.charAt(this.#at);
      if (char === end) return this.#endCommand();
      if (!this.#read(char)) return false;
    }
    return end === '' && this.#endCommand();
  }

  #read(char: string): boolean {
    if (blank.test(char)) return this.#endWord();
    if (/[\n;|&]/.test(char)) return char === '&' && this.#isRedirection() ? true : this.#endCommand();
    if (char === '<' || char === '>') return this.#redirect();
    if (char === "'") return this.#readSingle();
    if (char === '"') return this.#readDouble();
    if (char === '$') return this.#expand();
    if (char === '#' && this.#word === undefined) return this.#skipComment();
    if (char === '(') return this.#word === undefined && this.#words.length === 0 && this.#readGroup();
    if (/[\\`)]/.test(char)) return false;
    this.#add(char);
    return true;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): boolean {
    if (this.#word === undefined) return true;
    if (!this.#isTarget) this.#words.push(this.#word);
    this.#isTarget = false;
    this.#word = undefined;
    return true;
  }

  #endCommand(): boolean {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
    return !this.#isTarget;
  }

  /** `&>log`: the `&` belongs to the redirection. */
  #isRedirection(): boolean {
    return this.#text.charAt(this.#at + 1) === '>';
  }

  #redirect(): boolean {
    const operator = /^(?:<|>>?[&|]?)(?![<>(&|])/.exec(this.#text.slice(this.#at, this.#at + 4))?.[0];
    if (operator === undefined) return false;
    // `2>`: the number is a part of it.
    if (/^\d+$/.test(this.#word ?? '')) this.#word = undefined;
    this.#endWord();
    this.#isTarget = true;
    this.#at += operator.length - 1;
    return true;
  }

  #readSingle(): boolean {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) return false;
    this.#add(this.#text.slice(this.#at + 1, end));
    this.#at = end;
    return true;
  }

  #readDouble(): boolean {
    this.#add('');
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') return true;
      if (char === '`' || (char === '\\' && escapable.test(this.#text.charAt(this.#at + 1)))) return false;
      if (char !== '$') this.#add(char);
      else if (!this.#expand()) return false;
    }
    return false;
  }

  /** Plain variables and commands only: other forms assign values or run code. */
  #expand(): boolean {
    const rest = this.#text.slice(this.#at + 1, this.#at + 200);
    this.#add('$');
    if (rest.startsWith('(')) return !rest.startsWith('((') && this.#substitute();
    if (/^['"]/.test(rest)) return false;
    const braced = /^\{\w+\}/.exec(rest)?.[0];
    if (rest.startsWith('{') && braced === undefined) return false;
    this.#at += braced?.length ?? 0;
    return true;
  }

  #substitute(): boolean {
    this.#at += 1;
    return this.#readInner();
  }

  #readGroup(): boolean {
    return !this.#text.startsWith('((', this.#at) && this.#readInner();
  }

  /** Reads up to the closing parenthesis. The surrounding command continues after it. */
  #readInner(): boolean {
    const [words, word, isTarget] = [this.#words, this.#word, this.#isTarget];
    [this.#words, this.#word, this.#isTarget] = [[], undefined, false];
    this.#at += 1;
    const isRead = this.readUntil(')');
    [this.#words, this.#word, this.#isTarget] = [words, word, isTarget];
    return isRead;
  }

  #skipComment(): boolean {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = (end < 0 ? this.#text.length : end) - 1;
    return true;
  }
}
