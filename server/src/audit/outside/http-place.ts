import { type Checkpoint, checkpointHash } from '../checkpoint.ts'
import type { OutsidePlace } from './place.ts'
import { type Post, sendOutside } from './send.ts'

/** A receiver of one's own: each checkpoint is the JSON body of a POST. Any answer of 2xx means that it is kept. */
export class HttpPlace implements OutsidePlace {
  readonly kind = 'http'
  readonly key: string
  readonly #url: string
  readonly #token: string | undefined
  readonly #post: Post

  constructor({ url, token }: { url: string; token: string | undefined }, post: Post) {
    this.#url = url
    this.#token = token
    this.#post = post
    this.key = `http ${url}`
  }

  async write(checkpoint: Checkpoint): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      // Written once more after a crash: by this the receiver knows it again.
      'idempotency-key': checkpointHash(checkpoint),
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    await sendOutside(this.#post, { method: 'POST', url: this.#url, headers, body: JSON.stringify(checkpoint) })
  }

  close(): Promise<void> {
    return this.#post.close()
  }
}
