import { type Checkpoint, checkpointHash } from '../checkpoints/checkpoint.ts'
import type { CheckpointDestination } from './destination.ts'
import { type DestinationConnection, sendRequest } from './send-request.ts'

/** An HTTP receiver: each checkpoint is the JSON body of a POST. A 2xx response means that it is stored. */
export class HttpDestination implements CheckpointDestination {
  readonly kind = 'http'
  readonly key: string
  readonly #url: string
  readonly #token: string | undefined
  readonly #connection: DestinationConnection

  constructor({ url, token }: { url: string; token: string | undefined }, connection: DestinationConnection) {
    this.#url = url
    this.#token = token
    this.#connection = connection
    this.key = `http ${url}`
  }

  async write(checkpoint: Checkpoint): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      // The receiver recognises a checkpoint that is delivered again after a crash.
      'idempotency-key': checkpointHash(checkpoint),
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    await sendRequest(this.#connection, { method: 'POST', url: this.#url, headers, body: JSON.stringify(checkpoint) })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
