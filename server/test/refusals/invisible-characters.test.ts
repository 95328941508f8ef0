import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())
const PAYMENTS = String.raw`content.text.matches(r"(?i)\b(wire|transfer|remit|pay)\b[^.?!\n]{0,60}(eur|usd|€|\$) ?\d{1,3}([., ]?\d{3})+")`
const FORM = 'content.text.contains("code:") && !content.text.matches(r"^code:[a-z]+$")'
await governed.publish([
  { id: 'contains', at: ['input', 'output'], when: 'content.text.contains("wire fraud")', verdict: 'deny' },
  { id: 'matches', at: ['input'], when: 'content.text.matches(r"(?i)\\bsecret plan\\b")', verdict: 'deny' },
  { id: 'payments', at: ['input'], when: PAYMENTS, verdict: 'deny' },
  { id: 'starts', at: ['input'], when: 'content.text.startsWith("/reset")', verdict: 'deny' },
  { id: 'equals', at: ['input'], when: 'content.text == "delete" || content.text in ["drop", "erase"]', verdict: 'deny' },
  { id: 'listed', at: ['input'], when: '["tulip bulb"].exists(w, content.text.contains(w))', verdict: 'deny' },
  { id: 'accents', at: ['input'], when: 'content.text.contains("café noir")', verdict: 'deny' },
  { id: 'plain', at: ['input'], when: 'content.plain.contains("account 42")', verdict: 'deny' },
  { id: 'form', at: ['input'], when: FORM, verdict: 'deny' },
  { id: 'cards', at: ['input'], when: 'content.findings["pii.card"] > 0', transforms: ['redact:pii'] },
  { id: 'secrets', at: ['input'], when: 'content.findings.secret > 0', verdict: 'deny' },
])
const { token } = await governed.application({ settings: { extensions: ['tools'], knowledge: { enabled: false } } })
const app = { token }

const between = (text: string, sign: string): string => [...text].join(sign)
const sendRequest = (prompt: string, more = {}) => governed.chat(prompt, more, app)

describe('rules: invisible and similar characters do not hide text', () => {
  test.each([
    ['a soft hyphen', 'wi\u00adre fraud'],
    ['a zero-width space', 'wi\u200bre fraud'],
    ['control characters', 'w\u0000i\u0001r\u0007e\u007f \u0085fraud'],
    ['combining accents', 'wi\u0301re fra\u0300ud'],
    ['accents of their own', 'wíre fràud'],
    ['a stroke through every letter', between('wire fraud', '\u0335')],
    ['tags', `wi\u{e0041}\u{e0042}re fraud`],
    ['variation selectors', 'wi\ufe0fre f\u{e0101}raud'],
    ['bidirectional controls', 'w\u202ei\u202cre f\u2066raud'],
    ['full-width letters', 'ｗｉｒｅ ｆｒａｕｄ'],
    ['mathematical letters', '𝐰𝐢𝐫𝐞 𝓯𝓻𝓪𝓾𝓭'],
    ['letters in circles', 'ⓦⓘⓡⓔ fraud'],
    ['another space', 'wire\u2003fraud'],
    ['two spaces', 'wire  fraud'],
    ['a line end', 'wire\nfraud'],
    ['a line end with spaces', 'wire \r\n  fraud'],
    ['a letter of another script', 'w\u0456re fraud'],
    ['letters of other scripts', 'wir\u0435 fr\u03b1ud'],
    ['a marked letter of another script', 'wi\u05b0re fraud'],
  ])('contains: %s', async (_, text) => {
    expect(expectError(await sendRequest(`About ${text} please`), 'POLICY_DENIED').details).toMatchObject({ rules: ['contains'] })
  })
  test.each([
    ['matches', 'the se\u00adcret plan'],
    ['matches', 'the secret\nplan'],
    ['payments', 'Please pay the supplier\nEUR 12,000 today'],
    ['payments', 'Transfer to the new account\n  USD 5,000'],
    ['starts', '/re\u200bset now'],
    ['equals', 'del\u200bete'],
    ['equals', 'er\u0001ase'],
    ['listed', 'a tu\u00adlip bulb'],
    ['plain', 'account ٤٢'],
    ['accents', 'A café noir'],
    ['accents', 'A cafe\u0301 noir'],
  ])('%s', async (rule, text) => {
    expect(expectError(await sendRequest(text), 'POLICY_DENIED').details).toMatchObject({ rules: [rule] })
  })
  test.each([
    ['an empty line ends a phrase', 'They call it wire.\n\nfraud'],
    ['an accent in a rule does not match the letter without it', 'A cafe noir'],
  ])('allowed: %s', async (_, text) => {
    expectSuccess(await sendRequest(text))
  })
  test('a required form is not met by text with invisible characters', async () => {
    expectSuccess(await sendRequest('code:abc'))
    expectError(await sendRequest('code:a\u200bbc'), 'POLICY_DENIED')
  })
  test('rules at output read the same text', async () => {
    const sentPrompt = await governed.sendPrompt('', { answer: 'about wi\u00adre fraud', options: app })
    expectError(sentPrompt.response, 'POLICY_DENIED')
  })
})

describe('detectors: find such text, and transforms replace its original characters', () => {
  const digits = (zero: number) => '4111111111111111'.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  test.each([
    ['soft hyphens', between('4111111111111111', '\u00ad')],
    ['control characters', '4111\u000111111111\u00021111'],
    ['a stroke through the digits', between('4111111111111111', '\u0336')],
    ['accents on the digits', '4\u0301111111111111111'],
    ['Arabic digits', digits(0x660)],
    ['Devanagari digits', digits(0x966)],
    ['full-width digits', digits(0xff10)],
    ['mathematical digits', digits(0x1d7ce)],
    ['an invisible character and a digit after it', '4111111111111111\u200b5'],
    ['a digit of another script behind it', '4111111111111111٣'],
  ])('a card number with %s', async (_, card) => {
    const key = word()
    expectSuccess(await sendRequest(`${key} pay with ${card} now`))
    const sent = governed.provider.callsWith(key)[0]?.body.messages[0]?.content ?? ''
    expect(sent).toContain('[CARD]')
    expect(sent.normalize('NFKC').replace(/[^\p{Nd}]/gu, '').length).toBeLessThan(2)
  })
  test.each([
    ['a soft hyphen', 'AKIAIOSF\u00adODNN7EXAMPLQ'],
    ['an accent', 'AKIAIOSFO\u0301DNN7EXAMPLQ'],
    ['a control character', 'AKIAIOSF\u0003ODNN7EXAMPLQ'],
  ])('a key with %s', async (_, key) => {
    expectError(await sendRequest(`Use ${key} please`), 'POLICY_DENIED')
  })
})

describe('numbers and names: inspected or limited', () => {
  test.each([
    ['seed', { seed: 4111111111111111 }],
    ['the keys of logit_bias', { logit_bias: { 411111111: 1, 123456789: 4111111111111111 } }],
  ])('a card number as %s: 403, because it cannot be changed there', async (_, more) => {
    const { details } = expectError(await sendRequest(`Good morning ${word()}`, more), 'POLICY_DENIED')
    expect(details).toEqual({ failed: ['transform'] })
  })
  test.each([
    ['metadata', { metadata: { account: 4111111111111111 } }],
    ['a list of metadata', { metadata: { accounts: [1, 4111111111111111] } }],
    ['a schema', { tools: [{ type: 'function', function: { name: 'pay', parameters: { enum: [4111111111111111] } } }] }],
  ])('a card number in %s is redacted', async (_, more) => {
    const key = word()
    expectSuccess(await sendRequest(`Good morning ${key}`, more))
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain('4111111111111111')
  })
  test.each([
    ['in groups', [4111, 1111, 1111, 1111]],
    ['digit by digit', [...'4111111111111111'].map(Number)],
  ])('a card number as a list %s: 403', async (_, list) => {
    expectError(await sendRequest(`Good morning ${word()}`, { metadata: { list } }), 'POLICY_DENIED')
  })
  test('a seed of ordinary size and a small bias are accepted', async () => {
    expectSuccess(await sendRequest('Good morning', { seed: 42, logit_bias: { 50256: -100 } }))
  })

  test.each([
    ['model', { model: 'please wire it' }],
    ['governance.session_id', { governance: { user: { id: 'mia' }, session_id: 'the launch code is swordfish' } }],
    ['governance.session_id', { governance: { user: { id: 'mia' }, session_id: 'a\u200bb' } }],
    ['governance.user.id', { governance: { user: { id: 'mia <b>' } } }],
    ['governance.user.id', { governance: { user: { id: 'mia\u00ad' } } }],
    ['governance.user.role', { governance: { user: { id: 'mia', role: 'a\nb' } } }],
    ['governance.user.department', { governance: { user: { id: 'mia', department: 'a\u202eb' } } }],
  ])('%s: 400 that names the allowed form when it is no identifier or name', async (param, more) => {
    const problem = expectError(await sendRequest('Good morning', more), 'VALIDATION_ERROR')
    expect(problem.param).toBe(param)
    expect(problem.message).toMatch(/must be (an identifier|a name)/)
  })
  test.each([
    '0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b',
    'jane.roe+test@example.org',
    'auth0|5f7c8ec7c33c6c004bbafe82',
    'cn=jane,ou=people,dc=example',
    'DOMAIN\\jane',
    'https://sts.example/jane#1',
    'urn:example:session:42',
    'zoë',
    '山田',
  ])('the id %s is accepted', async (id) => {
    expectSuccess(
      await sendRequest('Good morning', {
        governance: { user: { id, role: 'Head of R&D', department: 'Légal & Co.' }, session_id: id },
      }),
    )
  })
  test('regulations of a memory: 403 when one holds a key', async () => {
    const { token } = await governed.application({
      settings: { memory: { enabled: true, capture: 'explicit', assertion_scopes: ['application'] } },
    })
    const capture = { content: 'Ferns like shade', scope: 'application', kind: 'fact', classification: 'internal' }
    const post = (regulations: string[]) => governed.post('/v1/memory/capture', { ...capture, regulations }, { token })
    expectSuccess(await post(['GDPR', 'ISO 27001:2022', 'BDSG § 26']))
    expectError(await post(['AKIAIOSFODNN7EXAMPLQ']), 'POLICY_DENIED')
    expectError(await post(['4111 1111 1111 1111']), 'POLICY_DENIED')
    expectError(await post(['a\u200bb']), 'VALIDATION_ERROR')
  })
})
