import { describe, expect, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError as refusedByGateway } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { signInOperator } from '../support/operators.ts'
import { adminClient, expectError, type Json } from './client.ts'

const clock = adjustableClock()
const HOUR = 3_600_000
const governed = await closeAfterAll(startGoverned({}, { clock }))
const admin = adminClient(governed.server)
const rule = (id: string, fields: object) => ({ id, at: ['input'], when: `content.text.contains("${id}")`, ...fields })
await governed.publish([
  ...MARKER_RULES,
  rule('two-approvals', { verdict: 'require_approval', approvals: 2 }),
  rule('short-hold', { verdict: 'require_approval', hold_expires_in: '1h' }),
  rule('shown-later', { verdict: 'escalate' }),
] as never)

const reviewer = () => signInOperator(governed.server, 'reviewer')
const escalate = async (): Promise<string> => {
  const { word } = await governed.sendPrompt('shown-later')
  const { data } = await admin.get('/reviews?kind=escalation&limit=100')
  expect(word).not.toBe('')
  return data[0].id
}
const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

const hoursFromNow = (hours: number) => new Date(clock.now().getTime() + hours * HOUR).toISOString()
const absenceFor = (delegate_id: string) => ({ starts_at: hoursFromNow(-1), ends_at: hoursFromNow(1), delegate_id })

describe('approvals by several operators [ADM-REV-1]', () => {
  test('the client sees a pending hold until the second operator approves', async () => {
    const held = await governed.holdPrompt('two-approvals')
    const [first, second] = [await reviewer(), await reviewer()]
    const approve = (browser: typeof first.browser, comment: string) =>
      browser.post(`/admin/v1/reviews/${held.id}/approve`, { comment })
    expect((await approve(first.browser, 'one')).body).toMatchObject({
      ...{ state: 'pending', required_approvals: 2, decided_by: null },
      approvals: [{ by: first.id, comment: 'one' }],
    })
    refusedByGateway(await governed.resubmit(held), 'POLICY_REVIEW_PENDING')
    expect(expectError(await approve(first.browser, 'again'), 'FORBIDDEN').message).toContain('Another operator')
    expect((await approve(second.browser, 'two')).body).toMatchObject({
      ...{ state: 'approved', decided_by: second.id },
      approvals: [{ by: first.id }, { by: second.id, comment: 'two' }],
    })
    expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
    const records = (await admin.records(50)).filter(({ change }) => change?.action === 'review.approve')
    expect(records.filter(({ change }) => change.object_id === held.id).map(({ change }) => change.fields)).toEqual([
      ['state', 'comment'],
      ['approvals', 'comment'],
    ])
  })

  test('an admin token of the operator who approved is refused, and one denial is final', async () => {
    const held = await governed.holdPrompt('two-approvals')
    const owner = await signInOperator(governed.server, 'owner')
    const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 'automation' })).body
    const approve = `/reviews/${held.id}/approve`
    expect((await owner.browser.post(`/admin/v1${approve}`)).body.state).toBe('pending')
    expectError(await admin.send('POST', approve, {}, { token }), 'FORBIDDEN')
    expect((await admin.post(`/reviews/${held.id}/deny`, {})).state).toBe('denied')
    expectError(await admin.send('POST', approve, {}), 'CONFLICT')
  })

  test('two operators who approve at the same time both count', async () => {
    const held = await governed.holdPrompt('two-approvals')
    const browsers = await Promise.all([reviewer(), reviewer()])
    await Promise.all(browsers.map(({ browser }) => browser.post(`/admin/v1/reviews/${held.id}/approve`)))
    const item = await admin.get(`/reviews/${held.id}`)
    expect([item.state, item.approvals.length]).toEqual(['approved', 2])
  })
})

describe('deadline', () => {
  test('is extended within 30 days of the request, and the change is recorded', async () => {
    const held = await governed.holdPrompt('short-hold')
    const path = `/reviews/${held.id}/extend`
    const expires_at = hoursFromNow(30)
    expect(await admin.post(path, { expires_at })).toMatchObject({ id: held.id, state: 'pending', expires_at })
    expect((await admin.records())[0].change).toMatchObject({
      action: 'review.extend',
      object_id: held.id,
      fields: ['expires_at'],
    })
    clock.advance(2 * HOUR)
    // The rule's hour is over.
    refusedByGateway(await governed.resubmit(held), 'POLICY_REVIEW_PENDING')
    for (const hours of [1, 30 * 24]) {
      expectError(await admin.send('POST', path, { expires_at: hoursFromNow(hours) }), 'VALIDATION_ERROR', 'expires_at')
    }
    await governed.decide(held.id, 'approve')
    expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
    expectError(await admin.send('POST', path, { expires_at: hoursFromNow(40) }), 'CONFLICT')
  })

  test('of an expired item cannot be extended, and items of other Workspaces are not found', async () => {
    const [held, expired] = [await governed.holdPrompt(), await governed.holdPrompt('short-hold')]
    clock.advance(HOUR)
    const body = { expires_at: hoursFromNow(48) }
    expectError(await admin.send('POST', `/reviews/${expired.id}/extend`, body), 'CONFLICT')
    const workspace = await admin.workspace()
    expectError(await admin.send('POST', `/reviews/${held.id}/extend`, body, { workspace }), 'NOT_FOUND')
  })
})

describe('question', () => {
  test('the requester sees it in the 409 of the resubmission, and its text is not recorded', async () => {
    const held = await governed.holdPrompt()
    const question = 'Which invoice is this for?'
    const { id, browser } = await reviewer()
    const asked = (await browser.post(`/admin/v1/reviews/${held.id}/ask`, { question })).body
    expect(asked).toMatchObject({ state: 'pending', question, asked_by: id, asked_at: expect.any(String) })
    const [record] = await admin.records()
    expect(record.change).toMatchObject({ action: 'review.ask', object_id: held.id, fields: ['question'] })
    const pending = refusedByGateway(await governed.resubmit(held), 'POLICY_REVIEW_PENDING')
    expect(pending).toMatchObject({ review_item_id: held.id, details: { question } })
    expect(pending.message).toContain(question)
    expect(JSON.stringify(await admin.records(5))).not.toContain(question)
    // Another request does not see it.
    const other = { ...held, prompt: `${held.prompt} changed` }
    expect(JSON.stringify(refusedByGateway(await governed.resubmit(other), 'VALIDATION_ERROR'))).not.toContain(question)
    await governed.decide(held.id, 'approve')
    expectError(await admin.send('POST', `/reviews/${held.id}/ask`, { question }), 'CONFLICT')
  })

  test('its text is erased with the content, which it may quote', async () => {
    const held = await governed.holdPrompt()
    await admin.post(`/reviews/${held.id}/ask`, { question: 'Why?' })
    await governed.decide(held.id, 'deny')
    expect(await admin.get(`/reviews/${held.id}`)).toMatchObject({ state: 'denied', question: null })
  })

  test('is refused for an escalation, without a text, and in another Workspace', async () => {
    const held = await governed.holdPrompt()
    const body = { question: 'Why?' }
    expectError(await admin.send('POST', `/reviews/${await escalate()}/ask`, body), 'CONFLICT')
    expectError(await admin.send('POST', `/reviews/${held.id}/ask`, { question: ' ' }), 'VALIDATION_ERROR', 'question')
    const workspace = await admin.workspace()
    expectError(await admin.send('POST', `/reviews/${held.id}/ask`, body, { workspace }), 'NOT_FOUND')
  })
})

describe('assignment [ADM-REV-2]', () => {
  test('an item is assigned, found by its assignee, recorded, and still decided by others', async () => {
    const { id } = await governed.holdPrompt()
    const other = await governed.holdPrompt()
    const { id: operator, browser } = await reviewer()
    expect(await admin.post(`/reviews/${id}/assign`, { operator_id: operator })).toMatchObject({ id, assigned_to: operator })
    expect((await admin.records())[0].change).toMatchObject({ action: 'review.assign', object_id: id, fields: ['assigned_to'] })
    expect(idsOf((await browser.get('/admin/v1/reviews?state=pending&assigned_to=me')).body)).toEqual([id])
    expect(idsOf(await admin.get(`/reviews?assigned_to=${operator}`))).toEqual([id])
    const unassigned = idsOf(await admin.get('/reviews?state=pending&assigned_to=none&limit=100'))
    expect(unassigned).toContain(other.id)
    expect(unassigned).not.toContain(id)
    expect((await governed.decide(id, 'approve')).state).toBe('approved')
    expectError(await admin.send('POST', `/reviews/${id}/assign`, { operator_id: null }), 'CONFLICT')
  })

  test('only operators who can decide are assignees, and items of other Workspaces are not found', async () => {
    const { id } = await governed.holdPrompt()
    const auditor = await signInOperator(governed.server, 'auditor')
    const path = `/reviews/${id}/assign`
    expectError(await admin.send('POST', path, { operator_id: auditor.id }), 'VALIDATION_ERROR', 'operator_id')
    expectError(await admin.send('POST', path, { operator_id: 'opr_unknown' }), 'VALIDATION_ERROR', 'operator_id')
    const workspace = await admin.workspace()
    expectError(await admin.send('POST', path, { operator_id: null }, { workspace }), 'NOT_FOUND')
  })

  test('assignments of an absent operator go to the delegate', async () => {
    const [absent, delegate] = [await reviewer(), await reviewer()]
    const earlier = await governed.holdPrompt()
    await admin.post(`/reviews/${earlier.id}/assign`, { operator_id: absent.id })
    const absence = absenceFor(delegate.id)
    const set = await absent.browser.send('PUT', '/admin/v1/reviewers/me/absence', absence)
    expect(set.status, set.text).toBe(204)
    const { data } = await admin.get('/reviewers')
    expect(data.find(({ id }: Json) => id === absent.id).absence).toEqual(absence)
    const later = await governed.holdPrompt()
    const assigned = { assigned_to: delegate.id, assigned_for: absent.id }
    expect(await admin.post(`/reviews/${later.id}/assign`, { operator_id: absent.id })).toMatchObject(assigned)
    expect(await admin.get(`/reviews/${later.id}`)).toMatchObject(assigned)
    const queue = await delegate.browser.get('/admin/v1/reviews?state=pending&assigned_to=me')
    expect(idsOf(queue.body)).toEqual([earlier.id, later.id])
    expect((await absent.browser.send('DELETE', '/admin/v1/reviewers/me/absence')).status).toBe(204)
    const direct = await admin.post(`/reviews/${later.id}/assign`, { operator_id: absent.id })
    expect(direct).toMatchObject({ assigned_to: absent.id, assigned_for: null })
  })

  test('another Workspace sees the absence without a delegate who is no reviewer of it', async () => {
    const [here, elsewhere] = [await admin.workspace(), await admin.workspace()]
    const absent = await signInOperator(governed.server, { [here]: 'reviewer', [elsewhere]: 'reviewer' })
    const delegate = await signInOperator(governed.server, { [here]: 'reviewer' })
    const absence = absenceFor(delegate.id)
    expect((await absent.browser.send('PUT', `/admin/v1/reviewers/me/absence?workspace=${here}`, absence)).status).toBe(204)
    const absenceIn = async (workspace: string) =>
      (await admin.get('/reviewers', { workspace })).data.find(({ id }: Json) => id === absent.id).absence
    expect(await absenceIn(here)).toEqual(absence)
    expect(await absenceIn(elsewhere)).toEqual({ ...absence, delegate_id: null })
  })

  test('a delegate gets the items of a chain of absences, and only in Workspaces where the delegate can decide', async () => {
    const [first, second, third] = [await reviewer(), await reviewer(), await reviewer()]
    const { id } = await governed.holdPrompt()
    await admin.post(`/reviews/${id}/assign`, { operator_id: first.id })
    const setDelegate = (from: typeof first, to: typeof first) =>
      from.browser.send('PUT', '/admin/v1/reviewers/me/absence', absenceFor(to.id))
    await setDelegate(first, second)
    await setDelegate(second, third)
    const assigned = async ({ browser }: typeof first) => idsOf((await browser.get('/admin/v1/reviews?assigned_to=me')).body)
    expect([await assigned(second), await assigned(third)]).toEqual([[], [id]])
    const representative = async () =>
      (await admin.get('/reviewers')).data.find((one: Json) => one.id === first.id).representative_id
    expect(await representative()).toBe(third.id)
    await setDelegate(third, first)
    expect([await assigned(third), await representative()]).toEqual([[], null])
    await third.browser.send('DELETE', '/admin/v1/reviewers/me/absence')
    expect((await admin.send('PATCH', `/operators/${third.id}`, { role: 'auditor' })).status).toBe(200)
    expect(await representative()).toBe(second.id)
    for (const { browser } of [first, second]) await browser.send('DELETE', '/admin/v1/reviewers/me/absence')
    await governed.decide(id, 'deny')
  })

  test('an absence ends after it starts, and has another reviewer as its delegate', async () => {
    const { id, browser } = await reviewer()
    const [early, late] = [hoursFromNow(0), hoursFromNow(1)]
    const put = (starts_at: string, ends_at: string, delegate_id: string | null) =>
      browser.send('PUT', '/admin/v1/reviewers/me/absence', { starts_at, ends_at, delegate_id })
    expectError(await put(late, early, null), 'VALIDATION_ERROR', 'ends_at')
    expectError(await put(early, late, id), 'VALIDATION_ERROR', 'delegate_id')
    expectError(await put(early, late, 'opr_unknown'), 'VALIDATION_ERROR', 'delegate_id')
    expectError(
      await admin.send('PUT', '/reviewers/me/absence', { starts_at: early, ends_at: late, delegate_id: null }),
      'FORBIDDEN',
    )
  })
})

test('queue: the items that expire next come first, page by page [ADM-REV-3]', async () => {
  const late = await governed.holdPrompt()
  const soon = await governed.holdPrompt('short-hold')
  const listed = idsOf({ data: await admin.all('/reviews?state=pending&kind=hold', { limit: 2 }) })
  expect(listed[0]).toBe(soon.id)
  expect(listed.at(-1)).toBe(late.id)
  expect(new Set(listed).size).toBe(listed.length)
  expectError(await admin.send('GET', '/reviews?state=pending&cursor=rev_01h455vb4pex5vsknk084sn02q'), 'VALIDATION_ERROR')
})

test('bulk: escalations are acknowledged with one comment, and a hold is refused by itself [ADM-REV-4]', async () => {
  const ids = [await escalate(), await escalate()]
  const hold = await governed.holdPrompt()
  const unknown = 'rev_01h455vb4pex5vsknk084sn02q'
  const { results } = await admin.post('/reviews/acknowledge', { ids: [ids[0], hold.id, unknown, ids[1]], comment: 'seen' })
  expect(results.map(({ id, acknowledged, error }: Json) => [id, acknowledged, error?.code ?? null])).toEqual([
    [ids[0], true, null],
    [hold.id, false, 'CONFLICT'],
    [unknown, false, 'NOT_FOUND'],
    [ids[1], true, null],
  ])
  expect(await admin.get(`/reviews/${ids[1]}`)).toMatchObject({ state: 'acknowledged', comment: 'seen' })
  expect((await admin.get(`/reviews/${hold.id}`)).state).toBe('pending')
  const many = Array.from({ length: 101 }, (_, index) => `rev_${index}`)
  expectError(await admin.send('POST', '/reviews/acknowledge', { ids: many }), 'VALIDATION_ERROR', 'ids')
})

test('statistics: times to decision, expired and overdue items of the Workspace [ADM-REV-5]', async () => {
  const from = clock.now().toISOString()
  clock.advance(1_000)
  const held = [await governed.holdPrompt(), await governed.holdPrompt()]
  await governed.holdPrompt('short-hold')
  clock.advance(600_000)
  for (const { id } of held) await governed.decide(id, 'deny')
  clock.advance(HOUR)
  const { data } = await admin.get('/workspaces')
  await admin.patch(`/workspaces/${data[0].id}`, { settings: { review: { target_minutes: 30, reasons: ['Known supplier.'] } } })
  const statistics = await admin.get(`/reviews/statistics?from=${from}`)
  expect(statistics).toMatchObject({
    ...{ created: 3, decided: 2, expired: 1, target_minutes: 30, reasons: ['Known supplier.'] },
    reviewers: [{ decided: 2 }],
    applications: [{ application_id: governed.demo.applications[0]?.id, decided: 2 }],
  })
  expect(statistics.median_seconds).toBeGreaterThanOrEqual(600)
  expect(statistics.median_seconds).toBeLessThan(700)
  expect(statistics.pending.overdue).toBe(statistics.pending.count)
  expect(statistics.pending.oldest).not.toBeNull()
  const workspace = await admin.workspace()
  expect(await admin.get('/reviews/statistics', { workspace })).toMatchObject({ created: 0, pending: { count: 0 } })
  expectError(await admin.send('GET', '/reviews/statistics?from=2020-01-01T00:00:00Z'), 'VALIDATION_ERROR', 'from')
})
