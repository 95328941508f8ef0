import { hasStatus, readError } from '../../api/api-error.ts'
import { readEvents, type ServerEvent } from '../../api/event-stream.ts'
import { bearer } from '../../api/member-client.ts'

/** The server sends an event or a comment every 15 seconds. */
const SILENCE_TIMEOUT_MS = 40_000
const RECONNECT_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000]

export type Connection = 'connecting' | 'live' | 'ended'

interface FollowOptions {
  readonly token: string
  readonly signal: AbortSignal
  readonly onConnection: (connection: Connection) => void
  readonly onEvent: (event: ServerEvent & { readonly data: string }) => void
}

/** Reads the user's events until aborted or the token ends. Reconnects with the last event id. */
export async function followEvents({ token, signal, onConnection, onEvent }: FollowOptions): Promise<void> {
  let lastId: string | undefined
  for (let failures = 0; !signal.aborted; failures++) {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
    try {
      const headers = { ...bearer(token), ...(lastId !== undefined && { 'last-event-id': lastId }) }
      const until = AbortSignal.any([signal, silence.signal])
      const response = await fetch('/v1/events', { headers, credentials: 'omit', signal: until })
      if (!response.ok || !response.body) throw await readError(response)
      for await (const event of readEvents(response.body)) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
        failures = 0
        lastId = event.id ?? lastId
        onConnection('live')
        if (event.data !== undefined) onEvent({ ...event, data: event.data })
      }
    } catch (error) {
      if (signal.aborted) return
      if (hasStatus(error, 401)) return onConnection('ended')
    } finally {
      clearTimeout(timer)
    }
    onConnection('connecting')
    await pause(RECONNECT_DELAYS_MS[Math.min(failures, RECONNECT_DELAYS_MS.length - 1)] ?? 0, signal)
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
