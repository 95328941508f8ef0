import { KeepAliveConnection, statusOf } from './keep-alive-connection.ts'
import { quantile } from './statistics.ts'

export interface LoadCall {
  readonly method: 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

export interface LoadSpec {
  readonly port: number
  /** Sent in turn, repeatedly. */
  readonly calls: readonly LoadCall[]
  /** Expected status of every response. */
  readonly status: number
  readonly connections: number
  /** The run ends after so many responses … */
  readonly requests: number
  /** … or so many seconds, whichever comes first. */
  readonly seconds: number
}

export interface LoadResult {
  readonly answers: number
  /** Number of responses with another status, and the first of these. */
  readonly refused: number
  readonly refusal: string
  readonly seconds: number
  /** Milliseconds from the first byte sent to the last received. */
  readonly p50: number
  readonly p99: number
}

/** Runs a closed loop: each connection sends its next request when its last response is complete. */
export async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const requests = spec.calls.map((call) => requestBytes(spec.port, call))
  const latencies: number[] = []
  let refused = 0
  let refusal = ''
  const started = performance.now()
  const deadline = started + spec.seconds * 1_000
  let sent = 0

  const worker = async () => {
    const connection = await KeepAliveConnection.open(spec.port)
    while (sent < spec.requests && performance.now() < deadline) {
      const request = requests[sent++ % requests.length]
      if (!request) break
      const at = performance.now()
      const answer = await connection.exchange(request)
      latencies.push(performance.now() - at)
      if (statusOf(answer) !== spec.status && refused++ === 0) refusal = answer.toString()
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: spec.connections }, worker))

  const sorted = Float64Array.from(latencies).sort()
  return {
    answers: latencies.length,
    refused,
    refusal,
    seconds: (performance.now() - started) / 1_000,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}

function requestBytes(port: number, { method, path, headers, body }: LoadCall): Buffer {
  const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...content, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
