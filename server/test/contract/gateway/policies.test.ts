import { describe, expect, test } from 'vitest'
import { contentOf, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { MARKER_RULES, policyDocument } from '../../support/marker-policies.ts'
import { says, word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'

const MAIL = 'mara.lind@example.org'
/** Sends a chat: the upstream request (`sent`, `body`), the completion and the decision. */
async function sendChat(prompt: string, answer?: string) {
  const sentPrompt = await governed.sendPrompt(prompt, answer === undefined ? {} : { answer })
  const sent = governed.provider.callsWith(sentPrompt.word)[0]
  return {
    ...sentPrompt,
    content: contentOf(sentPrompt.response),
    sent: sent?.raw ?? '',
    body: sent?.body,
    decision: sentPrompt.response.body.governance.decision,
  }
}

describe('policies fail closed', () => {
  test('condition: 403 POLICY_DENIED when it fails, and the record names rule and failure [GW-SAFE-1]', async () => {
    const sentPrompt = await governed.sendPrompt('juniper-broken')
    const { audit_id } = expectError(sentPrompt.response, 'POLICY_DENIED')
    expect(governed.countProviderCalls(sentPrompt)).toBe(0)
    const { decision } = await governed.record(audit_id)
    expect(decision).toMatchObject({
      verdict: 'deny',
      rules: [{ id: 'juniper-broken', point: 'input', verdict: 'deny', error: expect.any(String) }],
    })
  })
  test('rule: is skipped when it fails and has on_error: skip [GW-SAFE-2]', async () => {
    expectSuccess((await governed.sendPrompt('juniper-lenient')).response)
  })
  test.each([
    ['syntax', { when: 'content.text.nope(' }],
    ['an unknown name', { when: 'content.temperature > 3' }],
    ['a finding that does not exist', { when: 'content.findings.no_such_finding > 0' }],
    ['a condition that is not boolean', { when: 'content.text' }],
    ['an unknown verdict', { verdict: 'perhaps' }],
    ['an unknown transform', { transforms: ['shout:pii'] }],
    ['an unknown directive', { directives: ['fly:away'] }],
    ['a named text that does not exist', { directives: ['system:absent'] }],
    ['an unknown field', { whenever: 'true' }],
  ])(
    'policy set with %s: 400 with line and field, and the last valid set stays active [GW-SAFE-4, GW-POL-12]',
    async (_, change) => {
      const rule = { id: 'bad', at: ['input'], when: 'true', verdict: 'deny', ...change }
      const source = policyDocument([rule])
      const error = expectError(await governed.admin('POST', '/policy-sets', { json: { source } }), 'VALIDATION_ERROR')
      expect(JSON.stringify(error)).toMatch(/rules\[0\]/)
      expect(JSON.stringify(error)).toMatch(/line/i)
      expectError((await governed.sendPrompt('juniper-deny')).response, 'POLICY_DENIED')
      expectSuccess((await governed.sendPrompt()).response)
    },
  )
})

describe('verdicts, transforms, directives', () => {
  test.each([
    ['juniper-escalate juniper-hold juniper-deny', '', 'deny'],
    ['juniper-escalate juniper-hold', '', 'require_approval'],
    ['juniper-escalate', '', 'escalate'],
    ['', 'sorrel-escalate sorrel-deny', 'deny'],
    ['juniper-escalate', 'sorrel-hold', 'require_approval'],
    ['juniper-escalate', 'sorrel-deny', 'deny'],
  ])(
    'verdict: the strictest of all matching rules at both points wins: %j + %j is %s [GW-VERD-5]',
    async (mark, completion, verdict) => {
      const { response } = await governed.sendPrompt(mark, completion ? { answer: completion } : {})
      const { decision } = await governed.record(response.headers.get('x-audit-id') ?? '')
      expect((decision as { verdict: string }).verdict).toBe(verdict)
    },
  )
  test.each([
    ['redact', 'writes [EMAIL]', '[EMAIL]'],
    ['mask', 'keeps the last four characters', MAIL.slice(-4)],
  ])('%s:<finding>: %s, and the block lists it [GW-POL-10, GW-GOV-3]', async (name, _, kept) => {
    const { sent, decision } = await sendChat(`juniper-${name} ${MAIL}`)
    expect(sent).toContain(kept)
    expect(sent).not.toContain(MAIL)
    expect(decision.transforms).toEqual([`${name}:pii`])
  })
  test('pseudonymize:<finding>: the provider gets a placeholder and the client the original [GW-POL-10]', async () => {
    const key = word()
    const response = await governed.chat(`juniper-pseudonymize ${key} ${MAIL}`)
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain(MAIL)
    expect(contentOf(response)).toContain(MAIL)
    expect(response.body.governance.decision.transforms).toEqual(['pseudonymize:pii'])
  })
  test('truncate:<n>: counts characters, at input and output [GW-POL-10]', async () => {
    const { body } = await sendChat(`juniper-truncate ${word().repeat(20)}`)
    expect(body?.messages[0]?.content).toHaveLength(40)
    const { content, decision } = await sendChat('', `sorrel-truncate ${word().repeat(20)}`)
    expect(content).toHaveLength(40)
    expect(decision.transforms).toEqual(['truncate:40'])
  })
  test('redact: applies at output', async () => {
    const { content, decision } = await sendChat('', `sorrel-redact: write to ${MAIL}`)
    expect(content).toBe('sorrel-redact: write to [EMAIL]')
    expect(decision.transforms).toEqual(['redact:pii'])
  })
  test('transforms: apply to every message [GW-PIPE-9]', async () => {
    const key = word()
    const messages = ['system', 'user', 'assistant', 'user'].map((role) => ({ role, content: `${key} juniper-redact ${MAIL}` }))
    expectSuccess(await governed.chat(messages))
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain(MAIL)
  })
  test('transforms: not listed when they change nothing [GW-GOV-3]', async () => {
    expect((await sendChat('juniper-redact nothing here')).decision.transforms).toEqual([])
  })
  test('max_tokens:n: limits the request to the provider and is listed [GW-POL-11]', async () => {
    const { body, decision } = await sendChat('juniper-tokens')
    expect(body?.max_tokens).toBe(17)
    expect(decision.directives).toEqual(['max_tokens:17'])
    const sentPrompt = await governed.sendPrompt('juniper-tokens', { more: { max_tokens: 5 } })
    expect(governed.provider.callsWith(sentPrompt.word)[0]?.body.max_tokens).toBe(5)
  })
  test('route:provider=x: only that provider is eligible [GW-POL-11]', async () => {
    const chatWith = (model: string) => governed.chat('juniper-demo', { model })
    expect(expectSuccess(await chatWith('demo-mini')).governance.decision.directives).toEqual(['route:provider=demo'])
    expectError(await chatWith('scripted'), 'NO_ELIGIBLE_PROVIDER')
  })
  test('route:region=x: only providers of that region are eligible [GW-POL-11]', async () => {
    expectError(await governed.chat('juniper-region', { model: 'demo-mini' }), 'NO_ELIGIBLE_PROVIDER')
    expectSuccess(await governed.admin('PATCH', '/providers/demo', { json: { region: 'mars' } }))
    expectSuccess(await governed.chat('juniper-region', { model: 'demo-mini' }))
    expectSuccess(await governed.admin('PATCH', '/providers/demo', { json: { region: null } }))
  })
  test('route:max_cost=x: counts all n choices, tools and texts that policies add', async () => {
    const price = (json: object) => governed.admin('PUT', '/providers/openai/models/scripted', { json })
    expectSuccess(await price({ input_price: 10, output_price: 10 }))
    const { token } = await governed.application({ settings: { extensions: ['tools'] } })
    const sendRequest = async (more: object) =>
      (await governed.chat('juniper-cent', { model: 'scripted', max_tokens: 900, ...more }, { token })).status
    const tool = (description: string) => ({ tools: [{ type: 'function', function: { name: 'look', description } }] })
    try {
      expect(await sendRequest({})).toBe(200)
      expect(await sendRequest(tool('Looks something up.'))).toBe(200)
      expect(await sendRequest({ max_tokens: 1_100 })).toBe(422)
      expect(await sendRequest({ n: 2 })).toBe(422)
      expect(await sendRequest(tool('word '.repeat(200)))).toBe(422)
      expect(await sendRequest({ max_tokens: 985 })).toBe(200)
      expect((await governed.chat('juniper-cent juniper-system', { model: 'scripted', max_tokens: 985 }, { token })).status).toBe(
        422,
      )
      // The directive max_tokens:17 bounds the cost of a request without max_tokens.
      expect((await governed.chat('juniper-cent juniper-tokens', { model: 'scripted' }, { token })).status).toBe(200)
    } finally {
      await price({})
    }
  })
  test('route:max_cost=x: providers that could cost more are not eligible [GW-POL-11]', async () => {
    expectError(await governed.chat('juniper-cheap', { model: 'demo-mini' }), 'NO_ELIGIBLE_PROVIDER')
  })
  test('system:<named text>: precedes the messages [GW-POL-11]', async () => {
    const { body } = await sendChat('juniper-system')
    expect(body?.messages[0]).toEqual({ role: 'system', content: 'Answer kindly.' })
  })
})

/** Conditions that are true for the request of the test `variables`, by point. */
const TRUE_CONDITIONS = {
  input: [
    'user.id == "pilot-7" && user.role == "pilot" && user.department == "hangar" && !user.verified',
    'user.attributes.wing == "left" && has(user.attributes.wing) && !has(user.attributes.tail)',
    'application.name == "support" && application.id.startsWith("app_")',
    'application.settings.default_classification == "internal"',
    'request.endpoint == "chat" && request.model == "scripted" && request.session_id == "afternoon"',
    'request.stream == false && request.dry_run == false',
    'request.message_count == 2 && request.tokens > 5 && request.max_tokens == 55',
    'content.text.contains("first words") && content.text.contains("second words")',
    'content.classification == "internal" && content.risk_level == "low"',
    'rank("internal") <= rank(content.classification) && rank("confidential") > rank(content.classification)',
    'content.findings.pii == 0 && content.findings["secret.api_key"] == 0 && content.findings.hidden == 0',
    'now > timestamp("2020-01-01T00:00:00Z")',
  ],
  output: [
    'response.model == "scripted" && response.provider == "openai" && response.finish_reason == "stop"',
    'response.tokens == 7',
    'content.text == "The answer." && request.max_tokens == 55',
  ],
} as const

const FINDINGS = [
  ...['pii.email', 'pii.phone', 'pii.card', 'pii.iban', 'pii.national_id', 'pii.ip', 'pii.person', 'secret.api_key'],
  ...['secret.token', 'secret.private_key', 'secret.connection_string', 'injection.override', 'injection.exfiltration'],
  ...['injection.role_play', 'hidden.text', 'pii', 'secret', 'injection', 'hidden'],
]
const source = (rule: object) => JSON.stringify({ name: 'draft', rules: [{ id: 'only', at: ['input'], when: 'true', ...rule }] })
/** The simulated result of a policy set with this rule. */
const simulated = async (rule: object) => {
  const json = { source: source(rule), request: { messages: [{ role: 'user', content: 'Good morning' }] } }
  return expectSuccess(await governed.admin('POST', '/policy-sets/simulate', { json }))
}
const unpublishable = async (rule: object) =>
  expectError(await governed.admin('POST', '/policy-sets', { json: { source: source(rule) } }), 'VALIDATION_ERROR')

describe('policy documents', () => {
  test('variables: user, application, request, content, response and now have their values [GW-POL-5, GW-POL-14, GW-POL-15, GW-POL-16]', async () => {
    const rules = Object.entries(TRUE_CONDITIONS).flatMap(([point, conditions]) =>
      conditions.map((when, index) => ({ id: `${point}-${index}`, at: [point], when, risk: 'low' })),
    )
    await governed.publish(rules)
    const key = word()
    governed.provider.on(key, says('The answer.'))
    const user = { id: 'pilot-7', role: 'pilot', department: 'hangar', attributes: { wing: 'left' } }
    const messages = [`${key} first words`, 'second words'].map((content) => ({ role: 'user', content }))
    const response = await governed.chat(messages, { max_tokens: 55, governance: { user, session_id: 'afternoon' } })
    await governed.publish(MARKER_RULES)
    const { decision } = await governed.record(expectSuccess(response).governance.audit_id)
    expect((decision as { rules: { id: string }[] }).rules.map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
  })
  test('findings: a condition reads each type and group [GW-POL-6, GW-POL-9]', async () => {
    const when = FINDINGS.map((name) => `content.findings["${name}"] == 0`).join(' && ')
    expect(await simulated({ when, verdict: 'deny' })).toMatchObject({ verdict: 'deny' })
  })
  test('points: a rule may name each of the six, and no other [GW-POL-4]', async () => {
    const at = ['input', 'output', 'retrieve', 'recall', 'remember', 'message']
    expect(await simulated({ at, verdict: 'deny' })).toMatchObject({ verdict: 'deny' })
    await unpublishable({ at: ['before'], verdict: 'deny' })
  })
  test('rules: every field is accepted, an unknown one is refused [GW-POL-3]', async () => {
    const rule = {
      description: 'Every field.',
      verdict: 'require_approval',
      risk: 'critical',
      classification: 'restricted',
      transforms: ['redact:pii'],
      directives: ['memory:off'],
      hold_expires_in: '2d',
      on_error: 'skip',
    }
    const { verdict, risk_level, classification, directives } = await simulated(rule)
    expect([verdict, risk_level, classification, directives]).toEqual([
      'require_approval',
      'critical',
      'restricted',
      ['memory:off'],
    ])
    await unpublishable({ ...rule, otherwise: true })
  })
  test('content: confidential and at least medium with pii, restricted and at least high with secret [GW-POL-7]', async () => {
    const assess = async (prompt: string) => {
      const { classification, risk_level } = await governed.record(expectSuccess(await governed.chat(prompt)).governance.audit_id)
      return { classification, risk_level }
    }
    expect(await assess('Good morning')).toEqual({ classification: 'internal', risk_level: 'low' })
    expect(await assess(`write to ${MAIL}`)).toEqual({ classification: 'confidential', risk_level: 'medium' })
    expect(await assess('use AKIAQYLPMN5HHHFPZAM2 for it')).toEqual({ classification: 'restricted', risk_level: 'high' })
  })
  test("classification: starts at the Application's default [GW-POL-7]", async () => {
    const { token } = await governed.application({ settings: { default_classification: 'public' } })
    const { audit_id } = expectSuccess(await governed.chat('Good morning', {}, { token })).governance
    expect(expectSuccess(await governed.api('GET', `/v1/audit/${audit_id}`, { token })).classification).toBe('public')
  })
  test('risk: a rule raises it and never lowers it [GW-POL-8]', async () => {
    expect(expectSuccess((await governed.sendPrompt(`juniper-risk-low ${MAIL}`)).response).governance.risk_level).toBe('medium')
    expect(expectSuccess((await governed.sendPrompt(`juniper-risk-critical ${MAIL}`)).response).governance.risk_level).toBe(
      'critical',
    )
  })
  test('content.findings["pii.email"]: has the number of findings [GW-POL-6]', async () => {
    expect((await sendChat(`juniper-email ${MAIL}`)).decision.verdict).toBe('escalate')
    expect((await sendChat('juniper-email')).decision.verdict).toBe('allow')
  })
  test('findings: are detected in every message and in hidden text [GW-PIPE-9]', async () => {
    const messages = [
      { role: 'user', content: `juniper-email ma\u200bra.lind@exa\u200bmple.org` },
      { role: 'user', content: 'and?' },
    ]
    expect(expectSuccess(await governed.chat(messages)).governance.decision.verdict).toBe('escalate')
  })
})
