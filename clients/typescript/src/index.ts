import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './schema.ts'

export type { components, paths } from './schema.ts'

/** A component of the API: `Schema<'ChatCompletion'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export interface GatehouseOptions {
  /** The server, for example `https://gatehouse.example.com`, without `/v1`. */
  readonly baseUrl: string
  /** A key of an Application (`gk_…`), an access token of a user (`gu_…`) or an admin token (`ga_…`). */
  readonly token: string
  /** For admin tokens of several Workspaces: its id or name. */
  readonly workspace?: string
}

/** A client with a method for each HTTP method. A refusal is `error` of the result, and no exception. */
export const createGatehouse = ({ baseUrl, token, workspace }: GatehouseOptions): Client<paths> =>
  createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${token}`, ...(workspace !== undefined && { 'x-gatehouse-workspace': workspace }) },
  })

export interface ServerEvent {
  readonly id?: string
  /** `message` if the event has no type. */
  readonly event: string
  readonly data: string
}

/** The server-sent events of a response that was requested with `parseAs: 'stream'`. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const text of textOf(stream)) {
    const blocks = (rest + text).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readEvent(block)
      if (event !== undefined) yield event
    }
  }
}

/** With a reader, because not every browser can iterate over a stream. */
async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield decoder.decode(read.value, { stream: true })
  } finally {
    await reader.cancel()
  }
}

/** undefined: a block without data, such as a heartbeat. */
function readEvent(block: string): ServerEvent | undefined {
  const fields = block.split(/\r?\n/).flatMap((line) => {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    return name === '' ? [] : [{ name, value }]
  })
  const last = (wanted: string): string | undefined => fields.findLast(({ name }) => name === wanted)?.value
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value)
  if (data.length === 0) return undefined
  const id = last('id')
  return { ...(id !== undefined && { id }), event: last('event') ?? 'message', data: data.join('\n') }
}
