import { expect } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { expectEnvelope } from '../support/gateway-client.ts'
import type { TestServer } from '../support/server.ts'

export type Json = ReturnType<typeof JSON.parse>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

export interface Sending {
  readonly token?: string | null
  readonly workspace?: string
  /** Instead of JSON: sent as it is. */
  readonly raw?: string | Uint8Array
  readonly type?: string
}

export type Admin = ReturnType<typeof adminClient>

/** Speaks to the admin API as an operator does. */
export function adminClient({ base, demo }: Pick<TestServer, 'base' | 'demo'>) {
  const send = async (method: string, path: string, json?: unknown, sending: Sending = {}): Promise<Reply> => {
    const { token = demo.admin_token, workspace, raw, type = 'application/json' } = sending
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    const response = await fetch(path.startsWith('/admin') ? base + path : `${base}/admin/v1${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(workspace !== undefined && { 'x-gatehouse-workspace': workspace }),
        ...(body !== undefined && { 'content-type': type }),
      },
      body: body as string,
    })
    const text = await response.text()
    const isJson =
      /json/.test(response.headers.get('content-type') ?? '') && !/ndjson/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : undefined }
  }
  const expecting =
    (status: number, method: string) =>
    async (path: string, json?: unknown, sending?: Sending): Promise<Json> => {
      const reply = await send(method, path, json, sending)
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBe(status)
      return reply.body
    }
  return {
    send,
    get: (path: string, sending?: Sending): Promise<Json> => expecting(200, 'GET')(path, undefined, sending),
    create: expecting(201, 'POST'),
    post: expecting(200, 'POST'),
    patch: expecting(200, 'PATCH'),
    put: expecting(200, 'PUT'),
    remove: (path: string, sending?: Sending): Promise<Json> => expecting(204, 'DELETE')(path, undefined, sending),
    /** The newest audit records, newest first. */
    records: async (limit = 1, sending?: Sending): Promise<Json[]> =>
      (await expecting(200, 'GET')(`/audit?limit=${limit}`, undefined, sending)).data,
    /** A Workspace of its own, by its id: what is done there disturbs nobody. */
    workspace: async (name = `test ${crypto.randomUUID()}`): Promise<string> =>
      (await expecting(201, 'POST')('/workspaces', { name })).id,
  }
}

/** Fails unless that is the refusal, in the one envelope; answers its `error`. */
export function refused(reply: Reply, code: ErrorCode, param?: string): Json {
  expectEnvelope(reply)
  expect(reply.body.error.code, reply.text).toBe(code)
  if (param !== undefined) expect(reply.body.error.param, reply.text).toBe(param)
  return reply.body.error
}
