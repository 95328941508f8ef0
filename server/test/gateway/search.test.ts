import { describe, expect, test } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())
const memory = await createMemoryFixture(governed)

const TEXTS: readonly (readonly [text: string, queries: readonly string[]])[] = [
  ['使用Docker部署服务，监听端口为8443', ['Docker', '8443', '端口']],
  ['サーバーのDNS設定はＴＴＬ３６００で行う', ['DNS', 'TTL', '3600', '設定']],
  ['연차휴가는 15일이며 신청서를 인사팀에 제출합니다', ['신청서', '인사팀', '연차휴가', '15']],
  ['이 책을 Kubernetes에서 읽습니다', ['책', 'Kubernetes']],
  ['Der Vertrags\u00adabschluss\u200bbericht liegt vor', ['Vertragsabschlussbericht']],
  ['The Cafe\u0301 Re\u0301sume\u0301', ['Café', 'résumé']],
  ['Ticket REQ0815 and INV-2024-0017', ['0815', '0017', 'INV-2024-0017']],
  ['请在上海分\n公司办理', ['分公司']],
  ['ประชุมทีม HR วันจันทร์ที่ 15', ['HR', '15', 'วันจันทร์']],
  ['ပုဂံမြို့ Yangon လမ်း', ['Yangon', 'မြို့']],
  ['Η ΣΎΜΒΑΣΗ ΣΤΗΝ ΑΘΗΝΑ', ['σύμβαση', 'Αθήνα']],
  ['تنتهي العُقُود في مارس', ['العقود']],
  ['HAUPTSTRASSE 5', ['Hauptstraße']],
  ['The x\u0303y value of n\u0303u', ['x\u0303y', 'ñu']],
  ['Written in C++ and C#', ['C++', 'C#']],
  ['see docs/leave/parental.policy.md', ['parental', 'leave', 'docs/leave/parental.policy.md']],
]

describe('search in any script', () => {
  test.each(['en', 'none', 'ko'] as const)(
    'knowledge: words and numbers are found in a collection in %s',
    { timeout: 300_000 },
    async (language) => {
      for (const [text, queries] of TEXTS) {
        const fixture = await createKnowledgeFixture(governed, { collection: { language } })
        await fixture.put(text)
        for (const query of queries) expect(await fixture.hits(query), query).toHaveLength(1)
        expect(await fixture.hits(word())).toEqual([])
      }
    },
  )

  test.each(TEXTS)('memory: words and numbers of %j are found', async (text, queries) => {
    await memory.store(text)
    for (const query of queries) expect(await memory.texts(query), query).toContain(text)
  })

  test.each([
    ['Kündigungsfrist beträgt drei Monate', ['Frist', 'Kündigung', 'Kündigungsfrist']],
    ['De opzegtermijn is drie maanden', ['termijn']],
    ['Uppsägningstiden är tre månader', ['tiden']],
  ] as const)('memory: the parts of compounds in %j are found', async (text, queries) => {
    await memory.store(text)
    for (const query of queries) expect(await memory.texts(query), query).toContain(text)
  })

  test.each([
    ['Die Abrechnung der Reisekosten ist fällig', ['Reisekostenabrechnung', 'Wo ist die Reisekostenabrechnung?']],
    ['Die Reisekostenabrechnung ist fertig', ['Abrechnung der Reisekosten', 'Reisekosten']],
    ['De overeenkomst over de huur is getekend', ['huurovereenkomst']],
    ['Din ersättning för semester gäller', ['semesterersättning']],
  ] as const)('memory: %j is found by other forms of its compounds', async (text, queries) => {
    await memory.store(text)
    for (const query of queries) expect(await memory.texts(query), query).toContain(text)
  })

  test('memory: a memory with only the parts of a compound comes after one with any word of the query, and one without all parts is not found', async () => {
    const fixture = await createMemoryFixture(governed)
    const exact = 'Dienstreiseantrag: file 7'
    await fixture.store(exact, { kind: 'summary' })
    const parts = 'Der Antrag, der Antrag auf eine Dienstreise: Antrag, Dienst, Reise'
    await fixture.store(parts, { kind: 'preference' })
    await fixture.store('Der Antrag ist gestellt')
    expect(await fixture.texts('Dienstreiseantrag')).toEqual([exact, parts])
  })

  test.each([
    ['de', 'Der Krankenversicherungsbeitrag steigt', ['Beitrag', 'Versicherung', 'Krankenversicherung', 'Beiträge']],
    ['de', 'Der Beitrag zur Krankenversicherung steigt', ['Krankenversicherungsbeitrag', 'Krankenversicherungsbeiträge']],
    ['nl', 'De zorgverzekering wordt duurder', ['verzekering', 'zorg', 'verzekeringen']],
    ['sv', 'Din sjukförsäkring gäller', ['försäkring', 'försäkringar']],
  ] as const)('knowledge in %s: the parts of compounds in %j are found', async (language, text, queries) => {
    const fixture = await createKnowledgeFixture(governed, { collection: { language } })
    await fixture.put(text)
    for (const query of queries) expect(await fixture.hits(query), query).toHaveLength(1)
    for (const query of ['Trag', 'Sicher', 'zeker']) expect(await fixture.hits(query), query).toEqual([])
  })

  test.each(['ja', 'ko', 'th', 'zh'])('collections: %s is a language', async (language) => {
    const admin = adminClient({ base: governed.server.base, demo: governed.demo })
    const created = await admin.create('/collections', { name: word(), language })
    expect(created.language).toBe(language)
  })
})

describe('a search while its document is replaced', () => {
  /** The numbers of hits of four searchers, while 60 versions replace each other. */
  async function countDuring(put: (version: number) => Promise<unknown>, search: () => Promise<readonly unknown[]>) {
    await put(0)
    let isDone = false
    const searchers = Array.from({ length: 4 }, async () => {
      const counts: number[] = []
      while (!isDone) counts.push((await search()).length)
      return counts
    })
    for (let version = 1; version <= 60; version++) await put(version)
    isDone = true
    return (await Promise.all(searchers)).flat()
  }

  test('knowledge: each search finds the old or the new version [GW-KNOW-12]', { timeout: 120_000 }, async () => {
    const fixture = await createKnowledgeFixture(governed)
    const term = word()
    const put = (version: number) => fixture.put(`The ${term} of version ${version}.`, { key: 'page' })
    const counts = await countDuring(put, () => fixture.hits(term))
    expect(counts.length).toBeGreaterThan(3)
    expect(new Set(counts)).toEqual(new Set([1]))
  })

  test('memory: each search finds the old or the new value [GW-KNOW-12]', { timeout: 120_000 }, async () => {
    const { store, texts } = await createMemoryFixture(governed)
    const term = word()
    const counts = await countDuring(
      (version) => store(`The price of ${term} is ${version}`),
      () => texts(term),
    )
    expect(new Set(counts)).toEqual(new Set([1]))
  })
})
