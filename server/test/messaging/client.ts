import { expect } from 'vitest'
import { UserRateLimiter } from '../../src/domains/messaging/people/user-rate-limiter.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { type ApiResponse, adminClient, expectError as expectErrorResponse, type Json } from '../admin/client.ts'
import type { TestServer } from '../support/server.ts'

/** For `startServer({}, { userRateLimiter: unhurried() })`: tests are faster than people. */
export const unlimitedRate = (): UserRateLimiter => {
  const rate = { perMinute: 6_000_000, capacity: 100_000 }
  return new UserRateLimiter({ send: rate, other: rate })
}

export interface SendOptions {
  /** Encoding of the fields; default: json. */
  readonly as?: 'json' | 'form'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged instead of fields. */
  readonly raw?: string | FormData | Uint8Array
  readonly token?: string | null
}

/** `{a: {b: ['x']}}` → `a[b][]=x`, as in the examples of the API reference. */
export const formOf = (fields: object, prefix = ''): string =>
  Object.entries(fields)
    .flatMap(([key, value]) => {
      const name = prefix ? `${prefix}[${key}]` : key
      if (Array.isArray(value) && value.some((item) => typeof item === 'object')) return formOf({ ...value }, name)
      if (Array.isArray(value)) return value.map((item) => `${name}[]=${encodeURIComponent(String(item))}`)
      if (typeof value === 'object' && value !== null) return formOf(value, name)
      return `${name}=${encodeURIComponent(value === null ? '' : String(value))}`
    })
    .join('&')

export type Content = string | Uint8Array<ArrayBuffer>

/** The body of an upload. */
export function fileForm(content: Content, name = 'note.txt', type = 'text/plain', field = 'file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([content], { type }), name)
  return form
}

export type Member = ReturnType<typeof memberClient>

function memberClient(base: string, id: string, token: string) {
  const send = async (method: string, path: string, fields?: object, sending: SendOptions = {}): Promise<ApiResponse> => {
    const { as = 'json', headers = {}, raw, token: other = token } = sending
    const type = as === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
    const encoded = fields && (as === 'json' ? JSON.stringify(fields) : formOf(fields))
    const response = await fetch(`${base}/v1${path}`, {
      method,
      headers: {
        ...(other !== null && { authorization: `Bearer ${other}` }),
        ...(encoded !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...((raw ?? encoded) !== undefined && { body: raw ?? encoded }),
    } as RequestInit)
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : undefined }
  }
  const expecting =
    (status: number, method: string) =>
    async (path: string, fields?: object, sending?: SendOptions): Promise<Json> => {
      const reply = await send(method, path, fields, sending)
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBe(status)
      return reply.body
    }
  const create = expecting(201, 'POST')
  return {
    id,
    token,
    send,
    get: (path: string): Promise<Json> => expecting(200, 'GET')(path),
    create,
    /** Uploads a file; returns the attachment. */
    upload: (content: Content, name?: string, type?: string, sending?: SendOptions): Promise<Json> =>
      create('/attachments', undefined, { ...sending, raw: fileForm(content, name, type) }),
    post: expecting(200, 'POST'),
    put: expecting(200, 'PUT'),
    remove: (path: string): Promise<Json> => expecting(204, 'DELETE')(path),
    /** Sends a request and expects an error with this code; returns its `error`. */
    expectError: async (code: ErrorCode, method: string, path: string, fields?: object, sending?: SendOptions): Promise<Json> =>
      expectErrorResponse(await send(method, path, fields, sending), code),
  }
}

/** Creates users with access tokens. Ids and usernames are the names with a random suffix. */
export async function createMembers<const N extends string>(
  server: TestServer,
  names: readonly N[],
  workspace?: string,
): Promise<Record<N, Member>> {
  const admin = adminClient(server)
  const sending = workspace === undefined ? {} : { workspace }
  const members = await Promise.all(
    names.map(async (name) => {
      const id = `${name}-${crypto.randomUUID().slice(0, 8)}`
      await admin.create('/users', { id, username: id }, sending)
      const { token } = await admin.create(`/users/${id}/tokens`, {}, sending)
      return [name, memberClient(server.base, id, token)] as const
    }),
  )
  return Object.fromEntries(members) as Record<N, Member>
}
