import { describe, expect, test } from 'vitest'
import { epubFile } from '../../../../../test/support/documents/office.ts'
import { parseFile } from '../parse-file.ts'

describe('readEpub', () => {
  test('reads the chapters in the order of the book, with the book’s title', async () => {
    const file = epubFile(['<h1>Second</h1><p>b</p>', '<h1>First</h1><p>a</p>', '<p>not in the book</p>'], [1, 0])
    const result = await parseFile(file, { name: 'a.epub' })
    expect(result).toMatchObject({ title: 'The Handbook', mediaType: 'application/epub+zip', warnings: [] })
    expect(result.markdown).toBe('# First\n\na\n\n# Second\n\nb')
  })

  test('counts hidden text and names missing chapters', async () => {
    const { markdown, warnings } = await parseFile(epubFile(['<p>a</p><p hidden="hidden">secret</p>'], [0, 5]), {
      name: 'a.epub',
    })
    expect(markdown).toBe('a')
    expect(warnings.map(({ kind }) => kind)).toEqual(['hidden_text', 'ignored_part'])
  })

  test('reads books whose fonts are encrypted, and refuses those whose chapters are', async () => {
    const locked = (name: string) => ({ 'META-INF/encryption.xml': `<e><CipherReference URI="OEBPS/${name}"/></e>` })
    expect((await parseFile(epubFile(['<p>a</p>'], [0], locked('font.otf')), { name: 'a.epub' })).markdown).toBe('a')
    const file = epubFile(['<p>a</p>'], [0], locked('text/c0.xhtml'))
    await expect(parseFile(file, { name: 'a.epub' })).rejects.toMatchObject({ code: 'encrypted' })
  })

  test('refuses a book without its list of chapters', async () => {
    const file = epubFile(['<p>a</p>'], [0], { 'META-INF/container.xml': '<container/>', 'OEBPS/book.opf': '<x' })
    await expect(parseFile(file, { name: 'a.epub' })).rejects.toMatchObject({ code: 'broken' })
  })
})
