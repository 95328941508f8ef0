import { hasStatus, readError } from '../../api/api-error.ts'
import { readEvents, type ServerEvent } from '../../api/event-stream.ts'
import { bearer } from '../../api/member-client.ts'

/** The server lets hear of itself every 15 seconds. */
const SILENCE_MS = 40_000
const WAITS_MS = [500, 1_000, 2_000, 5_000, 10_000]

export type Connection = 'connecting' | 'live' | 'ended'

interface Following {
  readonly token: string
  readonly signal: AbortSignal
  readonly onConnection: (connection: Connection) => void
  readonly onEvent: (event: ServerEvent & { readonly data: string }) => void
}

/** Reads the user's events until told to stop, or the token ends; what was missed in between is read when it is back. */
export async function followEvents({ token, signal, onConnection, onEvent }: Following): Promise<void> {
  let last: string | undefined
  for (let failures = 0; !signal.aborted; failures++) {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const headers = { ...bearer(token), ...(last !== undefined && { 'last-event-id': last }) }
      const until = AbortSignal.any([signal, silence.signal])
      const response = await fetch('/v1/events', { headers, credentials: 'omit', signal: until })
      if (!response.ok || !response.body) throw await readError(response)
      for await (const event of readEvents(response.body)) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        failures = 0
        last = event.id ?? last
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
    await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0, signal)
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
