import { describe, expect, test } from 'vitest'
import { fillMessageWords } from '../../src/domains/messaging/messages/message-words.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann: sender, ben } = await createMembers(server, ['ann', 'ben'])
const ann = sender
const chat = await ann.create('/conversations', { contact_id: ben.id })

const say = async (message: string): Promise<string> => (await ann.create('/messages', { conversation_id: chat.id, message })).id
const search = async (q: string): Promise<string[]> =>
  (await ann.get(`/messages/search?q=${encodeURIComponent(q)}&conversation_id=${chat.id}`)).data.map(({ id }: Json) => id)

describe('message search', () => {
  test.each([
    ['Alpha/Beta', ['Beta', 'alpha', 'Alpha/Beta', '"alpha beta"']],
    ['Ticket INC-4711 is open', ['4711', 'inc', 'INC-4711', '"ticket INC-4711"']],
    ['Ticket REQ0815 is open', ['0815', 'req', 'REQ0815']],
    ['see report.final.pdf', ['report', 'final', 'pdf', 'report.final.pdf']],
    ['see C:\\temp\\budget_2031.xlsx', ['temp', 'budget', '2031', 'budget_2031.xlsx']],
    ['https://intra.example.org/handbook/leave?page=7#sick', ['handbook', 'example', 'sick', 'intra.example.org']],
    ['mail vera.holt+news@example.net', ['vera', 'holt', 'news', 'vera.holt+news@example.net']],
    ['call parseHttpRequest() or snake_case_name', ['http', 'parseHttpRequest', 'snake', 'snake_case_name']],
    ['我家在上海东边', ['上海', '东', '上海东边']],
    ['使用Docker部署服务，监听端口为8443', ['Docker', '8443', '部署服务', 'docker 端口']],
    ['サーバーのDNS設定をする', ['サーバー', 'dns', '設定', 'サ']],
    ['신청서를 인사팀에 제출합니다', ['신청서', '인사팀', '제출']],
    ['ประชุมวันจันทร์', ['วันจันทร์']],
    ['the Cafe\u0301 in Quito', ['Café', 'cafe\u0301']],
    ['Rinder\u00adbraten\u200bsoße', ['Rinderbratensoße']],
    ['请到上海分\n公司', ['分公司']],
    ['Η ΣΎΜΒΑΣΗ ΣΤΗΝ ΑΘΗΝΑ', ['σύμβαση', 'Αθήνα']],
    ['تنتهي العُقُود في مارس', ['العقود']],
    ['Die Kündigungsfrist beträgt drei Monate', ['Frist', 'kündigung', '"die frist beträgt"', 'Kündigungsfrist']],
    ['Die Abrechnung der Reisekosten ist fällig', ['Reisekostenabrechnung', 'Freitag or Reisekostenabrechnung']],
    ['Die Reisekostenabrechnung ist fertig', ['Abrechnung der Reisekosten', 'Reisekosten', 'Reisekosten fertig']],
    ['De overeenkomst over de huur is getekend', ['huurovereenkomst', 'de huurovereenkomst']],
    ['Din ersättning för semester gäller', ['semesterersättning']],
    ['Hauptstraße 5', ['HAUPTSTRASSE', 'hauptstrasse']],
    ['The x\u0303y value', ['x\u0303y']],
    ['written in C++', ['C++', '"in C++"']],
    ["Don't forget Anne's list", ['anne', "anne's", "don't forget"]],
  ])('search: %j is found by its parts [MSG-MSG-11]', async (text, queries) => {
    const id = await say(text)
    for (const query of queries) expect(await search(query), query).toContain(id)
  })

  test.each([
    ['INC-4711-A', 'INC-4712'],
    ['the other 4711 of INC', 'INC-4711'],
    ['海上有船', '上海'],
    ['the café of Rosa', 'cafeteria'],
    ['Die Bestellnummer der Firma', 'nummernschild'],
    ['phrase one two', '"one phrase"'],
    ['Die Kosten der Bahn', 'Reisekosten'],
    ['Die Kosten der letzten Reise', '"Reisekosten"'],
    ['Die Kosten der zweiten Reise', 'Kosten -Reise'],
    ['They hold a house', 'the household'],
  ])('search: %j is not found with %j', async (text, query) => {
    const id = await say(text)
    expect(await search(query)).not.toContain(id)
  })

  test.each(['-'.repeat(33), '|---|:---:|---|', '!'.repeat(1_000), '"""', "' & | <-> !! :*", '%', '\\', '_%', '\u200b', '🦊'])(
    'search: page is empty when the query is %j, which has no words',
    async (q) => expect(await search(q)).toEqual([]),
  )

  test('search: a word is excluded when a hyphen precedes it, and a flag of a command is a word', async () => {
    const [term, other] = [word(), word()]
    const [one, two] = [await say(`${term} --${other}`), await say(`${term} again`)]
    expect(await search(`${term} -${other}`)).toEqual([two])
    expect(await search(`${term} --${other}`)).toEqual([one])
    expect(await search(`${term} -"${term} again"`)).toEqual([one])
  })

  test('search: an edited message is found by its new words only', async () => {
    const [before, after] = [word(), word()]
    const id = await say(`${before}/x`)
    await ann.put(`/messages/${id}`, { message: `${after}/x` })
    expect([await search(before), await search(after)]).toEqual([[], [id]])
    await ann.remove(`/messages/${id}`)
    expect(await search(after)).toEqual([])
  })
})

describe('words of older messages', () => {
  const fillAll = async () => {
    while ((await fillMessageWords(server.context.database.db, 50)) > 0);
  }

  test('fillMessageWords: a message of an older tokenizer is found by its words afterwards', async () => {
    const term = word()
    const id = await say(`${term} Alpha/${term}x`)
    await server.context.database.pool.query("update message set words = '', tokenizer = 1 where id = $1", [fromId('msg', id)])
    expect([await search(term), await search(`${term}x`)]).toEqual([[], []])
    await fillAll()
    expect([await search(term), await search(`${term}x`)]).toEqual([[id], [id]])
    expect(await fillMessageWords(server.context.database.db, 50)).toBe(0)
  })
})
