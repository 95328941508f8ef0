import { SHARED_SCOPES } from '../../src/shared/memory-words.ts'
import { type ChatOptions, expectSuccess } from './gateway-client.ts'
import type { Governed } from './governed.ts'

/** A hit of `POST /v1/memory/search`. */
export interface MemoryHit {
  readonly memory_id: string
  readonly scope: string
  readonly kind: string
  readonly content: string
  readonly summary: string | null
  readonly classification: string
  readonly similarity: number
}

/** User and session in the governance block of a request, and options of the client. */
export interface MemoryRequestOptions extends ChatOptions {
  readonly user?: Readonly<Record<string, unknown>>
  readonly session?: string
}

export type MemoryFixture = Awaited<ReturnType<typeof createMemoryFixture>>

/** Creates an Application with memory. Only this Application finds memories of its scope `application`. */
export async function createMemoryFixture(
  governed: Governed,
  memory: Readonly<Record<string, unknown>> = {},
  { settings, ...fields }: Readonly<Record<string, unknown>> = {},
) {
  const caller = await governed.application({
    ...fields,
    settings: { memory: { enabled: true, assertion_scopes: SHARED_SCOPES, ...memory }, ...(settings as object) },
  })
  const governanceOf = ({ user, session }: MemoryRequestOptions) => ({
    ...(user && { user }),
    ...(session !== undefined && { session_id: session }),
  })
  const post = (path: string, json: object, options: MemoryRequestOptions = {}) =>
    governed.post(path, { ...json, governance: governanceOf(options) }, { token: caller.token, ...options })
  const capture = (content: unknown, more: object = {}, options?: MemoryRequestOptions) =>
    post('/v1/memory/capture', { content, scope: 'application', kind: 'fact', classification: 'internal', ...more }, options)
  const search = (query: unknown, more: object = {}, options?: MemoryRequestOptions) =>
    post('/v1/memory/search', { query, ...more }, options)
  const hits = async (query: string, more?: object, options?: MemoryRequestOptions) =>
    expectSuccess(await search(query, more, options)).data as unknown as readonly MemoryHit[]
  return {
    ...caller,
    capture,
    /** Captures a memory that must be stored; returns its id. */
    store: async (content: string, more?: object, options?: MemoryRequestOptions): Promise<string> => {
      const body = expectSuccess(await capture(content, more, options))
      if (body.stored !== true) throw new Error(`not stored: ${content}`)
      return String(body.memory_id)
    },
    search,
    hits,
    /** The contents of the hits of a search that must succeed. */
    texts: async (...query: Parameters<typeof hits>): Promise<string[]> => (await hits(...query)).map(({ content }) => content),
    /** Sends a chat to the scripted provider. */
    chat: (prompt: string, options: MemoryRequestOptions = {}, governance: object = {}) =>
      governed.chat(prompt, { governance: { ...governanceOf(options), ...governance } }, { token: caller.token, ...options }),
  }
}
