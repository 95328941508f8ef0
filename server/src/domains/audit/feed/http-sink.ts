import { guardedConnector } from '../../../platform/lib/url-guard.ts'
import { type DestinationConnection, openConnection, sendRequest } from '../delivery/send-request.ts'
import type { FeedSink } from './sink.ts'

const CONNECT_MS = 5_000

/** Sends each batch as the body of a POST, one record per line. A 2xx response means that the receiver has stored them. */
export class HttpSink implements FeedSink {
  readonly #url: string
  readonly #token: string | undefined
  readonly #connection: DestinationConnection

  /** The URL comes from the operator of the server, so it may be private. */
  constructor(url: string, token: string | undefined) {
    this.#url = url
    this.#token = token
    this.#connection = openConnection(guardedConnector(true, CONNECT_MS))
  }

  async write(lines: readonly string[]): Promise<void> {
    const headers = {
      'content-type': 'application/x-ndjson',
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    const body = lines.map((line) => `${line}\n`).join('')
    await sendRequest(this.#connection, { method: 'POST', url: this.#url, headers, body })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
