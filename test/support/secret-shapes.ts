import type { Random } from './random.js';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

function from(alphabet: string, length: number, random: Random): string {
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
}

/** A secret, and a text around it as a program would write it. */
export interface ShapedSecret {
  readonly secret: string;
  readonly text: string;
}

/** Secrets in the shapes in which they are issued or written down, each different from all others. */
export function shapeSecrets(total: number, random: Random): readonly ShapedSecret[] {
  const word = (length: number): string =>
    `${from(letters, 1, random)}${from(letters + digits, length - 2, random)}${from(digits, 1, random)}`;
  const bare = (secret: string): ShapedSecret => ({ secret, text: `refused ${secret} today` });
  const shapes: readonly (() => ShapedSecret)[] = [
    () => bare(`sk-${word(40)}`),
    () => bare(`sk-proj-${word(40)}`),
    () => bare(`sk_live_${word(24)}`),
    () => bare(`ghp_${word(36)}`),
    () => bare(`gho_${word(36)}`),
    () => bare(`github_pat_${word(60)}`),
    () => bare(`glpat-${word(20)}`),
    () => bare(`xoxb-${from(digits, 11, random)}-${word(24)}`),
    () => bare(`AKIA${from(letters.slice(0, 26), 16, random)}`),
    () => bare(`AIza${word(35)}`),
    () => bare(`ya29.${word(40)}`),
    () => bare(`npm_${word(36)}`),
    () => bare(`hf_${word(34)}`),
    () => bare(`SG.${word(22)}.${word(43)}`),
    () => bare(`tg_${word(43)}`),
    () => bare(`eyJ${word(20)}.eyJ${word(40)}.${word(43)}`),
    () => around(word(24), (secret) => `Authorization: Bearer ${secret}`),
    () => around(word(24), (secret) => `authorization=Basic ${secret}==`),
    () => around(word(16), (secret) => `password=${secret}`),
    () => around(word(16), (secret) => `{"password": "${secret}"}`),
    () => around(word(20), (secret) => `export API_KEY='${secret}'`),
    () => around(word(20), (secret) => `client_secret: ${secret}`),
    () => around(word(20), (secret) => `GET https://host.example/?access_token=${secret}&page=2`),
    () => around(word(16), (secret) => `postgres://admin:${secret}@db.example/main`),
    () => around(word(20), (secret) => `run --token ${secret} --verbose`),
    () => around(word(64), (secret) => `-----BEGIN PRIVATE KEY----- ${secret} -----END PRIVATE KEY-----`),
  ];
  return Array.from({ length: total }, (_, at) => {
    const shape = shapes[at % shapes.length];
    if (shape === undefined) throw new Error('no shapes');
    return shape();
  });
}

function around(secret: string, write: (secret: string) => string): ShapedSecret {
  return { secret, text: write(secret) };
}
