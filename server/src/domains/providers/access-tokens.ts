import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Dispatcher } from 'undici'
import { DeadlineError, withDeadline } from '../../platform/lib/deadline.ts'
import { type HttpFailure, type HttpRequest, sendHttpRequest } from '../../platform/lib/http-request.ts'
import { untilAborted } from '../../platform/lib/until-aborted.ts'
import { isCount, parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'

/** Adds the headers that prove who sends a request. A failure is that of the service that issues the proof; nothing was sent. */
export type Authorize = (
  request: HttpRequest,
) => Promise<{ readonly ok: true; readonly headers: readonly string[] } | HttpFailure>

export interface AuthorizeDeps {
  readonly origin: string
  readonly tokens: AccessTokens
  readonly allowPrivateUrls: boolean
}

/** A credential that the token endpoint at `tokenUri` exchanges for an access token (RFC 6749). */
export interface TokenGrant {
  readonly tokenUri: string
  /** All that the token depends on, as JSON. Accounts with different values never share a token. */
  readonly account: object
  /** The fields of the request. `issuedAt`: seconds since the epoch. undefined: the credential cannot be used. */
  form(issuedAt: number): Promise<Readonly<Record<string, string>> | undefined>
}

/** A token is not used in its last minutes, so that it does not expire within a request. */
const EARLY_SECONDS = 300
const MAX_SECONDS = 86_400
const EXCHANGE_MS = 10_000
const MAX_BYTES = 65_536
const TOKEN = /^[!-~]{1,8192}$/
const MAX_ACCOUNTS = 512
const FORM_TYPE = 'application/x-www-form-urlencoded'
const FORM_HEADERS = ['accept', 'application/json', 'content-type', FORM_TYPE, 'user-agent', 'gatehouse']

/** Code of a failure of the token endpoint, which is not the provider's. */
export const TOKEN_FAILED = 'ERR_ACCESS_TOKEN'

/** `usableUntil`: milliseconds since the epoch. */
type Exchange = { readonly ok: true; readonly token: string; readonly usableUntil: number } | HttpFailure

type Caller = Pick<HttpRequest, 'now' | 'timeoutMs' | 'signal'>

/** Access tokens of the accounts of providers. A token is requested once for all requests that need it, and again shortly before it expires. */
export class AccessTokens {
  readonly #exchanges = new LRUCache<string, Promise<Exchange>>({ max: MAX_ACCOUNTS })
  readonly #dispatcherOf: (origin: string, allowPrivate: boolean) => Dispatcher

  /** `dispatcherOf`: its connections refuse forbidden addresses. */
  constructor(dispatcherOf: (origin: string, allowPrivate: boolean) => Dispatcher) {
    this.#dispatcherOf = dispatcherOf
  }

  async tokenOf(grant: TokenGrant | undefined, caller: Caller, allowPrivate: boolean): Promise<Exchange> {
    if (!grant) return REJECTED
    const key = hash('sha256', JSON.stringify([allowPrivate, grant.account]), 'base64')
    const known = this.#exchanges.get(key)
    const result = known && (await wait(known, caller))
    if (result && !(result.ok && caller.now() >= result.usableUntil)) return result
    // Another caller may already have started the next exchange.
    const current = this.#exchanges.get(key)
    return wait(current !== undefined && current !== known ? current : this.#start(key, grant, caller, allowPrivate), caller)
  }

  #start(key: string, grant: TokenGrant, { now }: Caller, allowPrivate: boolean): Promise<Exchange> {
    const exchange = this.#exchange(grant, now, allowPrivate).then((result) => {
      if (!result.ok && this.#exchanges.peek(key) === exchange) this.#exchanges.delete(key)
      return result
    })
    this.#exchanges.set(key, exchange)
    return exchange
  }

  async #exchange(grant: TokenGrant, now: () => number, allowPrivate: boolean): Promise<Exchange> {
    const url = new URL(grant.tokenUri)
    if (findUrlProblem(grant.tokenUri, allowPrivate) !== undefined)
      return { ok: false, failure: 'blocked', status: 0, code: TOKEN_FAILED }
    const issuedAt = Math.floor(now() / 1_000)
    const form = await grant.form(issuedAt)
    if (form === undefined) return REJECTED
    const body = new URLSearchParams(form).toString()
    const request = { method: 'POST', path: url.pathname + url.search, headers: FORM_HEADERS, body } as const
    const limits = { timeoutMs: EXCHANGE_MS, maxBytes: MAX_BYTES, now }
    const response = await sendHttpRequest(this.#dispatcherOf(url.origin, allowPrivate), { ...request, ...limits })
    if (!response.ok) return failureOf(response)
    const { access_token: token, expires_in: seconds } = parseJsonObject(response.body) ?? {}
    if (!TOKEN.test(textOf(token)) || !isCount(seconds, MAX_SECONDS)) return UNAVAILABLE
    return { ok: true, token: textOf(token), usableUntil: (issuedAt + seconds - EARLY_SECONDS) * 1_000 }
  }
}

/** As if the provider had refused the key: the same consequences for retries, health and operators. */
const REJECTED: HttpFailure = { ok: false, failure: 'status', status: 401, code: TOKEN_FAILED }
/** As if no connection to the provider could be made: nothing was sent to the model. */
const UNAVAILABLE: HttpFailure = { ok: false, failure: 'connect', status: 0, code: TOKEN_FAILED }

function failureOf({ failure, status }: HttpFailure): HttpFailure {
  if (failure === 'status' && status >= 400 && status < 500 && status !== 429) return REJECTED
  return failure === 'timeout' || failure === 'blocked' ? { ...UNAVAILABLE, failure } : UNAVAILABLE
}

/** Waits for an exchange that other callers may share, so it continues when this caller ends. */
async function wait(exchange: Promise<Exchange>, { timeoutMs, signal }: Caller): Promise<Exchange> {
  const limited = withDeadline(timeoutMs, exchange, 'there is no access token')
  try {
    return await (signal ? untilAborted(limited, signal, () => new Error('aborted')) : limited)
  } catch (error) {
    return { ok: false, failure: error instanceof DeadlineError ? 'timeout' : 'aborted', status: 0, code: TOKEN_FAILED }
  }
}

/** Sends an access token instead of the key. `grant`: undefined if the key has the wrong form. */
export const bearerAuthorizer =
  (grant: TokenGrant | undefined, { tokens, allowPrivateUrls }: AuthorizeDeps): Authorize =>
  async (request) => {
    const result = await tokens.tokenOf(grant, request, allowPrivateUrls)
    return result.ok ? { ok: true, headers: [...request.headers, 'authorization', `Bearer ${result.token}`] } : result
  }
