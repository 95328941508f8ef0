import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { type ResealedBatch, resealAll } from './reseal.ts'
import { countSealedValues, describeKeys, storeCounts } from './sealed-counts.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>
  readonly secrets: SecretKeys
}

/** A run takes about a second, so that the server can stop. */
const BATCHES_PER_RUN = 50
/** Pause after a complete pass: values may have been left out because they were locked. */
const PAUSE_MS = 10 * 60_000

/** Seals values of old keys again in the background, a number of batches in each run, and logs its progress. */
export class ResealJob {
  readonly #deps: Deps
  #pass: AsyncGenerator<ResealedBatch, void> | undefined
  #resealed = 0
  #unreadable = 0
  #nextPassAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { db, clock, secrets } = this.#deps
    if (!secrets.oldSecretKeys?.length || clock.now().getTime() < this.#nextPassAt) return
    this.#pass ??= resealAll(db, secrets)
    try {
      for (let batches = 0; batches < BATCHES_PER_RUN; batches++) {
        const { done, value } = await this.#pass.next()
        if (done) return await this.#endPass()
        this.#resealed += value.resealed
        this.#unreadable += value.unreadable
      }
    } catch (error) {
      this.#pass = undefined
      throw error
    }
    this.#deps.log.info({ resealed: this.#resealed }, 'sealing values again with the current secret key')
  }

  async #endPass(): Promise<void> {
    const { db, clock, log, secrets } = this.#deps
    const counts = await countSealedValues(db, secrets)
    await storeCounts(db, counts, clock.now())
    const left = describeKeys(secrets, counts).filter(({ state, values }) => state === 'old' && values > 0)
    const fields = { resealed: this.#resealed, unreadable: this.#unreadable, current: secretKeyId(secrets.secretKey) }
    if (left.length > 0) log.info({ ...fields, left }, 'values of old secret keys are left for the next pass')
    else log.info(fields, 'no value needs an old secret key: remove the old keys from the configuration')
    if (this.#unreadable > 0) log.warn(fields, 'no configured secret key opens some values: `gatehouse keys status` counts them')
    this.#pass = undefined
    this.#resealed = 0
    this.#unreadable = 0
    this.#nextPassAt = clock.now().getTime() + PAUSE_MS
  }
}
