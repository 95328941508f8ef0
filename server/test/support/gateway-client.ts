import { expect } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import type { TestServer } from './server.ts'

export interface Message {
  readonly role: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

/** A body of the gateway, typed as if every field were present: a test that reads a field expects it. */
export interface ResponseBody {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: number
    readonly message: { readonly role: string; readonly content: string; readonly [field: string]: unknown }
    readonly finish_reason: string
  }[]
  readonly usage: Readonly<Record<string, number>>
  readonly governance: {
    readonly audit_id: string
    readonly decision: {
      readonly verdict: string
      readonly transforms: readonly string[]
      readonly directives: readonly string[]
    }
    readonly risk_level: string
    readonly user_verified: boolean
    readonly dry_run: boolean
    readonly warnings: readonly string[]
  }
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly error: ErrorBody
  readonly [field: string]: unknown
}

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly audit_id: string
  readonly review_item_id: string
  readonly expires_at: string
  readonly doc_url: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface GatewayResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text; undefined if it is not JSON. */
  readonly body: ResponseBody
}

export interface Options {
  /** A bearer token; null: no Authorization header. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Sent unchanged instead of `json`. */
  readonly raw?: string | Uint8Array
  readonly signal?: AbortSignal
}

export interface ChatOptions extends Options {
  /** Index of the demo's Application that sends the request. */
  readonly app?: number
  readonly userToken?: string
  readonly path?: string
}

export const CHAT = '/v1/chat/completions'
export const EMBEDDINGS = '/v1/embeddings'

/** The seven endpoints, each with a valid request. */
export const ENDPOINTS = [
  { name: 'chat', method: 'POST', path: CHAT, json: { messages: [{ role: 'user', content: 'Good morning' }] } },
  { name: 'embeddings', method: 'POST', path: EMBEDDINGS, json: { model: 'scripted', input: 'Good morning' } },
  { name: 'models', method: 'GET', path: '/v1/models', json: undefined },
  { name: 'knowledge_search', method: 'POST', path: '/v1/knowledge/search', json: { query: 'opening hours' } },
  { name: 'memory_search', method: 'POST', path: '/v1/memory/search', json: { query: 'opening hours' } },
  {
    name: 'memory_capture',
    method: 'POST',
    path: '/v1/memory/capture',
    json: { content: 'Prefers mornings', scope: 'application', kind: 'preference', classification: 'internal' },
  },
  { name: 'audit', method: 'GET', path: '/v1/audit/aud_01h455vb4pex5vsknk084sn02q', json: undefined },
] as const

export type Gateway = ReturnType<typeof gatewayClient>

/** Sends requests to a server with the credentials of the demo's Applications and operator. */
export function gatewayClient({ base, demo }: Pick<TestServer, 'base' | 'demo'>) {
  const key = (app = 0): string => demo.applications[app]?.api_key ?? ''

  const api = async (method: string, path: string, options: Options = {}): Promise<GatewayResponse> => {
    const { token = key(), json, raw, headers, signal } = options
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body as string,
      redirect: 'manual',
      ...(signal && { signal }),
    })
    return toGatewayResponse(response.status, response.headers, await response.text())
  }

  const post = (path: string, json: unknown, { app = 0, userToken, headers, ...options }: ChatOptions = {}) =>
    api('POST', path, {
      token: key(app),
      json,
      headers: { ...(userToken !== undefined && { 'x-gateway-user-token': userToken }), ...headers },
      ...options,
    })

  const admin = (method: string, path: string, options: Options = {}) =>
    api(method, `/admin/v1${path}`, { token: demo.admin_token, ...options })

  return {
    base,
    demo,
    key,
    api,
    post,
    admin,
    /** `prompt`: the text of one user message, or all messages. */
    chat: (prompt: string | readonly Message[], more: Readonly<Record<string, unknown>> = {}, options: ChatOptions = {}) =>
      post(options.path ?? CHAT, { model: 'scripted', messages: asMessages(prompt), ...more }, options),
    record: async (auditId: string, app = 0): Promise<ResponseBody> =>
      expectSuccess(await api('GET', `/v1/audit/${auditId}`, { token: key(app) })),
    /** The audit record of a response of any Application. */
    recordOf: async ({ headers }: Pick<GatewayResponse, 'headers'>): Promise<ResponseBody> =>
      expectSuccess(await admin('GET', `/audit/${headers.get('x-audit-id')}`)),
  }
}

const asMessages = (prompt: string | readonly Message[]): readonly Message[] =>
  typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt

export function toGatewayResponse(status: number, headers: Headers, text: string): GatewayResponse {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {}
  return { status, headers, text, body: body as ResponseBody }
}

/** Fails unless the response has the expected status (200); returns its body. */
export function expectSuccess({ status, text, body }: GatewayResponse, expected = 200): ResponseBody {
  expect(status, text).toBe(expected)
  return body
}

/** The content of a completion's first choice. */
export const contentOf = (response: GatewayResponse): string => expectSuccess(response).choices[0]?.message.content ?? ''

const FIELDS = new Set(['code', 'message', 'type', 'param', 'audit_id', 'review_item_id', 'expires_at', 'details', 'doc_url'])

/** Fails unless the response is an error envelope with this code; returns its `error`. */
export function expectError(response: GatewayResponse, code: ErrorCode): ErrorBody {
  expectEnvelope(response)
  expect(response.body.error.code, response.text).toBe(code)
  return response.body.error
}

/** Fails unless the response is an error in the error envelope (API-ERR-1 to API-ERR-3). */
export function expectEnvelope({ status, headers, text, body }: GatewayResponse): void {
  const error = body?.error
  const row = ERRORS[error?.code as ErrorCode]
  if (!row) throw new Error(`not an error code of errors.ts: ${status} ${text.slice(0, 500)}`)
  const isEnvelope =
    Object.keys(body).length === 1 &&
    Object.keys(error).every((field) => FIELDS.has(field)) &&
    status === row.status &&
    error.type === row.type &&
    typeof error.message === 'string' &&
    error.message.length > 0 &&
    (error.param === null || typeof error.param === 'string') &&
    ['undefined', 'string'].includes(typeof error.audit_id) &&
    ['undefined', 'string'].includes(typeof error.review_item_id) &&
    String(error.doc_url).endsWith(`/docs/troubleshooting#${error.code.toLowerCase()}`) &&
    (error.details === undefined || (typeof error.details === 'object' && error.details !== null)) &&
    /^application\/json/.test(headers.get('content-type') ?? '') &&
    REQUEST_ID.test(headers.get('x-request-id') ?? '')
  if (!isEnvelope) throw new Error(`not an error envelope: ${status} ${JSON.stringify([...headers])} ${text.slice(0, 500)}`)
}

export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
