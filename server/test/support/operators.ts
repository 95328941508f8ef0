import { createHmac, randomInt } from 'node:crypto'
import { expect } from 'vitest'
import { newInvitationToken, putInvitation } from '../../src/domains/operators/invitation-store.ts'
import type { Role } from '../../src/shared/operator.ts'
import { type ApiResponse, adminClient, type Json } from '../admin/client.ts'
import { word } from './scripted-provider.ts'
import type { TestServer } from './server.ts'

type Server = Pick<TestServer, 'base' | 'demo'>

export const PASSWORD = 'correct horse battery staple'

/** A browser that keeps cookies and sends the headers of a same-origin page. */
export class Browser {
  readonly #cookies = new Map<string, string>()
  readonly base: string
  /** The client address if the server trusts this machine as a proxy (GATEHOUSE_TRUSTED_PROXIES). */
  readonly #address = `10.0.${randomInt(256)}.${randomInt(256)}`

  constructor(base: string) {
    this.base = base
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** `headers` are added to those of a browser; null removes a header. */
  async send(
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<ApiResponse & { readonly cookies: readonly string[] }> {
    const sent: Record<string, string | null> = {
      cookie: this.cookie || null,
      origin: method === 'GET' ? null : this.base,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': this.#address,
      'content-type': json === undefined ? null : 'application/json',
      ...headers,
    }
    const response = await fetch(new URL(path, this.base), {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(Object.entries(sent).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    const cookies = response.headers.getSetCookie()
    for (const cookie of cookies) this.#keep(cookie)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined, cookies }
  }

  /** A browser with the same cookies, for another node if `base` is given. */
  copy(base = this.base): Browser {
    const copy = new Browser(base)
    for (const [name, value] of this.#cookies) copy.#cookies.set(name, value)
    return copy
  }

  post = (path: string, json: unknown = {}) => this.send('POST', path, json)
  get = (path: string) => this.send('GET', path)
  signIn = (email: string, password = PASSWORD) => this.post('/auth/sign-in/email', { email, password })
  session = () => this.get('/admin/v1/session')
  /** Accepts the invitation with this token, and signs in. */
  accept = (token: string, fields: object = {}) => this.post('/auth/gatehouse/accept', { token, password: PASSWORD, ...fields })

  #keep(cookie: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? []
    if (/max-age=0/i.test(attributes)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

export interface Invitation {
  readonly id: string
  readonly email: string
  /** The token in the link. */
  readonly token: string
}

/** A role in all Workspaces, or roles by Workspace. */
type GivenRoles = Role | Readonly<Record<string, Role>>

/** The fields of an operator with these roles. */
const roleFields = (roles: GivenRoles) =>
  typeof roles === 'string'
    ? { role: roles }
    : { workspace_roles: Object.entries(roles).map(([workspace_id, role]) => ({ workspace_id, role })) }

/** Invites an operator, who has not signed in yet. */
export async function inviteOperator(server: Server, roles: GivenRoles): Promise<Invitation> {
  const email = `${word()}@example.com`
  const name = typeof roles === 'string' ? `A ${roles}` : 'An operator of Workspaces'
  const { operator, url } = await adminClient(server).create('/operators', { email, name, ...roleFields(roles) })
  return { id: operator.id, email, token: tokenOf(url) }
}

/** A new browser in which the operator has signed in, unless the server refused it. */
export async function signInWithPassword({ base }: Pick<Server, 'base'>, email: string, password?: string): Promise<Browser> {
  const browser = new Browser(base)
  await browser.signIn(email, password)
  return browser
}

/** The operator with this id or e-mail address, as an owner of all Workspaces sees it. */
export async function findOperator(server: Server, idOrEmail: string): Promise<Json> {
  const { data } = await adminClient(server).get('/operators?limit=100')
  return data.find(({ id, email }: Json) => id === idOrEmail || email === idOrEmail)
}

export const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? ''

/** Creates an unused token for a first login, or for an operator: an invitation of the server. */
export async function createFirstLoginToken({ context }: TestServer, id: string | null = null): Promise<string> {
  const token = newInvitationToken()
  await context.database.db.transaction().execute((tx) => putInvitation(tx, id, token, new Date()))
  return token
}

/** Accepts an invitation of the server, like that of `gatehouse operator invite`: no operator knows the password. */
export async function acceptFromServer(server: TestServer, id: string): Promise<Browser> {
  const browser = new Browser(server.base)
  const token = await createFirstLoginToken(server, id)
  expect((await browser.accept(token)).status).toBe(200)
  return browser
}

/** Invites an operator and signs in. */
export async function signInOperator(server: Server, roles: GivenRoles): Promise<Invitation & { readonly browser: Browser }> {
  const invitation = await inviteOperator(server, roles)
  const browser = new Browser(server.base)
  const reply = await browser.accept(invitation.token)
  expect(reply.status, reply.text).toBe(200)
  return { ...invitation, browser }
}

/** The recorded changes of an operator, oldest first, each marked if the operator made it. */
export async function readChangesOf(server: TestServer, id: string): Promise<string[]> {
  const records = (await adminClient(server).records(100)).filter(({ change }) => change?.object_id === id)
  const { hasher } = await server.context.workspaceKeys.get(records[0]?.workspace_id)
  const own = hasher.user(id)
  return records.map(({ change, user }) => `${change.action}${user.id === own ? ' by themselves' : ''}`).toReversed()
}

/** The one-time password for the secret of an `otpauth://` URI (RFC 6238). */
export function totp(uri: string, at = Date.now()): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Signs in through the provider; returns the URL where the browser ends. */
export async function signInThroughProvider(client: Browser): Promise<string> {
  const started = await client.post('/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/dashboard/reviews',
    errorCallbackURL: '/dashboard/sign-in',
    disableRedirect: true,
  })
  expect(started.status, started.text).toBe(200)
  const redirect = await fetch(started.body.url, { redirect: 'manual' })
  const headers = { 'sec-fetch-site': 'cross-site', origin: null }
  const finished = await client.send('GET', redirect.headers.get('location') ?? '', undefined, headers)
  expect(finished.status, finished.text).toBe(302)
  return finished.headers.get('location') ?? ''
}
