import { afterAll, describe, expect, test } from 'vitest'
import { adminClient, type Json } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { startMailServer } from '../support/mail-server.ts'
import { signInOperator } from '../support/operators.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { word } from '../support/scripted-provider.ts'
import { type Receiver, startReceiver } from '../support/webhook-fixture.ts'

const FORMATS = ['standard', 'slack', 'teams'] as const
const clock = adjustableClock()
const receivers = new Map<string, Receiver>()
const smtp = await closeAfterAll(startMailServer())
const env = { GATEHOUSE_ALLOW_PRIVATE_URLS: '1', GATEHOUSE_SMTP_URL: smtp.url, GATEHOUSE_MAIL_FROM: 'gatehouse@example.com' }
const governed = await closeAfterAll(startGoverned(env, { clock }))
const admin = adminClient(governed.server)
for (const format of FORMATS) {
  const receiver = await startReceiver()
  receivers.set(format, receiver)
  const types = ['budget.alert', 'review.created']
  await admin.create('/webhooks', { url: receiver.url, format, types })
}
afterAll(() => {
  for (const receiver of receivers.values()) receiver.close()
})

const subscribe = async (role: 'auditor' | 'reviewer' | 'owner', topics: readonly string[]) => {
  const operator = await signInOperator(governed.server, role)
  expect((await operator.browser.send('PUT', '/admin/v1/notifications', { topics })).status).toBe(200)
  return operator
}

/** Sends what waits, and returns what was sent in each format: the bodies of webhooks, and e-mail. */
async function send(email: string): Promise<ReadonlyMap<string, string>> {
  const { context } = governed.server
  await runRecurringJob(context, 'send alerts of budgets')
  await context.relay.run()
  await context.webhooks.idle()
  await context.mail.idle()
  clock.advance(61_000)
  await context.mail.idle()
  const mails = smtp.received.filter(({ to }) => to.includes(email)).map(({ subject, text }) => `${subject}\n${text}`)
  const textOf = (format: string) => (receivers.get(format)?.received ?? []).map(({ text }) => text).join('\n')
  return new Map([...FORMATS.map((format) => [format, textOf(format)] as const), ['mail', mails.join('\n')]])
}

describe('alerts of budgets: the id of a user stays in the dashboard [ADM-HOOK-1, ADM-MAIL-1]', () => {
  test('no webhook, chat tool or e-mail names the user of a budget of each user', async () => {
    const { email } = await subscribe('auditor', ['budgets'])
    const { id: application_id, token } = await governed.application()
    const [name, user] = [word(), `${word()}@people.example`]
    const fields = { unit: 'tokens', limit: 20, period: 'month', alerts: [0.1], application_id }
    await admin.create('/budgets', { name, scope: 'user', ...fields })
    const chat = { model: 'scripted', max_tokens: 8, governance: { user: { id: user } } }
    expectSuccess(await governed.chat('Good morning', chat, { token }))
    const sent = await send(email)
    for (const [format, text] of sent) {
      expect(text, format).toContain(name)
      expect(text, format).not.toContain(user.split('@')[0])
    }
    const [alert] = receivers.get('standard')?.received.map(({ body }) => body.payload as Json) ?? []
    expect(alert).toMatchObject({ object: 'budget_alert', name, scope: 'user', member: null })
    expect(sent.get('mail')).toContain(`Budget ${name} of a member has reached`)
    const { data } = await admin.get(`/budgets/${alert.id}/members`)
    expect(data[0].subject ?? data[0].member).toBe(user)
  })
})

describe('names in notifications: no link and no mention [ADM-HOOK-2, ADM-MAIL-1]', () => {
  test('bare links, hosts, addresses and mentions are broken in each format for people', async () => {
    const { email } = await subscribe('reviewer', ['holds'])
    const hostile = 'Pay https://evil.example www.evil.example jane@evil.example @channel <!here> [x](https://evil.example)'
    const { token } = await governed.application({ name: `${word()} ${hostile}` })
    await governed.holdPrompt('juniper-hold', { options: { token } })
    const sent = await send(email)
    for (const format of ['slack', 'teams', 'mail']) {
      expect(sent.get(format), format).toContain('evil[.]example')
      expect(sent.get(format)?.replaceAll('=\r\n', ''), format).not.toMatch(
        /\w:\/\/evil|evil\.example|@channel|<!here>|\]\(https/,
      )
    }
  })
})

describe('published policies by e-mail: the author [ADM-MAIL-1]', () => {
  test('gets none when an admin token of the author published', async () => {
    const author = await subscribe('owner', ['policies'])
    const { token } = (await author.browser.post('/admin/v1/tokens', { name: 'deploy' })).body
    const { data } = await admin.get('/policy-sets?limit=1')
    const { source } = await admin.get(`/policy-sets/${data[0].id}`)
    await admin.create('/policy-sets', { source: `${source}\n# again\n` }, { token })
    expect((await send(author.email)).get('mail')).toBe('')
  })
})
