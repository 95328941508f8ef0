import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { hasWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { resetPasswordAttempts } from '../../../domains/operators/attempt-store.ts'
import {
  CALLBACK_PATH,
  CLIENT_ADDRESS_HEADER,
  checkCallbackQuery,
  openPaths,
  SINGLE_SIGN_ON_URLS,
} from '../../../domains/operators/better-auth-paths.ts'
import { findInvitation } from '../../../domains/operators/invitation-store.ts'
import { findPerson, hasPeople } from '../../../domains/operators/operator-store.ts'
import { originOf, refuseCrossSite } from '../../../domains/operators/same-origin.ts'
import type { SignIn, SignInDeps } from '../../../domains/operators/sign-in.ts'
import { type ErrorCode, GatehouseError } from '../../../errors.ts'
import { type Checked, checker } from '../../../platform/lib/schema.ts'
import { isUnavailable } from '../../../platform/lib/unavailable.ts'
import { sendError } from '../../kit/error-responses.ts'

export interface SignInRoutesDeps extends Pick<SignInDeps, 'db' | 'clock'> {
  readonly signIn: SignIn
}

const MAX_BODY_BYTES = 16_384

const Line = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })
const Password = Type.String({ minLength: 12, maxLength: 128, pattern: '^[^\\u0000\\p{Cs}]*$' })
const Token = Type.String({ maxLength: 200 })
const checkToken = checker(Type.Object({ token: Token }))
const checkAcceptance = checker(
  Type.Object({
    token: Token,
    name: Type.Optional(Line),
    email: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$' })),
    password: Password,
  }),
)

export async function signInRoutes(app: FastifyInstance, deps: SignInRoutesDeps): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  app.setErrorHandler((error) => {
    throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseCrossSite(request, deps.signIn)
  })
  invitationRoutes(app, deps)
  betterAuthRoutes(app, deps)
}

function invitationRoutes(app: FastifyInstance, { db, clock, signIn }: SignInRoutesDeps): void {
  app.get('/gatehouse/methods', { schema: { hide: true } }, async () => ({
    oidc: signIn.identityProvider === undefined ? null : { name: signIn.identityProvider },
    needs_first_login: !(await hasPeople(db)),
  }))

  app.post('/gatehouse/invitation', { schema: { hide: true } }, async (request) => {
    const { token } = valid(checkToken(readJson(request)))
    const invitation = await findInvitation(db, token, clock.now())
    if (!invitation) throw invalidInvitation()
    const isFirst = invitation.operatorId === null
    const person = invitation.operatorId === null ? undefined : await findPerson(db, invitation.operatorId)
    // The first owner names the first Workspace, unless the command line or gatehouse.yaml has created one.
    const needsWorkspace = isFirst && !(await hasWorkspaces(db))
    return { email: person?.email ?? null, name: person?.name ?? null, needs_workspace: needsWorkspace }
  })

  app.post('/gatehouse/accept', { schema: { hide: true } }, async (request, reply) => {
    const acceptance = valid(checkAcceptance(readJson(request)))
    const result = await signIn.accept(acceptance)
    if (result.kind === 'unknown') throw invalidInvitation()
    if (result.kind === 'missing')
      throw new GatehouseError('VALIDATION_ERROR', { message: `${result.param}: is required.`, param: result.param })
    if (result.kind === 'taken')
      throw new GatehouseError('CONFLICT', { message: 'An operator with this email address already exists.' })
    await resetPasswordAttempts(db, result.email)
    const session = await signInWithPassword(request, { email: result.email, password: acceptance.password }, signIn)
    return sendWebResponse(session, reply, signIn)
  })
}

function betterAuthRoutes(app: FastifyInstance, { signIn }: SignInRoutesDeps): void {
  const forward = async (request: FastifyRequest, reply: FastifyReply, body?: object) => {
    const { handler } = await signIn.loadLibrary()
    return sendWebResponse(await handler(toWebRequest(request, signIn, body)), reply, signIn)
  }
  const hasIdentityProvider = signIn.identityProvider !== undefined
  for (const { path, check, fixedFields } of openPaths(hasIdentityProvider))
    app.post(path, { schema: { hide: true } }, async (request, reply) =>
      forward(request, reply, { ...valid(check(readJson(request))), ...fixedFields }),
    )
  if (hasIdentityProvider)
    app.get(CALLBACK_PATH, { schema: { hide: true } }, async (request, reply) => {
      valid(checkCallbackQuery(request.query))
      return forward(request, reply)
    })
}

const invalidInvitation = (): GatehouseError =>
  new GatehouseError('NOT_FOUND', { message: 'This link is invalid, expired or already used. Ask an owner for a new link.' })

function readJson({ body }: FastifyRequest): unknown {
  try {
    return JSON.parse(String(body ?? ''))
  } catch {
    throw new GatehouseError('VALIDATION_ERROR', { message: 'The body must be JSON.' })
  }
}

function valid<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value
  const { param, message } = checked.problem
  throw new GatehouseError('VALIDATION_ERROR', { message: `${param || 'The body'}: ${message}.`, ...(param && { param }) })
}

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-prefix']

/** The request for better-auth. For single sign-on its URL is the public one, because the identity provider sees it. */
function toWebRequest(request: FastifyRequest, signIn: SignIn, body?: object): Request {
  const headers = toWebHeaders(request, signIn)
  headers.delete('content-length')
  const isSingleSignOn = SINGLE_SIGN_ON_URLS.has(request.routeOptions.url ?? '')
  const url = new URL(request.url, isSingleSignOn ? request.base : originOf(request, signIn))
  return new Request(url, { method: request.method, headers, ...(body && { body: JSON.stringify(body) }) })
}

/** The client's address is that of the connection, or the one from trusted proxies. */
function toWebHeaders({ headers: incoming, socket }: FastifyRequest, { trustsProxies }: SignIn): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming)) if (value !== undefined) headers.set(name, [value].flat().join(', '))
  const forwarded = trustsProxies ? incoming['x-forwarded-for'] : undefined
  // better-auth would build URLs from these headers.
  for (const name of FORWARDING_HEADERS) headers.delete(name)
  headers.set(CLIENT_ADDRESS_HEADER, [forwarded ?? [], socket.remoteAddress ?? ''].flat().join(', '))
  return headers
}

async function signInWithPassword(
  request: FastifyRequest,
  body: { email: string; password: string },
  signIn: SignIn,
): Promise<Response> {
  const { api } = await signIn.loadLibrary()
  return api.signInEmail({ body, headers: toWebHeaders(request, signIn), asResponse: true })
}

const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_INVALID_KEY',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  // better-auth has logged the cause, usually a database that does not respond.
  500: 'UNAVAILABLE',
}

/** The identity provider is configured, but better-auth could not read its configuration. */
const ISSUER_DOWN = 'PROVIDER_NOT_FOUND'

function issuerDown({ identityProvider: name = '' }: SignIn): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} does not respond. Sign in with a password, or try again.`
}

/** Cookies of https requests are sent over https only. */
const secureCookie = (cookie: string, { base }: FastifyRequest): string =>
  base.startsWith('https:') && !/;\s*secure/i.test(cookie) ? `${cookie}; Secure` : cookie

/** Sends better-auth's response. An error gets our envelope, with its code in `details.reason`. */
async function sendWebResponse(response: Response, reply: FastifyReply, signIn: SignIn): Promise<FastifyReply> {
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', secureCookie(cookie, reply.request))
  if (response.status < 400) await signIn.publishChange()
  const location = response.headers.get('location')
  const text = await response.text()
  if (response.status >= 400) {
    const { code, message } = JSON.parse(text || '{}') as { code?: string; message?: string }
    if (code === ISSUER_DOWN) return sendError(reply, 'UNAVAILABLE', { message: issuerDown(signIn), details: { reason: code } })
    const retryAfter = response.headers.get('x-retry-after')
    return sendError(reply, ERROR_CODES[response.status] ?? 'INTERNAL', {
      ...(message && { message: `${message.replace(/\.$/, '')}.` }),
      ...(code && { details: { reason: code } }),
      ...(retryAfter && { headers: { 'retry-after': retryAfter } }),
    })
  }
  if (location !== null && response.status >= 300) return reply.redirect(location, response.status)
  return reply.status(response.status).type('application/json').send(withoutToken(text))
}

/** Removes the session token, which only the cookie may contain because scripts cannot read it. */
function withoutToken(text: string): string {
  const value: unknown = JSON.parse(text || '{}')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  return JSON.stringify({ ...value, token: undefined })
}
