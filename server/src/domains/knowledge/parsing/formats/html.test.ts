import { describe, expect, test } from 'vitest'
import { HIDDEN, type HtmlCase, PARTS, TABLES, TEXT } from '../../../../../test/support/documents/html-zoo.ts'
import { read } from '../../../../../test/support/documents/read.ts'

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
