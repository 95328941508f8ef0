import { Agent, type buildConnector, request } from 'undici'

export interface DestinationConnection {
  readonly agent: Agent
  readonly timeoutMs: number
  close(): Promise<void>
}

interface DestinationRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

const TIMEOUT_MS = 15_000

/** The time of a request to an S3-compatible store: `20260301T000000Z`. */
export const amzTime = (now: Date): string => now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '')

/** `connect` refuses forbidden addresses, such as those of metadata services. */
export function openConnection(connect: buildConnector.connector, timeoutMs = TIMEOUT_MS): DestinationConnection {
  const agent = new Agent({ connect, connections: 1, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return { agent, timeoutMs, close: () => agent.destroy() }
}

/**
 * Throws unless the response is 2xx within the time limit. Does not follow redirects; of the response only the status is
 * reported.
 */
export async function sendRequest(
  { agent, timeoutMs }: DestinationConnection,
  { method, url, headers, body }: DestinationRequest,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = { method, headers: { ...headers, 'user-agent': 'gatehouse' }, body }
  const response = await request(url, { ...sent, dispatcher: agent, signal })
  await response.body.dump({ limit: 65_536, signal })
  if (response.statusCode < 200 || response.statusCode > 299)
    throw new Error(`the destination returned status ${response.statusCode}`)
}
