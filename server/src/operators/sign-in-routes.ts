import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { type ErrorCode, GatehouseError } from '../errors.ts'
import { sendError } from '../http/error-responses.ts'
import { type Checked, checker } from '../lib/schema.ts'
import { isUnavailable } from '../lib/unavailable.ts'
import { resetPasswordAttempts } from './attempt-store.ts'
import { CLIENT_ADDRESS_HEADER } from './client-address.ts'
import { findInvitation } from './invitation-store.ts'
import { findPerson } from './operator-store.ts'
import { originOf, refuseCrossSite } from './same-origin.ts'
import type { SignIn, SignInDeps } from './sign-in.ts'

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

/** Its own checks say what is wrong with these; nothing else comes in. */
const Given = Type.String({ maxLength: 1_000, pattern: '^[^\\u0000\\p{Cs}]*$' })
const exactly = (fields: TProperties) => checker(Type.Object(fields, { additionalProperties: false }))
const checkNothing = exactly({})
const checkPassword = exactly({ password: Given })
const checkCode = exactly({ code: Given })

interface Open {
  readonly path: string
  /** What a browser may send, … */
  readonly check: (body: unknown) => Checked<object>
  /** … and what the library is told beside that. */
  readonly always?: object
}

/** What of better-auth is open; the rest of it (signing up, changing addresses, linking accounts …) is nobody's. */
const OPEN: readonly Open[] = [
  { path: '/sign-in/email', check: exactly({ email: Given, password: Given }) },
  { path: '/sign-out', check: checkNothing },
  { path: '/revoke-other-sessions', check: checkNothing },
  {
    path: '/change-password',
    check: exactly({ currentPassword: Given, newPassword: Given }),
    always: { revokeOtherSessions: true },
  },
  { path: '/two-factor/enable', check: checkPassword },
  { path: '/two-factor/disable', check: checkPassword },
  { path: '/two-factor/verify-totp', check: checkCode },
  { path: '/two-factor/verify-backup-code', check: checkCode },
  { path: '/two-factor/generate-backup-codes', check: checkPassword },
]

/** Beside those where there is a provider. That somebody comes from it is said by the way back alone, never by a token that they bring. */
const SINGLE_SIGN_ON: Open = {
  path: '/sign-in/social',
  check: exactly({
    provider: Type.Literal('oidc'),
    callbackURL: Type.Optional(Given),
    errorCallbackURL: Type.Optional(Given),
    disableRedirect: Type.Optional(Type.Boolean()),
  }),
}
/** Their URL is sent on, to the provider: it is never what a caller calls this server. */
const SINGLE_SIGN_ON_PATHS = new Set(['/auth/sign-in/social', '/auth/callback/oidc'])
/** Each parameter once. */
const checkWayBack = checker(Type.Record(Type.String(), Type.String()))

/** Where people sign in, mounted at `/auth`: a few paths of the library's, and three of ours. */
export async function signInRoutes(app: FastifyInstance, deps: SignInRoutesDeps): Promise<void> {
  const { db, clock, signIn } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  app.setErrorHandler((error) => {
    throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseCrossSite(request, signIn)
  })

  app.get('/gatehouse/methods', { schema: { hide: true } }, async () => ({
    oidc: signIn.singleSignOn === undefined ? null : { name: signIn.singleSignOn },
  }))

  app.post('/gatehouse/invitation', { schema: { hide: true } }, async (request) => {
    const { token } = valid(checkToken(jsonOf(request)))
    const invitation = await findInvitation(db, token, clock.now())
    if (!invitation) throw noInvitation()
    const person = invitation.operatorId === null ? undefined : await findPerson(db, invitation.operatorId)
    return { email: person?.email ?? null, name: person?.name ?? null }
  })

  app.post('/gatehouse/accept', { schema: { hide: true } }, async (request, reply) => {
    const acceptance = valid(checkAcceptance(jsonOf(request)))
    const result = await signIn.accept(acceptance)
    if (result.kind === 'unknown') throw noInvitation()
    if (result.kind === 'missing')
      throw new GatehouseError('VALIDATION_ERROR', { message: `${result.param}: is required.`, param: result.param })
    if (result.kind === 'taken')
      throw new GatehouseError('CONFLICT', { message: 'An operator with this email address already exists.' })
    await resetPasswordAttempts(db, result.email)
    return answer(await signedIn(request, { email: result.email, password: acceptance.password }, signIn), reply, signIn)
  })

  const ask = async (request: FastifyRequest, reply: FastifyReply, body?: object) =>
    answer(await (await signIn.library()).handler(webRequest(request, signIn, body)), reply, signIn)

  const hasProvider = signIn.singleSignOn !== undefined
  for (const { path, check, always } of hasProvider ? [...OPEN, SINGLE_SIGN_ON] : OPEN)
    app.post(path, { schema: { hide: true } }, async (request, reply) =>
      ask(request, reply, { ...valid(check(jsonOf(request))), ...always }),
    )
  if (hasProvider)
    app.get('/callback/oidc', { schema: { hide: true } }, async (request, reply) => {
      valid(checkWayBack(request.query))
      return ask(request, reply)
    })
}

const noInvitation = (): GatehouseError =>
  new GatehouseError('NOT_FOUND', { message: 'This link is invalid, expired or already used.' })

function jsonOf({ body }: FastifyRequest): unknown {
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

/** As the library wants it. Who asks is said by the connection, and by proxies that are trusted; never by the caller. */
function webRequest(request: FastifyRequest, signIn: SignIn, body?: object): Request {
  const headers = headersOf(request, signIn)
  headers.delete('content-length')
  const isSingleSignOn = SINGLE_SIGN_ON_PATHS.has(request.routeOptions.url ?? '')
  const url = new URL(request.url, isSingleSignOn ? request.base : originOf(request, signIn))
  return new Request(url, { method: request.method, headers, ...(body && { body: JSON.stringify(body) }) })
}

function headersOf({ headers: given, socket }: FastifyRequest, { trustsProxies }: SignIn): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, [value].flat().join(', '))
  const forwarded = trustsProxies ? given['x-forwarded-for'] : undefined
  // The library would build URLs from them.
  for (const name of FORWARDING_HEADERS) headers.delete(name)
  headers.set(CLIENT_ADDRESS_HEADER, [forwarded ?? [], socket.remoteAddress ?? ''].flat().join(', '))
  return headers
}

/** A session for somebody who has just chosen that password. */
async function signedIn(request: FastifyRequest, body: { email: string; password: string }, signIn: SignIn): Promise<Response> {
  const { api } = await signIn.library()
  return api.signInEmail({ body, headers: headersOf(request, signIn), asResponse: true })
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_INVALID_KEY',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  // The library has logged why; as a rule the database does not answer.
  500: 'UNAVAILABLE',
}

/** Where people come by https, cookies are for https only. */
const secured = (cookie: string, { base }: FastifyRequest): string =>
  base.startsWith('https:') && !/;\s*secure/i.test(cookie) ? `${cookie}; Secure` : cookie

/** Passes the library's answer on; a refusal in our envelope, with the library's own word for it in `details.reason`. */
async function answer(response: Response, reply: FastifyReply, signIn: SignIn): Promise<FastifyReply> {
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', secured(cookie, reply.request))
  if (response.status < 400) await signIn.changed()
  const location = response.headers.get('location')
  const text = await response.text()
  if (response.status >= 400) {
    const { code, message } = JSON.parse(text || '{}') as { code?: string; message?: string }
    const retryAfter = response.headers.get('x-retry-after')
    return sendError(reply, CODES[response.status] ?? 'INTERNAL', {
      ...(message && { message: `${message.replace(/\.$/, '')}.` }),
      ...(code && { details: { reason: code } }),
      ...(retryAfter && { headers: { 'retry-after': retryAfter } }),
    })
  }
  if (location !== null && response.status >= 300) return reply.redirect(location, response.status)
  return reply.status(response.status).type('application/json').send(withoutToken(text))
}

/** The session's token belongs in its cookie, where no script can read it. */
function withoutToken(text: string): string {
  const value: unknown = JSON.parse(text || '{}')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  return JSON.stringify({ ...value, token: undefined })
}
