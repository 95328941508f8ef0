import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { addChunks } from '../../src/domains/knowledge/chunk-store.ts'
import { placeFor } from '../../src/domains/knowledge/partitions.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { createKnowledgeFixture, type KnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { mergeIndex } from '../support/merge-index.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const SECTIONS = 8_000
const CALLERS = 10

const governed = await closeAfterAll(sharedGoverned())
const knowledgeFixture = await createKnowledgeFixture(governed, { settings: { memory: { enabled: true } } })
await addSections(knowledgeFixture, SECTIONS)

/** A document with many sections, all of which the rule `quince-deny` denies. */
async function addSections(knowledgeFixture: KnowledgeFixture, count: number): Promise<void> {
  const workspaceId = governed.demo.workspace.id
  const document = await knowledgeFixture.put('Cover.')
  const { db } = governed.server.context.database
  const labels = { classification: null, acl: null, limits: { classification: null, acl: null } }
  const holder = { workspace: fromId('ws', workspaceId) ?? '', document: fromId('doc', document) ?? '', title: 'Book' }
  const sections = Array.from({ length: count }, (_, at) => ({
    position: at + 1,
    headings: [],
    content: `flint ${'and other words of a section that say nothing '.repeat(20)} ${at} quince-deny`,
    tokens: 1,
    flagged: false,
  }))
  await db.transaction().execute(async (tx) => {
    await addChunks(tx, holder, await placeFor(tx, knowledgeFixture.collection, labels), sections)
  })
  await mergeIndex(db)
}

/** Requests `/healthz` while `work` runs. Durations are in milliseconds. */
async function waitsDuring(work: () => Promise<unknown>): Promise<{ longest: number; total: number; requests: number }> {
  const start = performance.now()
  let isDone = false
  let longest = 0
  let requests = 0
  const worked = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const sent = performance.now()
    const response = await fetch(`${governed.server.base}/healthz`)
    await response.text()
    expect(response.status).toBe(200)
    longest = Math.max(longest, performance.now() - sent)
    requests += 1
  }
  await worked
  return { longest, total: performance.now() - start, requests }
}

/** CPU time that the whole process spends on `work`, server and database included, in milliseconds. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The least of several: work that other files left behind counts too. */
async function leastCpuMs(work: () => Promise<unknown>): Promise<number> {
  const measured: number[] = []
  for (let round = 0; round < 4; round++) measured.push(await cpuMs(work))
  return Math.min(...measured)
}

test('search: response has a short page when a rule denies the best 512 sections', async () => {
  await knowledgeFixture.put(`${'Among many other words '.repeat(70)}there is flint.`)
  const found = expectSuccess(await knowledgeFixture.search('flint'))
  expect(found.data).toEqual([])
  expect(found.governance.decision.verdict).toBe('allow')
  // A page that the limit cut short looks like a page without hits.
  const nothing = expectSuccess(await knowledgeFixture.search('zeppelin'))
  expect(Object.keys(found)).toEqual(Object.keys(nothing))
})

test('search: costs at most five times as much among 8,000 denied sections as among 800', async () => {
  const small = await createKnowledgeFixture(governed)
  await addSections(small, 800)
  await small.search('flint')
  const [few, many] = [await leastCpuMs(() => small.search('flint')), await leastCpuMs(() => knowledgeFixture.search('flint'))]
  // Without a limit it would be ten times as much.
  expect(many).toBeLessThan(5 * few)
}, 120_000)

test('search: /healthz responds when ten clients search a collection with 8,000 denied sections', async () => {
  const { longest, total, requests } = await waitsDuring(() =>
    Promise.all(Array.from({ length: CALLERS }, async () => expectSuccess(await knowledgeFixture.search('flint')))),
  )
  // Ten searches in slices of 5 ms delay each response a little. Without slices some responses would wait for all searches.
  expect(longest).toBeLessThan(Math.max(500, 0.75 * total))
  expect(requests).toBeGreaterThan(5)
}, 120_000)

test('recall: evaluates at most 512 memories when 1,200 are denied', async () => {
  const memoryFixture = await createMemoryFixture(governed)
  for (let first = 0; first < 1_200; first += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => memoryFixture.store(`basalt basalt ${first + at} medlar-deny`)))
  }
  await memoryFixture.store('among many other words of this memory there is basalt')
  // 1,200 better ones are denied, and only 512 are evaluated.
  expect(await memoryFixture.texts('basalt')).toEqual([])
}, 240_000)
