import { expect } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { expectEnvelope } from '../support/gateway-client.ts'
import type { TestServer } from '../support/server.ts'

export type Json = ReturnType<typeof JSON.parse>

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

export interface Sending {
  readonly token?: string | null
  readonly workspace?: string
  /** The body, sent unchanged instead of JSON. */
  readonly raw?: string | Uint8Array
  readonly type?: string
}

export type Admin = ReturnType<typeof adminClient>

/** A client of the admin API, by default with the demo's admin token. */
export function adminClient({ base, demo }: Pick<TestServer, 'base' | 'demo'>) {
  const send = async (method: string, path: string, json?: unknown, sending: Sending = {}): Promise<ApiResponse> => {
    const { token = demo.admin_token, workspace, raw, type = 'application/json' } = sending
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    const fetched = await fetch(path.startsWith('/admin') ? base + path : `${base}/admin/v1${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(workspace !== undefined && { 'x-gatehouse-workspace': workspace }),
        ...(body !== undefined && { 'content-type': type }),
      },
      body: body as string,
    })
    const text = await fetched.text()
    const isJson =
      /json/.test(fetched.headers.get('content-type') ?? '') && !/ndjson/.test(fetched.headers.get('content-type') ?? '')
    return { status: fetched.status, headers: fetched.headers, text, body: isJson && text ? JSON.parse(text) : undefined }
  }
  const expecting =
    (status: number, method: string) =>
    async (path: string, json?: unknown, sending?: Sending): Promise<Json> => {
      const response = await send(method, path, json, sending)
      expect(response.status, `${method} ${path}: ${response.text}`).toBe(status)
      return response.body
    }
  const get = (path: string, sending?: Sending): Promise<Json> => expecting(200, 'GET')(path, undefined, sending)
  return {
    send,
    get,
    create: expecting(201, 'POST'),
    post: expecting(200, 'POST'),
    patch: expecting(200, 'PATCH'),
    put: expecting(200, 'PUT'),
    remove: (path: string, sending?: Sending): Promise<Json> => expecting(204, 'DELETE')(path, undefined, sending),
    /** The newest audit records, newest first. */
    records: async (limit = 1, sending?: Sending): Promise<Json[]> => (await get(`/audit?limit=${limit}`, sending)).data,
    /** The objects of all pages of a list. */
    all: (path: string, paging: Paging): Promise<Json[]> => readAll(get, path, paging),
    /** Creates a Workspace for one test; returns its id. */
    workspace: async (name = `test ${crypto.randomUUID()}`): Promise<string> =>
      (await expecting(201, 'POST')('/workspaces', { name })).id,
  }
}

interface Paging {
  readonly limit: number
  readonly workspace?: string
  /** Runs after each page but the last. */
  readonly between?: (page: Json) => Promise<unknown>
}

async function readAll(get: Admin['get'], path: string, { limit, workspace, between }: Paging): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = '', pages = 0; pages < 200; pages++) {
    const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}${query}`, workspace === undefined ? {} : { workspace })
    expect(page.object).toBe('list')
    expect(page.data.length).toBeLessThanOrEqual(limit)
    expect(page.has_more).toBe(page.next_cursor !== null)
    all.push(...page.data)
    if (!page.has_more) return all
    await between?.(page)
    cursor = encodeURIComponent(page.next_cursor)
  }
  throw new Error(`${path} has no end`)
}

/** Expects this error in the error envelope; returns its `error`. */
export function expectError(response: ApiResponse, code: ErrorCode, param?: string): Json {
  expectEnvelope(response)
  expect(response.body.error.code, response.text).toBe(code)
  if (param !== undefined) expect(response.body.error.param, response.text).toBe(param)
  return response.body.error
}
