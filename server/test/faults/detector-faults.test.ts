import { describe, expect, test } from 'vitest'
import type { Detector } from '../../src/domains/classification/detector.ts'
import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'

/** Other detectors need less, also on a slow machine and when they run for the first time. */
const BUDGET_MS = 500

/** A detector that fails as the text says. */
const fragile: Detector = {
  name: 'fragile',
  find: (text, findings) => {
    if (text.includes('walnut-throws')) throw new Error('a detector that quotes walnut-throws')
    if (text.includes('walnut-overruns')) useCpu(BUDGET_MS * 1.2)
    if (text.includes('walnut-misplaces')) findings.push({ type: 'pii.email', start: 5, end: 1_000_000 })
  },
}

const governed = await closeAfterAll(
  startGoverned({ GATEHOUSE_DETECTOR_BUDGET_MS: String(BUDGET_MS) }, { detectors: [...DETECTORS, fragile] }),
)

/** Fails unless the request was denied and its audit record names what failed. */
async function expectDenied(response: GatewayResponse, failed: string, point: string): Promise<void> {
  const { audit_id, details } = expectError(response, 'POLICY_DENIED')
  expect(details).toEqual({ failed: [failed] })
  const { decision, error_code } = await governed.record(audit_id)
  expect(error_code).toBe('POLICY_DENIED')
  expect(decision).toMatchObject({
    verdict: 'deny',
    rules: expect.arrayContaining([{ id: failed, point, verdict: 'deny', error: 'failed' }]),
  })
}

/** The budget counts CPU time, of which a busy machine gives less. */
function useCpu(ms: number): void {
  const start = process.threadCpuUsage()
  while (process.threadCpuUsage(start).user < ms * 1_000);
}

describe('detector that fails [GW-SAFE-1]', () => {
  test.each(['walnut-throws', 'walnut-overruns'])(
    'detectors: request gets 403 without a provider call when %s occurs at input',
    async (mark) => {
      const sentPrompt = await governed.sendPrompt(mark)
      await expectDenied(sentPrompt.response, 'detector:fragile', 'input')
      expect(governed.countProviderCalls(sentPrompt)).toBe(0)
    },
  )
  test.each(['walnut-throws', 'walnut-overruns'])(
    'detectors: request gets 403 without the completion when %s occurs at output, streamed or not',
    async (mark) => {
      for (const stream of [false, true]) {
        const sentPrompt = await governed.sendPrompt('', { answer: `${mark} and the secret`, more: { stream } })
        await expectDenied(sentPrompt.response, 'detector:fragile', 'output')
        expect(sentPrompt.response.text).not.toContain('the secret')
      }
    },
  )
  test('transforms: request gets 403 when a finding lies outside the text at input or output', async () => {
    const asked = await governed.sendPrompt('walnut-misplaces juniper-redact')
    await expectDenied(asked.response, 'transform', 'input')
    expect(governed.countProviderCalls(asked)).toBe(0)
    const answered = await governed.sendPrompt('', { answer: 'walnut-misplaces sorrel-redact' })
    await expectDenied(answered.response, 'transform', 'output')
    expect(answered.response.text).not.toContain('walnut-misplaces')
  })
  test('detectors: request gets 403 when a detector fails on one of several messages', async () => {
    const messages = ['Good morning', 'walnut-throws', 'Go on'].map((content) => ({ role: 'user', content }))
    await expectDenied(await governed.chat(messages), 'detector:fragile', 'input')
  })
  test('detectors: request gets 403 and opens no hold when a detector fails and a rule requires approval', async () => {
    const sentPrompt = await governed.sendPrompt('walnut-throws juniper-hold')
    await expectDenied(sentPrompt.response, 'detector:fragile', 'input')
  })
  test('detectors: search and capture get 403 when a detector fails', async () => {
    for (const [path, body] of [
      ['/v1/knowledge/search', { query: 'walnut-throws' }],
      ['/v1/memory/search', { query: 'walnut-throws' }],
      ['/v1/memory/capture', { content: 'walnut-throws', scope: 'application', kind: 'fact', classification: 'internal' }],
    ] as const) {
      await expectDenied(await governed.post(path, body), 'detector:fragile', 'input')
    }
  })
  test('detectors: the next request succeeds after a failure', async () => expectSuccess((await governed.sendPrompt()).response))
  test('detectors: no audit record contains the message of the exception', async () => {
    const { rows } = await governed.server.context.database.pool.query('select body from audit_record')
    expect(JSON.stringify(rows)).not.toContain('walnut')
  })
})

describe('fault metrics and logs', () => {
  const metrics = async (): Promise<string> => (await fetch(`${governed.server.base}/metrics`)).text()
  const count = async (labels: string): Promise<number> =>
    Number(new RegExp(`^gatehouse_governance_faults_total\\{${labels}\\} (\\d+)$`, 'm').exec(await metrics())?.[1] ?? 0)

  test.each([
    [
      'walnut-throws',
      'kind="detector",name="fragile",how="threw"',
      { kind: 'detector', name: 'fragile', how: 'threw', error: 'Error' },
    ],
    ['walnut-overruns', 'kind="detector",name="fragile",how="overran"', { kind: 'detector', name: 'fragile', how: 'overran' }],
    [
      'walnut-misplaces juniper-redact',
      'kind="transform",name="input",how="threw"',
      { kind: 'transform', name: 'input', how: 'threw', error: 'RangeError' },
    ],
  ])('faults: counter and log line without content are written when %s occurs', async (mark, labels, line) => {
    const [before, logged] = [await count(labels), governed.server.logs().length]
    expectError((await governed.sendPrompt(mark)).response, 'POLICY_DENIED')
    expect(await count(labels)).toBe(before + 1)
    const lines = governed.server
      .logs()
      .slice(logged)
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(lines).toContainEqual(expect.objectContaining(line))
    expect(governed.server.logs()).not.toContain('walnut')
  })

  test('faults: counter increases when a condition fails', async () => {
    const labels = 'kind="condition",name="missing_value",how="threw"'
    const before = await count(labels)
    expectError((await governed.sendPrompt('juniper-broken')).response, 'POLICY_DENIED')
    expect(await count(labels)).toBe(before + 1)
  })
})
