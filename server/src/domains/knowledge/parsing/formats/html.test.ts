import { describe, expect, test } from 'vitest'
import { HIDDEN, type HtmlCase, PARTS, TABLES, TEXT } from '../../../../../test/support/documents/html-zoo.ts'
import { read } from '../../../../../test/support/documents/read.ts'
import { childElements, parseHtml } from './html/dom.ts'
import { prepareForTurndown } from './html/turndown-input.ts'

describe.each<[string, readonly HtmlCase[]]>([
  ['hides', HIDDEN],
  ['shows as a browser does', TEXT],
  ['reads parts of pages', PARTS],
  ['keeps the columns of', TABLES],
])('readHtml: %s', (_, cases) => {
  for (const [name, html, markdown, warnings = []] of cases) {
    test(name, async () => {
      expect(await read(html, 'a.html')).toMatchObject({ markdown, warnings })
    })
  }
})

test('readHtml: hostile spans add a bounded number of cells', async () => {
  const cells = '<td rowspan=60000 colspan=1000>x'.repeat(60)
  const { markdown } = await read(`<table>${`<tr>${cells}`.repeat(60)}</table>`, 'a.html')
  expect(markdown.length).toBeLessThan(2_000_000)
})

test('prepareForTurndown: turndown neither copies the page nor collects the text of its containers @MECHANISM', () => {
  const { body } = parseHtml('<div><section><p>Text</p></section></div><div> <b></b></div>')
  if (!body) throw new Error('no body')
  const [first, second] = childElements(body)
  prepareForTurndown(body)
  expect([body, first, second].map((element) => element?.textContent)).toEqual(['x', 'x', ''])
  expect(body.cloneNode(true)).toBe(body)
})

test('readHtml: a deep page is read as a flat one', async () => {
  const inside = (levels: number) => `${'<div>'.repeat(levels)}${'<p>word</p>'.repeat(50)}<p> </p>${'</div>'.repeat(levels)}`
  expect(await read(inside(300), 'a.html')).toMatchObject({ markdown: (await read(inside(1), 'a.html')).markdown })
})
