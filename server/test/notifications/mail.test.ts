import { afterEach, describe, expect, test } from 'vitest'
import { adminClient, expectError } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'
import { startMailServer } from '../support/mail-server.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { type Browser, signInOperator } from '../support/operators.ts'
import { createDataFolder } from '../support/own-data.ts'
import { testFolder } from '../support/temporary-folder.ts'

const MINUTE = 60_000
const FROM = 'Gatehouse <gatehouse@example.com>'
const OF_REVIEWERS = ['holds', 'escalations', 'assigned', 'overdue', 'budgets', 'policies', 'keys']
const ALL = [...OF_REVIEWERS, 'providers']
const clock = adjustableClock()

const smtp = await closeAfterAll(startMailServer())
const env = { GATEHOUSE_SMTP_URL: smtp.url, GATEHOUSE_MAIL_FROM: FROM }
const governed = await closeAfterAll(startGoverned(env, { clock, random: () => 0.5 }))
const admin = adminClient(governed.server)
const subscribed: Browser[] = []
afterEach(async () => {
  for (const browser of subscribed.splice(0)) await browser.send('PUT', '/admin/v1/notifications', { topics: [] })
  await governed.server.context.database.db.deleteFrom('mail_notification').execute()
  smtp.received.splice(0)
  smtp.state.isRefusing = false
})

const put = async (browser: Browser, topics: readonly string[]) => {
  const response = await browser.send('PUT', '/admin/v1/notifications', { topics })
  expect(response.status, response.text).toBe(200)
  return response.body
}
const subscribe = async (roles: Parameters<typeof signInOperator>[1], topics: readonly string[]) => {
  const operator = await signInOperator(governed.server, roles)
  subscribed.push(operator.browser)
  await put(operator.browser, topics)
  return operator
}
/** Reads all events, and a minute later sends what waits. */
const send = async ({ server } = governed, ms = MINUTE + 1_000, at = clock): Promise<void> => {
  await server.context.relay.run()
  await server.context.mail.idle()
  at.advance(ms)
  await server.context.mail.idle()
}
const mailTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email))

describe('notifications by e-mail [ADM-MAIL-1]', () => {
  test('40 holds within a minute are one e-mail, without their content', async () => {
    const reviewer = await subscribe('reviewer', ['holds'])
    const other = await subscribe('reviewer', ['policies'])
    const held = []
    for (let i = 0; i < 40; i++) held.push(await governed.holdPrompt())
    await send()
    expect(mailTo(other.email)).toEqual([])
    const [mail] = mailTo(reviewer.email)
    expect(mailTo(reviewer.email)).toHaveLength(1)
    expect(mail?.subject).toBe('40 held requests need a decision')
    expect(mail?.text).toContain('Rule juniper-hold')
    expect(mail?.text).toContain('And 20 more.')
    expect(mail?.text).toContain('Auto-Submitted: auto-generated')
    for (const { word } of held) expect(mail?.text).not.toContain(word)
    expect(mail?.text).not.toContain('Please look into')
    await send()
    expect(mailTo(reviewer.email)).toHaveLength(1)
  })

  test('a hold that was decided before the e-mail is left out', async () => {
    const reviewer = await subscribe('reviewer', ['holds'])
    const [decided, pending] = [await governed.holdPrompt(), await governed.holdPrompt()]
    await governed.decide(decided.id, 'deny')
    await send()
    expect(mailTo(reviewer.email).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Held request from .* needs a decision$/),
    ])
    await governed.decide(pending.id, 'deny')
  })

  test('operators get only events of Workspaces in which they have the scope when it is sent', async () => {
    const workspace = await admin.workspace()
    const here = (await admin.get('/session')).workspaces[0].id
    const elsewhere = await subscribe({ [workspace]: 'reviewer' }, ALL)
    const removed = await subscribe('reviewer', ALL)
    const present = await subscribe({ [here]: 'reviewer' }, ALL)
    await governed.holdPrompt()
    await governed.server.context.relay.run()
    await governed.server.context.mail.idle()
    await admin.patch(`/operators/${removed.id}`, {
      role: null,
      workspace_roles: [{ workspace_id: workspace, role: 'reviewer' }],
    })
    await send()
    expect([elsewhere, removed].flatMap(({ email }) => mailTo(email))).toEqual([])
    expect(mailTo(present.email)).toHaveLength(1)
  })

  test('an assignment goes to the assignee, and during an absence to the delegate', async () => {
    const [assignee, delegate] = [await subscribe('reviewer', ['assigned']), await subscribe('reviewer', ['assigned'])]
    const watcher = await subscribe('reviewer', ['holds'])
    const held = await governed.holdPrompt()
    await admin.post(`/reviews/${held.id}/assign`, { operator_id: assignee.id })
    await send()
    expect(mailTo(assignee.email).map(({ subject }) => subject)).toEqual([expect.stringContaining('is assigned to A reviewer')])
    expect(mailTo(delegate.email)).toEqual([])
    const now = clock.now().getTime()
    const absence = { starts_at: new Date(now - MINUTE), ends_at: new Date(now + 60 * MINUTE), delegate_id: delegate.id }
    expect((await watcher.browser.send('PUT', '/admin/v1/reviewers/me/absence', absence)).status).toBe(204)
    await governed.holdPrompt()
    await send()
    expect(mailTo(watcher.email)).toHaveLength(1)
    expect(mailTo(delegate.email).map(({ subject }) => subject)).toEqual([expect.stringContaining('needs a decision')])
  })

  test('a publication goes to its subscribers, and not to its author', async () => {
    const [author, reader] = [await subscribe('policy_author', ['policies']), await subscribe('auditor', ['policies'])]
    const { source } = await admin.get(`/policy-sets/${(await admin.get('/policy-sets?limit=1')).data[0].id}`)
    expect((await author.browser.post('/admin/v1/policy-sets', { source })).status).toBe(201)
    await send()
    expect(mailTo(author.email)).toEqual([])
    expect(mailTo(reader.email).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('was published by A policy_author'),
    ])
    await governed.publish(MARKER_RULES)
  })

  test('an e-mail that was refused is sent again later, and once', async () => {
    const reviewer = await subscribe('reviewer', ['holds'])
    smtp.state.isRefusing = true
    await governed.holdPrompt()
    await send()
    expect(mailTo(reviewer.email)).toEqual([])
    expect(governed.server.logs()).toContain('an e-mail with notifications could not be sent')
    expect(governed.server.logs()).not.toContain(reviewer.email)
    smtp.state.isRefusing = false
    await send()
    await send()
    expect(mailTo(reviewer.email)).toHaveLength(1)
  })

  test('an event is dropped when it could not be sent for a day', async () => {
    const reviewer = await subscribe('reviewer', ['policies'])
    await governed.publish(MARKER_RULES)
    await governed.server.context.relay.run()
    await governed.server.context.mail.idle()
    smtp.state.isRefusing = true
    await send(governed, 24 * 60 * MINUTE)
    smtp.state.isRefusing = false
    await send()
    expect(mailTo(reviewer.email)).toEqual([])
  })
})

describe('settings of notifications [ADM-MAIL-2]', () => {
  test('an operator sees the topics of their scopes, and an admin token has none', async () => {
    const { browser, email } = await signInOperator(governed.server, 'reviewer')
    expect((await browser.get('/admin/v1/notifications')).body).toEqual({
      ...{ object: 'notifications', topics: [], available: OF_REVIEWERS, address: email, sender: FROM, has_links: false },
    })
    expect(await put(browser, ['holds'])).toMatchObject({ topics: ['holds'] })
    expectError(await browser.send('PUT', '/admin/v1/notifications', { topics: ['weather'] }), 'VALIDATION_ERROR', 'topics[0]')
    await put(browser, [])
    expectError(await admin.send('GET', '/notifications'), 'FORBIDDEN')
    expectError(await admin.send('POST', '/notifications/test'), 'FORBIDDEN')
  })

  test('a test e-mail reports the cause of a failure', async () => {
    const { browser, email } = await signInOperator(governed.server, 'reviewer')
    expect((await browser.post('/admin/v1/notifications/test')).body).toEqual({ delivered: true, failure: null })
    expect(mailTo(email).map(({ subject }) => subject)).toEqual(['Test e-mail from Gatehouse'])
    smtp.state.isRefusing = true
    const { body } = await browser.post('/admin/v1/notifications/test')
    expect(body).toEqual({ delivered: false, failure: 'The mail server refused the recipient with status 550.' })
  })
})

describe('other servers', () => {
  test('e-mail that waits is sent after a restart, with links', async () => {
    const [data, own] = [createDataFolder(testFolder()), adjustableClock()]
    const again = { ...env, GATEHOUSE_DATA: data.dataDir }
    const first = await startGoverned(again, { clock: own })
    const reviewer = await signInOperator(first.server, 'reviewer')
    await put(reviewer.browser, ['holds'])
    const held = await first.holdPrompt()
    await first.server.context.relay.run()
    await first.server.context.mail.idle()
    await first.close()
    expect(mailTo(reviewer.email)).toEqual([])
    const second = await startGoverned({ ...again, GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' }, { clock: own })
    await send(second, MINUTE + 1_000, own)
    await second.close()
    const [mail] = mailTo(reviewer.email)
    expect(mail?.text).toContain(`https://gatehouse.example.com/dashboard/reviews/${held.id}?workspace=ws_`)
    expect(mail?.text).toContain('https://gatehouse.example.com/dashboard/account')
  })

  test.each([
    [
      'a wrong password',
      (url: string) => url.replace('right', 'wrong'),
      'The mail server refused user or password. Check GATEHOUSE_SMTP_URL.',
    ],
    [
      'a server that does not run',
      () => 'smtp://127.0.0.1:1',
      'No connection to the mail server. Check host and port of GATEHOUSE_SMTP_URL.',
    ],
    ['no server', () => undefined, undefined],
  ])('the test e-mail names the cause: %s', async (_, change, failure) => {
    const strict = await closeAfterTest(startMailServer({ password: 'right' }))
    const url = change(strict.url)
    const own = await closeAfterTest(startGoverned(url === undefined ? {} : { ...env, GATEHOUSE_SMTP_URL: url }))
    const { browser } = await signInOperator(own.server, 'reviewer')
    const response = await browser.post('/admin/v1/notifications/test')
    if (failure === undefined) expect(expectError(response, 'CONFLICT').message).toContain('Set GATEHOUSE_SMTP_URL')
    else expect(response.body).toEqual({ delivered: false, failure })
  })
})
