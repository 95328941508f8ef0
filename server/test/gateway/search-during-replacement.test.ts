import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())

describe('a search while its document is replaced', () => {
  test('knowledge: each search finds the old or the new version [GW-KNOW-12]', { timeout: 120_000 }, async () => {
    const fixture = await createKnowledgeFixture(governed)
    const term = word()
    const put = (version: number) => fixture.put(`The ${term} of version ${version}.`, { key: 'page' })
    await put(0)
    let isDone = false
    const searchers = Array.from({ length: 4 }, async () => {
      const counts: number[] = []
      while (!isDone) counts.push((await fixture.hits(term)).length)
      return counts
    })
    for (let version = 1; version <= 60; version++) await put(version)
    isDone = true
    const counts = (await Promise.all(searchers)).flat()
    expect(counts.length).toBeGreaterThan(3)
    expect(counts.filter((count) => count !== 1)).toEqual([])
  })

  test('memory: each search finds the old or the new value [GW-KNOW-12]', { timeout: 120_000 }, async () => {
    const memory = await createMemoryFixture(governed)
    const term = word()
    const store = (version: number) => memory.store(`The price of ${term} is ${version}`)
    await store(0)
    let isDone = false
    const searchers = Array.from({ length: 4 }, async () => {
      const counts: number[] = []
      while (!isDone) counts.push((await memory.texts(term)).length)
      return counts
    })
    for (let version = 1; version <= 60; version++) await store(version)
    isDone = true
    const counts = (await Promise.all(searchers)).flat()
    expect(counts.filter((count) => count !== 1)).toEqual([])
  })
})
