import type { KyselyPlugin } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { listSecretKeys, type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { signInSecret } from './sign-in-secret.ts'

/** The columns of `operator_second_factor` that better-auth encrypts. */
interface Values {
  readonly secret: string
  readonly backup_codes: string
}
interface SecondFactor extends Values {
  readonly id: string
}

/**
 * Encrypts second factors of operators again. better-auth encrypts them with the one key that it gets at its start
 * (XChaCha20-Poly1305), and the values carry no id.
 */
export class SecondFactors {
  readonly #db: Db
  readonly #ring: readonly { readonly id: string; readonly secret: string }[]

  constructor(db: Db, keys: SecretKeys) {
    this.#db = db
    this.#ring = listSecretKeys(keys).map((key) => ({ id: secretKeyId(key), secret: signInSecret(key) }))
  }

  list(): Promise<SecondFactor[]> {
    return this.#db.selectFrom('operator_second_factor').select(['id', 'secret', 'backup_codes']).orderBy('id').execute()
  }

  /** Encrypts the values of a row with the current key and stores them. Returns the row as it is stored. */
  async reseal<R extends SecondFactor>(row: R): Promise<R> {
    const ids = await this.sealedBy(row)
    if (ids.every((id) => id === this.#ring[0]?.id)) return row
    const sealed = await this.#encrypt(row)
    if (!sealed) return row
    const { numUpdatedRows } = await this.#db
      .updateTable('operator_second_factor')
      .set(sealed)
      .where('id', '=', row.id)
      .where('secret', '=', row.secret)
      .where('backup_codes', '=', row.backup_codes)
      .executeTakeFirst()
    return numUpdatedRows === 1n ? { ...row, ...sealed } : row
  }

  /** The values, encrypted with the current key. Undefined: no configured key decrypts them. */
  async #encrypt(values: Values): Promise<Values | undefined> {
    const [current] = this.#ring
    const [secret, codes] = await Promise.all([this.#open(values.secret), this.#open(values.backup_codes)])
    if (!current || !secret || !codes) return undefined
    const { symmetricEncrypt } = await loadCrypto()
    const encrypt = (data: string): Promise<string> => symmetricEncrypt({ key: current.secret, data })
    return { secret: await encrypt(secret.plain), backup_codes: await encrypt(codes.plain) }
  }

  /** Ids of the keys of the two values. undefined: no configured key decrypts the value. */
  sealedBy(row: SecondFactor): Promise<(string | undefined)[]> {
    return Promise.all([row.secret, row.backup_codes].map(async (value) => (await this.#open(value))?.id))
  }

  /** For the connection of better-auth: a second factor of another key is encrypted with the current one when it is read. */
  get plugin(): KyselyPlugin {
    return {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => ({
        ...result,
        rows: await Promise.all(result.rows.map((row) => (isSecondFactor(row) ? this.reseal(row) : row))),
      }),
    }
  }

  async #open(data: string): Promise<{ readonly id: string; readonly plain: string } | undefined> {
    const { symmetricDecrypt } = await loadCrypto()
    for (const { id, secret } of this.#ring) {
      const plain = await symmetricDecrypt({ key: secret, data }).catch(() => undefined)
      if (plain !== undefined) return { id, plain }
    }
    return undefined
  }
}

/** Loaded when it is first needed, as the rest of the library. */
const loadCrypto = () => import('better-auth/crypto')

const isSecondFactor = (row: object): row is SecondFactor =>
  ['id', 'secret', 'backup_codes'].every((column) => typeof (row as Record<string, unknown>)[column] === 'string')
