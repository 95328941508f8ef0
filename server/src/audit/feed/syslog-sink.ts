import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FeedLine, FeedSink } from './sink.ts'
import { formatSyslog } from './syslog-message.ts'

export interface SyslogOptions {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** HOSTNAME of the messages. */
  readonly node: string
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 15_000

/**
 * Sends RFC 5424 messages over TCP (RFC 6587, octet counting) or TLS (RFC 5425). Syslog has no acknowledgement, so each batch has a
 * connection of its own: the receiver closes it after it has read the end. A connection that ends in any other way failed, and the batch is
 * sent again. A receiver that reads messages and then loses them is not noticed.
 */
export class SyslogSink implements FeedSink {
  readonly #options: SyslogOptions

  constructor(options: SyslogOptions) {
    this.#options = options
  }

  async write(lines: readonly FeedLine[]): Promise<void> {
    const { node, timeoutMs = TIMEOUT_MS } = this.#options
    const socket = this.#connect()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isSent = false
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the syslog receiver does not respond')))
    socket.on('error', (cause: NodeJS.ErrnoException) =>
      reject(new Error(`the syslog receiver failed (${cause.code ?? cause.message})`)),
    )
    // The receiver closed its side before it could have read the end.
    socket.on('end', () => isSent || socket.destroy(new Error('the syslog receiver closed the connection early')))
    socket.on('close', (hadError) => !hadError && isSent && resolve())
    socket.on('close', () => reject(new Error('the syslog receiver closed the connection early')))
    // Responses are discarded, but the end is noticed only by reading.
    socket.resume()
    socket.end(Buffer.concat(lines.map((line) => formatSyslog(line, node))), () => {
      isSent = true
    })
    await promise
  }

  async close(): Promise<void> {}

  #connect(): Socket {
    const { host, port, isTls } = this.#options
    // The writing side stays open when the receiver closes its side, so that this is noticed.
    const options = { host, port, servername: isIP(host) === 0 ? host : '', allowHalfOpen: true }
    return isTls ? connectTls(options) : connectTcp(options)
  }
}
