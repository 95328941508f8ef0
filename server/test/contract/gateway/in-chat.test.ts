import { describe, expect, test } from 'vitest'
import { contentOf, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { says, word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { chat, MAIL, SOURCES, tokenOf } from './retrieval-client.ts'

describe.each(SOURCES)('$source in a chat', ({ source, point, rule, create }) => {
  /** An Application with one text. */
  const createWith = async (text: string) => {
    const fixture = await create()
    await fixture.store(text)
    return fixture
  }
  test.each([
    [0, 0],
    [2, 2],
    [undefined, 5],
  ])('settings: %j texts at most, %i texts in the prompt', async (most, count) => {
    const setting = source === 'knowledge' ? 'passages' : 'recall'
    const fixture = await create(most === undefined ? {} : { [setting]: most })
    for (let number = 0; number < 8; number++) await fixture.store(`amethyst ${number}`)
    const { response, upstreamRequests } = await chat(fixture, 'amethyst')
    expectSuccess(response)
    expect(upstreamRequests()[0]?.raw.split(/end of (?:passage|memory)/)).toHaveLength(count + 1)
  })
  test.each([`juniper-${source}-off`, `${rule}-deny`, `${rule}-broken`])('prompt: no hits when %s', async (mark) => {
    const fixture = await createWith(`coral ${rule}-deny ${rule}-broken`)
    const { response, upstreamRequests } = await chat(fixture, `coral ${mark}`)
    expectSuccess(response)
    expect(upstreamRequests()[0]?.body.messages).toHaveLength(1)
  })
  test('redact: the provider gets the text without the finding', async () => {
    const fixture = await createWith(`coral: write to ${MAIL} ${rule}-redact`)
    const { response, upstreamRequests } = await chat(fixture, 'coral', { userToken: tokenOf('carol') })
    expect(expectSuccess(response).governance.decision.transforms).toEqual(['redact:pii'])
    expect(upstreamRequests()[0]?.raw).toContain('write to [EMAIL]')
  })
  test('pseudonymize: the provider gets a placeholder and the client the original', async () => {
    const fixture = await createWith(`coral: write to ${MAIL} ${rule}-pseudonymize`)
    const key = word()
    governed.provider.on(key, (response, call) => {
      const placeholder = /write to (\S+)/.exec(call.body.messages[0]?.content ?? '')?.[1] ?? 'nothing'
      says(`Write to ${placeholder}!`)(response, call)
    })
    const response = await governed.chat(`coral ${key}`, {}, { token: fixture.token, userToken: tokenOf('carol') })
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain(MAIL)
    expect(contentOf(response)).toBe(`Write to ${MAIL}!`)
  })
  test('escalate: 200 with the verdict', async () => {
    const { response, completion } = await chat(await createWith(`coral ${rule}-escalate`), 'coral')
    expect(contentOf(response)).toBe(completion)
    expect(response.body.governance.decision.verdict).toBe('escalate')
  })
  test('require_approval: a hit holds the chat, and approval releases a completion with the hit', async () => {
    const fixture = await createWith(`coral ${rule}-hold`)
    const { response, completion, upstreamRequests, again } = await chat(fixture, 'coral')
    const { review_item_id } = expectError(response, 'POLICY_REVIEW_PENDING')
    expect(upstreamRequests()).toEqual([])
    expectError(await again(review_item_id), 'POLICY_REVIEW_PENDING')
    expect(expectSuccess(await governed.admin('GET', `/reviews/${review_item_id}`))).toMatchObject({
      state: 'pending',
      point: 'input',
      rules: [{ id: `${rule}-hold`, point, verdict: 'require_approval' }],
    })
    await governed.decide(review_item_id, 'approve')
    for (let times = 0; times < 2; times++) {
      expect(contentOf(await again(review_item_id))).toBe(completion)
      expect(upstreamRequests()).toHaveLength(1)
    }
    expect(upstreamRequests()[0]?.raw).toContain(`coral ${rule}-hold`)
  })
})
