import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * A minimal HTTP client: it sends prepared bytes and reads complete responses without parsing them. On a machine with few cores, the CPU
 * time of the load generator reduces that of the measured server.
 */
export class KeepAliveConnection {
  readonly #socket: Socket
  #seen: Buffer | undefined
  #answered: ((answer: Buffer) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#failed?.(error))
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')))
  }

  static async open(port: number): Promise<KeepAliveConnection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new KeepAliveConnection(socket)
  }

  /** Sends one request and waits for the complete response. @throws if the connection ends before. */
  exchange(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve
      this.#failed = reject
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const seen = this.#seen ? Buffer.concat([this.#seen, chunk]) : chunk
    this.#seen = seen
    if (!isWhole(seen)) return
    this.#seen = undefined
    this.#answered?.(seen)
  }
}

export const statusOf = (answer: Buffer): number => Number(answer.toString('latin1', 9, 12))

function isWhole(answer: Buffer): boolean {
  const headEnd = answer.indexOf(HEAD_END)
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1]
  if (length !== undefined) return answer.length >= headEnd + HEAD_END.length + Number(length)
  return answer.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}
