import { expect, test } from 'vitest'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await sharedGoverned()
await governed.publish([
  { id: 'cards', at: ['input'], when: 'content.findings["pii.card"] > 1', verdict: 'deny' },
  {
    id: 'addresses',
    at: ['input'],
    when: 'content.findings["pii.email"] > 0',
    verdict: 'allow',
    transforms: ['redact:pii.email'],
  },
])

const PROSE = 'The committee met on Tuesday and discussed the budget of the library for the coming year. '
const LONG = PROSE.repeat(30)
/** Texts of this length are scanned once. */
const history = [
  { role: 'user', content: `${LONG} Write to jane.roe@brightwater.example.com.` },
  { role: 'assistant', content: `${LONG} I will.` },
  { role: 'user', content: `${LONG} My card is 4111 1111 1111 1111.` },
]

/** Sends the conversation with one more message. */
const turn = (content: string) => governed.chat(content, { messages: [...history, { role: 'user', content }] })

test('long conversation: findings in earlier messages count in each turn, and their transforms are applied in each [GW-SAFE-1]', async () => {
  for (const question of ['First question?', 'Second question?']) {
    const body = expectSuccess(await turn(question))
    const record = await governed.record(body.governance.audit_id)
    expect(record.findings).toMatchObject({ classify: { 'pii.email': 1, 'pii.card': 1 } })
    const [sent] = governed.provider.callsWith(question)
    expect(sent?.raw).toContain('My card is')
    expect(sent?.raw).not.toContain('jane.roe')
  }
  const denied = await turn('And my other card is 5500 0000 0000 0004.')
  expect(expectError(denied, 'POLICY_DENIED').details).toMatchObject({ rules: ['cards'] })
})
