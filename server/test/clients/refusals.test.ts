import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { classOf, errorOf } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { fieldsOf, impatient, OFFICIAL_CLIENTS, type Sent } from '../support/official-clients.ts'
import { completion, json, says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { streamTextOf } from '../support/upstream-stream.ts'

// Every kind of refusal, and every kind of failure of a provider, as the official clients see it in each client API: the class of the
// exception, the gateway's code and details, and how often the client sends the request.

/** Text of the provider that must not reach a client. */
const SECRET = 'upstream-private-diagnostics'
const EVENTS = (streamTextOf(completion('Good morning to all of you.')) ?? '').split(/(?<=\n\n)/)
/** How often the official clients send a request that they may repeat. */
const TRIES = 3

const governed = await closeAfterAll(sharedGoverned())
/** The key of an Application that may use every model. */
const { token: anyModelKey } = await governed.application()

type Behaviour = Parameters<Governed['provider']['on']>[1]

/** A prompt whose provider answers like this. */
const promptFor = (behaviour: Behaviour, mark = ''): string => {
  const key = word() + word()
  governed.provider.on(key, behaviour)
  return `${key} ${mark}`
}

type Request = Pick<Sent, 'prompt'> &
  Partial<Sent> & {
    /** Fields of its record. */
    readonly record?: object
  }

/** A request with the key of the demo's Application. */
const complete = <T extends Request>(request: T) => ({ base: governed.base, apiKey: governed.key(), ...request })

interface Refusal {
  readonly prepare: () => Request | Promise<Request>
  readonly code: ErrorCode
  readonly errorClass: string
  /** The SDK's error class by client API, where it differs from `errorClass`. */
  readonly ownClass?: Readonly<Record<string, string>>
  /** How often the client sends the request, by default once. */
  readonly tries?: number
  /** How often the provider gets it, by default each time. */
  readonly calls?: number
  readonly details?: object
  /** Seconds. */
  readonly retryAfter?: number
  /** Records begin after stage 2, which checks the body and the limits. */
  readonly hasRecord?: boolean
  /** No client retries 400 and 401, so stages 1 and 2 do not forbid it. */
  readonly isUnmarked?: boolean
}

const DENIED = { code: 'POLICY_DENIED', errorClass: 'PermissionDeniedError' } as const
const HELD = { code: 'POLICY_REVIEW_PENDING', errorClass: 'ConflictError' } as const
const EARLY = { calls: 0, hasRecord: false, isUnmarked: true } as const
const UNKNOWN = { ...EARLY, errorClass: 'AuthenticationError' } as const
const WRONG = { code: 'VALIDATION_ERROR', errorClass: 'BadRequestError' } as const
const asks = (mark = '', more: object = {}) => ({ prompt: promptFor(says('x'), mark), ...more })

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a denial at input': { ...DENIED, calls: 0, prepare: () => asks('juniper-deny') },
  'a denial at output': { ...DENIED, prepare: () => ({ prompt: promptFor(says(`sorrel-deny ${SECRET}`)) }) },
  'a hold at input': { ...HELD, calls: 0, prepare: () => asks('juniper-hold') },
  'a hold at output': { ...HELD, prepare: () => ({ prompt: promptFor(says('sorrel-hold')) }) },
  'a key that does not exist': {
    ...UNKNOWN,
    code: 'AUTH_INVALID_KEY',
    prepare: () => ({ prompt: word(), apiKey: `gk_${'x'.repeat(43)}` }),
  },
  'a key that was revoked': {
    ...UNKNOWN,
    code: 'AUTH_KEY_REVOKED',
    prepare: async () => {
      const { id, token } = await governed.application()
      const { data } = expectSuccess(await governed.admin('GET', `/applications/${id}/keys`))
      expectSuccess(await governed.admin('POST', `/keys/${data[0]?.id}/revoke`))
      return asks('', { apiKey: token })
    },
  },
  'a value out of range': { ...WRONG, ...EARLY, prepare: () => asks('', { more: { temperature: 7 } }) },
  'a model that does not exist': {
    ...{ code: 'NO_ELIGIBLE_PROVIDER', errorClass: 'UnprocessableEntityError', calls: 0 },
    prepare: () => asks('', { model: 'none' }),
  },
  'a request larger than the budget of tokens': {
    ...{ code: 'RATE_LIMITED', errorClass: 'RateLimitError', calls: 0, hasRecord: false, retryAfter: 60 },
    prepare: async () =>
      asks('word '.repeat(100), { apiKey: (await governed.application({ limits: { tokens_per_minute: 10 } })).token }),
  },
  'a request that the provider refuses': {
    ...WRONG,
    details: { reason: 'provider_refused', provider_code: 'context_length_exceeded' },
    prepare: () => ({ prompt: promptFor(failing(400, { code: 'context_length_exceeded' })) }),
  },
}

/** The error of a provider. */
function failing(status: number, error: object = {}, headers: Record<string, string> = {}): Behaviour {
  return (response) => json(response, status, { error: { message: SECRET, ...error } }, headers)
}

/** Sends the beginning of a stream. */
const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENTS.slice(0, 3).join(''))
}

/** Sends the events of a text that does not end, until the connection closes. */
const drip: Behaviour = (response) => {
  begin(response)
  const timer = setInterval(() => response.write(EVENTS[2]), 20)
  response.on('close', () => clearInterval(timer))
}

const breakOff: Behaviour = (response) => {
  begin(response)
  setTimeout(() => response.destroy(), 10)
}

/**
 * A request to a provider with one model that behaves in this way, and has these limits. Each test has a separate provider, because failures
 * open its circuit breaker.
 */
const to = (behaviour: Behaviour, limits: object = {}) => ({
  prepare: async (): Promise<Request> => {
    const [id, prompt] = [word(), promptFor(behaviour)]
    const provider = {
      id,
      base_url: governed.provider.url,
      api_key: 'sk-scripted',
      max_retries: 0,
      timeout_ms: 60_000,
      ...limits,
    }
    expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
    expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${id}`, { json: {} }))
    return { prompt, model: id, apiKey: anyModelKey, record: { attempts: [{ provider: id }], response: null } }
  },
})
const waiting = (status: number, retryAfter: number) => ({
  ...to(failing(status, {}, { 'retry-after': String(retryAfter) })),
  retryAfter,
})

/** On a busy machine a request takes part of this until the provider gets it. */
const STALL_MS = 600

const FAULT = { code: 'PROVIDER_ERROR', errorClass: 'InternalServerError' } as const
const OUTAGE = { ...FAULT, tries: TRIES } as const
const TIMED_OUT = { ...OUTAGE, code: 'PROVIDER_TIMEOUT', ownClass: { messages: 'GatewayTimeoutError' } } as const
const LIMITED = { code: 'RATE_LIMITED', errorClass: 'RateLimitError', details: { reason: 'provider_rate_limited' } } as const

const FAILURES: Readonly<Record<string, Refusal>> = {
  'responds with 500': { ...OUTAGE, ...to(failing(500)) },
  'responds with 503 and a Retry-After': { ...OUTAGE, ...waiting(503, 20) },
  'responds with 503 and a long Retry-After': { ...FAULT, ...waiting(503, 120) },
  'responds with 429': { ...LIMITED, tries: TRIES, ...waiting(429, 30) },
  'responds with 429 and a long Retry-After': { ...LIMITED, ...waiting(429, 120) },
  'has an empty account': { ...FAULT, ...to(failing(429, { code: 'insufficient_quota', type: 'insufficient_quota' })) },
  'rejects the key': { ...FAULT, ...to(failing(401, { code: 'invalid_api_key' })) },
  'does not have the model': {
    ...WRONG,
    details: { reason: 'provider_refused', provider_code: 'model_not_found' },
    ...to(failing(404, { code: 'model_not_found' })),
  },
  'breaks in mid-stream': { ...OUTAGE, ...to(breakOff) },
  'sends nothing': { ...TIMED_OUT, ...to(() => {}, { idle_timeout_ms: STALL_MS }) },
  'stops sending in mid-stream': { ...TIMED_OUT, ...to(begin, { idle_timeout_ms: STALL_MS }) },
  'exceeds the total time': { ...TIMED_OUT, ...to(drip, { timeout_ms: STALL_MS }) },
}

const ROWS = Object.entries(OFFICIAL_CLIENTS).flatMap(([client, send]) =>
  [false, true].map((stream) => ({ client, send, stream })),
)
const casesOf = (refusals: Readonly<Record<string, Refusal>>) =>
  ROWS.flatMap((row) => Object.entries(refusals).map(([name, refusal]) => ({ ...row, name, refusal })))

async function expectRefusal({ client, send, stream, refusal }: ReturnType<typeof casesOf>[number]): Promise<void> {
  const { code, errorClass, ownClass, details, retryAfter, tries = 1, calls = tries, hasRecord = true } = refusal
  const { record, ...sent } = complete(await refusal.prepare())
  const responses: Response[] = []
  const waits: number[] = []
  const error = await errorOf(send(sent, { stream, responses, fetch: impatient(waits) }))
  const { status } = ERRORS[code]
  expect({ class: classOf(error), status: (error as { status?: number }).status }).toEqual({
    class: ownClass?.[client] ?? errorClass,
    status,
  })
  const fields = fieldsOf(error)
  expect(fields).toMatchObject({ code, message: expect.stringMatching(/\w/), ...(details && { details }) })
  expect(fields.review_item_id).toEqual(code === 'POLICY_REVIEW_PENDING' ? expect.stringMatching(/^rev_/) : undefined)
  expect(JSON.stringify(fields)).not.toContain(SECRET)

  // The clients retry 409, 429 and 5xx unless a header forbids it.
  const mark = tries > 1 || refusal.isUnmarked ? null : 'false'
  const headers = responses.map((response) => response.headers)
  expect(headers.map((each) => each.get('x-should-retry'))).toEqual(Array(tries).fill(mark))
  for (const each of headers) {
    expect(each.get('content-type')).toMatch(/^application\/json/)
    expect(each.get('x-request-id')).toMatch(/^req_/)
  }
  expect(waits).toEqual(retryAfter === undefined ? [] : Array(tries).fill(retryAfter))
  expect(governed.provider.callsWith(sent.prompt.split(' ')[0] ?? '')).toHaveLength(calls)

  const auditId = headers.at(-1)?.get('x-audit-id') ?? null
  expect(auditId).toEqual(hasRecord ? expect.stringMatching(/^aud_/) : null)
  if (!hasRecord) return
  expect(fields.audit_id).toBe(auditId)
  const stored = expectSuccess(await governed.api('GET', `/v1/audit/${auditId}`, { token: sent.apiKey }))
  expect(stored).toMatchObject({ status, error_code: code, ...record })
}

describe('refusals that no retry can change: sent once [GW-ANT-6, GW-RESP-16]', () => {
  test.each(casesOf(REFUSALS))('$client, stream $stream: $name has its class, code and record', expectRefusal)
})

describe('failures of the provider [GW-PROV-1, GW-PROV-2, GW-PROV-5, GW-PROV-18, GW-RETRY-1]', () => {
  test.concurrent.each(casesOf(FAILURES))(
    '$client, stream $stream: the error has its class, code and record, and is retried as it may be, when the provider $name',
    expectRefusal,
  )
})

describe('refusals that end: the client waits as long as Retry-After says, then sends again [GW-PROV-5]', () => {
  test.each(ROWS)(
    '$client, stream $stream: a rate limit of the provider is retried after its Retry-After',
    async ({ send, stream }) => {
      let calls = 0
      const prompt = promptFor((response, call) => {
        calls++
        // The gateway waits for a few seconds by itself, but not for 30.
        if (calls === 1) json(response, 429, { error: { message: SECRET } }, { 'retry-after': '30' })
        else says('fine')(response, call)
      })
      const waits: number[] = []
      const responses: Response[] = []
      const error = await Promise.resolve(send(complete({ prompt }), { stream, responses, fetch: impatient(waits) })).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).not.toBeInstanceOf(Error)
      expect(responses.map(({ status }) => status)).toEqual([429, 200])
      expect(waits).toEqual([expect.closeTo(30, -1)])
      expect(calls).toBe(2)
    },
  )
})

describe('requests that are not refused', () => {
  test.each(ROWS)(
    '$client, stream $stream: an escalated request is answered, and its header says so [GW-VERD-3]',
    async ({ send, stream }) => {
      const responses: Response[] = []
      await send(complete({ prompt: promptFor(says('fine'), 'juniper-escalate') }), { stream, responses })
      expect(responses.map(({ status }) => status)).toEqual([200])
      expect(responses[0]?.headers.get('x-gatehouse-verdict')).toBe('escalate')
    },
  )

  test.each(ROWS)(
    "$client, stream $stream: the gateway's own limit is retried after its Retry-After [GW-LIM-4]",
    async ({ send, stream }) => {
      const { token } = await governed.application({ limits: { requests_per_minute: 60, burst: 1 } })
      const sent = () => complete({ prompt: promptFor(says('fine')), apiKey: token })
      const responses: Response[] = []
      await send(sent(), { stream, responses })
      await send(sent(), { stream, responses })
      const [first, ...others] = responses.map(({ status }) => status)
      expect([first, others.at(-1)]).toEqual([200, 200])
      expect(others.slice(0, -1).every((status) => status === 429)).toBe(true)
      for (const { headers, status } of responses) {
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
    },
  )
})
