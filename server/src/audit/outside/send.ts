import { Agent, type buildConnector, request } from 'undici'

/** One place's connections. */
export interface Post {
  readonly agent: Agent
  readonly timeoutMs: number
  close(): Promise<void>
}

interface Sending {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const TIMEOUT_MS = 15_000

/** `connect` refuses the addresses that are never allowed, such as those of metadata services. */
export function openPost(connect: buildConnector.connector, timeoutMs = TIMEOUT_MS): Post {
  const agent = new Agent({ connect, connections: 1, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return { agent, timeoutMs, close: () => agent.destroy() }
}

/** Throws unless the answer is 2xx, in time. Redirects are not followed; what the answer says beside its status is not passed on. */
export async function sendOutside({ agent, timeoutMs }: Post, { method, url, headers, body }: Sending): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await request(url, {
    method,
    headers: { ...headers, 'user-agent': 'gatehouse' },
    body,
    dispatcher: agent,
    signal,
  })
  await answer.body.dump({ limit: 65_536, signal })
  if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`the place outside answered ${answer.statusCode}`)
}
