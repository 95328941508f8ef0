import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { classOf, errorOf } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { fieldsOf, impatient, OFFICIAL_CLIENTS, type Sent } from '../support/official-clients.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

// Every kind of refusal, as the official clients see it in each client API: the class of the exception, the gateway's code and details,
// and how often the client sends the request.

const governed = await closeAfterAll(sharedGoverned())

/** A prompt whose provider answers like this. */
const promptFor = (behaviour: Parameters<Governed['provider']['on']>[1], mark = ''): string => {
  const key = word() + word()
  governed.provider.on(key, behaviour)
  return `${key} ${mark}`
}

type Request = Pick<Sent, 'prompt'> & Partial<Sent>

/** A request with the key of the demo's Application. */
const complete = (request: Request): Sent => ({ base: governed.base, apiKey: governed.key(), ...request })

interface Refusal {
  readonly code: ErrorCode
  readonly errorClass: string
  /** Requests that a provider gets. */
  readonly calls: number
  readonly prepare: () => Request | Promise<Request>
  readonly details?: object
  /** Records begin after stage 2, which checks the body and the limits. */
  readonly hasRecord?: boolean
}

const DENIED = { code: 'POLICY_DENIED', errorClass: 'PermissionDeniedError' } as const
const HELD = { code: 'POLICY_REVIEW_PENDING', errorClass: 'ConflictError' } as const
const UNKNOWN = { errorClass: 'AuthenticationError', calls: 0, hasRecord: false } as const
const WRONG = { code: 'VALIDATION_ERROR', errorClass: 'BadRequestError' } as const
const asks = (mark = '', more: object = {}) => ({ prompt: promptFor(says('x'), mark), ...more })
const TOO_LONG = { code: 'context_length_exceeded', message: 'private' }

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a denial at input': { ...DENIED, calls: 0, prepare: () => asks('juniper-deny') },
  'a denial at output': { ...DENIED, calls: 1, prepare: () => ({ prompt: promptFor(says('sorrel-deny private')) }) },
  'a hold at input': { ...HELD, calls: 0, prepare: () => asks('juniper-hold') },
  'a hold at output': { ...HELD, calls: 1, prepare: () => ({ prompt: promptFor(says('sorrel-hold')) }) },
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
  'a value out of range': { ...WRONG, calls: 0, hasRecord: false, prepare: () => asks('', { more: { temperature: 7 } }) },
  'a model that does not exist': {
    ...{ code: 'NO_ELIGIBLE_PROVIDER', errorClass: 'UnprocessableEntityError', calls: 0 },
    prepare: () => asks('', { model: 'none' }),
  },
  'a request larger than the budget of tokens': {
    ...{ code: 'RATE_LIMITED', errorClass: 'RateLimitError', calls: 0, hasRecord: false },
    prepare: async () =>
      asks('word '.repeat(100), { apiKey: (await governed.application({ limits: { tokens_per_minute: 10 } })).token }),
  },
  'a request that the provider refuses': {
    ...WRONG,
    calls: 1,
    details: { reason: 'provider_refused', provider_code: 'context_length_exceeded' },
    prepare: () => ({ prompt: promptFor((response) => json(response, 400, { error: TOO_LONG })) }),
  },
}

const ROWS = Object.entries(OFFICIAL_CLIENTS).flatMap(([client, send]) =>
  [false, true].map((stream) => ({ client, send, stream })),
)
const CASES = ROWS.flatMap((row) => Object.entries(REFUSALS).map(([name, refusal]) => ({ ...row, name, refusal })))

describe('refusals that no retry can change: sent once [GW-ANT-6, GW-RESP-16]', () => {
  test.each(CASES)('$client, stream $stream: $name has its class, code and record', async ({ send, refusal, stream }) => {
    const { code, errorClass, calls, details, hasRecord = true } = refusal
    const sent = complete(await refusal.prepare())
    const responses: Response[] = []
    const error = await errorOf(send(sent, { stream, responses }))
    expect({ class: classOf(error), status: (error as { status?: number }).status }).toEqual({
      class: errorClass,
      status: ERRORS[code].status,
    })
    const fields = fieldsOf(error)
    expect(fields).toMatchObject({ code, message: expect.stringMatching(/\w/), ...(details && { details }) })
    expect(JSON.stringify(fields)).not.toContain('private')
    // No client retries 400 and 401.
    const isFinal = ['VALIDATION_ERROR', 'AUTH_INVALID_KEY', 'AUTH_KEY_REVOKED'].includes(code) && !hasRecord
    expect(responses[0]?.headers.get('x-should-retry')).toBe(isFinal ? null : 'false')
    expect(fields.review_item_id).toEqual(code === 'POLICY_REVIEW_PENDING' ? expect.stringMatching(/^rev_/) : undefined)
    // The clients retry 409, 429 and 5xx unless this header forbids it.
    expect(responses).toHaveLength(1)
    const [response] = responses
    expect(response?.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response?.headers.get('x-request-id')).toMatch(/^req_/)
    const auditId = response?.headers.get('x-audit-id') ?? null
    expect(auditId).toEqual(hasRecord ? expect.stringMatching(/^aud_/) : null)
    if (hasRecord)
      expect(await governed.admin('GET', `/audit/${auditId}`)).toMatchObject({ status: 200, body: { error_code: code } })
    const [key = ''] = sent.prompt.split(' ')
    expect(governed.provider.callsWith(key)).toHaveLength(calls)
  })
})

describe('refusals that end: the client waits as long as Retry-After says, then sends again [GW-PROV-5]', () => {
  test.each(ROWS)(
    '$client, stream $stream: a rate limit of the provider is retried after its Retry-After',
    async ({ send, stream }) => {
      let calls = 0
      const prompt = promptFor((response, call) => {
        calls++
        // The gateway waits for a few seconds by itself, but not for 30.
        if (calls === 1) json(response, 429, { error: { message: 'private' } }, { 'retry-after': '30' })
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
