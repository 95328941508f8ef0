import { randomBytes, type ScryptOptions, scryptSync } from 'node:crypto'
import { normalize } from '../lib/normalize.ts'
import { secretBox } from '../lib/secret-box.ts'
import type { Passphrase } from './export-format.ts'

/** About 0.3 s and 128 MB. */
const COST = { n: 2 ** 17, r: 8, p: 1 }
const SALT_BYTES = 16
const KEY_BYTES = 32
const CHECK = 'passphrase'

/** The passphrase does not belong to the export. */
class WrongPassphraseError extends Error {}

/** Derives the key that seals the secrets of a new export. */
export function createExportKey(passphrase: string): { readonly key: Buffer; readonly header: Passphrase } {
  const salt = randomBytes(SALT_BYTES).toString('base64')
  const key = derive(passphrase, { ...COST, salt })
  const check = secretBox(key, CHECK).seal(CHECK, CHECK).toString('base64')
  return { key, header: { kdf: 'scrypt', ...COST, salt, check } }
}

/** Derives the key of an export. Throws a WrongPassphraseError. */
export function openExportKey(passphrase: string, header: Passphrase): Buffer {
  const key = derive(passphrase, header)
  try {
    secretBox(key, CHECK).open(Buffer.from(header.check, 'base64'), CHECK)
    return key
  } catch {
    throw new WrongPassphraseError('the passphrase is not the one of the export: give the file that the export was made with')
  }
}

function derive(passphrase: string, { n, r, p, salt }: Pick<Passphrase, 'n' | 'r' | 'p' | 'salt'>): Buffer {
  const options: ScryptOptions = { N: n, r, p, maxmem: 256 * n * r }
  return scryptSync(normalize(passphrase, 'NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, options)
}
