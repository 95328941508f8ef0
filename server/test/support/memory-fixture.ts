import { SHARED_SCOPES } from '../../src/domain/memory-words.ts'
import { accepted, type ChatOptions, type ResponseBody } from './gateway-client.ts'
import type { Governed } from './governed.ts'

/** What was found, as the contract shows it. */
export interface MemoryHit {
  readonly memory_id: string
  readonly scope: string
  readonly kind: string
  readonly content: string
  readonly summary: string | null
  readonly classification: string
  readonly similarity: number
}

/** Who asks: the governance block of a request, and how it is sent. */
export interface MemoryRequestOptions extends ChatOptions {
  readonly user?: Readonly<Record<string, unknown>>
  readonly session?: string
}

export type MemoryFixture = Awaited<ReturnType<typeof createMemoryFixture>>

/** An Application that may remember. What it is told to keep for its own scope, no other finds. */
export async function createMemoryFixture(
  governed: Governed,
  memory: Readonly<Record<string, unknown>> = {},
  { settings, ...fields }: Readonly<Record<string, unknown>> = {},
) {
  const caller = await governed.application({
    ...fields,
    settings: { memory: { enabled: true, assertion_scopes: SHARED_SCOPES, ...memory }, ...(settings as object) },
  })
  const post = (path: string, json: object, { user, session, ...options }: MemoryRequestOptions = {}) => {
    const governance = { ...(user && { user }), ...(session !== undefined && { session_id: session }) }
    return governed.post(path, { ...json, governance }, { token: caller.token, ...options })
  }
  const capture = (content: unknown, more: object = {}, asking?: MemoryRequestOptions) =>
    post('/v1/memory/capture', { content, scope: 'application', kind: 'fact', classification: 'internal', ...more }, asking)
  const search = (query: unknown, more: object = {}, asking?: MemoryRequestOptions) =>
    post('/v1/memory/search', { query, ...more }, asking)
  const hits = async (query: string, more?: object, asking?: MemoryRequestOptions): Promise<readonly MemoryHit[]> =>
    hitsOf(accepted(await search(query, more, asking)))
  return {
    ...caller,
    capture,
    /** The id of what must be stored. */
    store: async (content: string, more?: object, asking?: MemoryRequestOptions): Promise<string> => {
      const body = accepted(await capture(content, more, asking))
      if (body.stored !== true) throw new Error(`not stored: ${content}`)
      return String(body.memory_id)
    },
    search,
    /** The hits of a search that must be answered. */
    hits,
    /** Their contents. */
    texts: async (query: string, more?: object, asking?: MemoryRequestOptions): Promise<string[]> =>
      (await hits(query, more, asking)).map(({ content }) => content),
    /** A chat with a model that does as it is told. */
    chat: (prompt: string, { user, session, ...options }: MemoryRequestOptions = {}, governance: object = {}) =>
      governed.chat(
        prompt,
        { governance: { ...(user && { user }), ...(session !== undefined && { session_id: session }), ...governance } },
        { token: caller.token, ...options },
      ),
  }
}

const hitsOf = ({ data }: ResponseBody) => data as unknown as readonly MemoryHit[]
