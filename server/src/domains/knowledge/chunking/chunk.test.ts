import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { blocksOf } from './blocks.ts'
import { chunkMarkdown as chunk } from './chunk.ts'
import { countTokens } from './tokens.ts'

const sentences = (count: number) =>
  Array.from({ length: count }, (_, index) => `Sentence number ${index} says a thing.`).join(' ')

describe('chunkMarkdown', () => {
  test('puts sections into separate chunks with their heading paths', () => {
    const chunks = chunk(`# Guide\n\n## Leave\n\n${sentences(20)}\n\n## Pay\n\n${sentences(20)}`, { maxTokens: 300 })
    expect(chunks.map(({ position, headings }) => ({ position, headings }))).toEqual([
      { position: 0, headings: ['Guide', 'Leave'] },
      { position: 1, headings: ['Guide', 'Pay'] },
    ])
    expect(chunks[1]?.content.startsWith('## Pay\n\nSentence number 0')).toBe(true)
  })

  test('joins small sections under their common heading path', () => {
    const text = '# Guide\n\n## Leave\n\nTwo days.\n\n## Pay\n\nMonthly.'
    expect(chunk(text)).toMatchObject([{ headings: ['Guide'], content: text }])
  })

  test('never ends a chunk with a heading', () => {
    for (let length = 1; length < 30; length += 1) {
      for (const { content } of chunk(`# A\n\n${sentences(length)}\n\n### B\n\n${sentences(12)}`, { maxTokens: 120 })) {
        expect(content).not.toMatch(/### B$/)
      }
    }
  })

  test('recognises underlined headings and ignores hashes in code', () => {
    expect(chunk('Head\n====\n\n```\n# no\n```')[0]?.headings).toEqual(['Head'])
  })

  test('keeps code, lists and tables whole when they fit', () => {
    const code = `\`\`\`ts\n${'const a = 1\n\n'.repeat(10)}\`\`\``
    const list = Array.from({ length: 10 }, (_, index) => `- item ${index}\n\n  more of it`).join('\n')
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(10)}`.trim()
    const chunks = chunk([sentences(8), code, sentences(8), list, sentences(8), table].join('\n\n'), { maxTokens: 150 })
    for (const block of [code, list, table]) expect(chunks.filter(({ content }) => content.includes(block))).toHaveLength(1)
  })

  test('splits a large table between rows and repeats its header', () => {
    const rows = Array.from({ length: 100 }, (_, index) => `| row ${index} | value ${index} |`)
    const header = '| name | value |\n|---|---|\n'
    const chunks = chunk(`Intro.\n\n${header}${rows.join('\n')}`, { maxTokens: 100 })
    expect(chunks.length).toBeGreaterThan(5)
    for (const { content } of chunks) expect(content).toContain(header)
    expect(chunks.flatMap(({ content }) => content.split('\n').filter((line) => line.startsWith('| row')))).toEqual(rows)
  })

  test('splits a large paragraph between sentences with overlap', () => {
    const chunks = chunk(sentences(60), { maxTokens: 100, overlapTokens: 20 })
    for (const { content } of chunks) expect(content).toMatch(/^Sentence number .* thing\.$/s)
    const overlaps = chunks
      .slice(1)
      .map(({ content }, index) => chunks[index]?.content.includes(content.slice(0, content.indexOf('.') + 1)))
    expect(overlaps).not.toContain(false)
  })

  test('produces adjacent chunks when the overlap is zero', () => {
    const text = sentences(60)
    const contents = chunk(text, { maxTokens: 100, overlapTokens: 0 }).map(({ content }) => content)
    expect(contents.join(' ')).toBe(text)
  })

  test('splits text without sentences and overlong words', () => {
    for (const text of ['word '.repeat(2_000), 'x'.repeat(20_000), '漢字'.repeat(3_000), '👍🏽'.repeat(1_000)]) {
      const contents = chunk(text, { maxTokens: 64, overlapTokens: 0 }).map(({ content }) => content)
      for (const content of contents) {
        expect(countTokens(content)).toBeLessThanOrEqual(64)
        expect(content.isWellFormed()).toBe(true)
      }
      expect(contents.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }
  })

  test('returns no chunk for blank lines and one for headings only', () => {
    expect(chunk(' \n\n\t\n')).toEqual([])
    expect(chunk('# A\n\n## B')).toMatchObject([{ position: 0, content: '# A\n\n## B' }])
  })

  test('counts control tokens as text', () => {
    expect(chunk('before <|endoftext|> after')[0]?.content).toBe('before <|endoftext|> after')
  })
})

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.constantFrom('Größe', '漢字', '👍🏽', 'a|b', '#', '-', '1.', '```', '|', '---', 'e.g.', '<|endoftext|>', '\\', '~~~', '=='),
)
const line = fc.array(word, { minLength: 0, maxLength: 25 }).map((words) => words.join(' '))
const block = fc.oneof(
  line,
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  fc.array(line, { maxLength: 12 }).map((lines) => lines.map((text) => `- ${text}`).join('\n')),
  fc
    .array(line, { maxLength: 12 })
    .map((lines) => ['| a | b |', '|---|---|', ...lines.map((text) => `| ${text} | x |`)].join('\n')),
  fc.array(line, { maxLength: 12 }).map((lines) => ['```', ...lines, '```'].join('\n')),
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join('. ')),
)
const document = fc.array(fc.tuple(block, fc.constantFrom('\n', '\n\n', '\n\n\n  \n', '\r\n\r\n', ' ')), { maxLength: 25 })

test('chunkMarkdown: keeps every word in order within the limit, deterministically, for any document', () => {
  fc.assert(
    fc.property(
      document,
      fc.integer({ min: 32, max: 200 }),
      fc.integer({ min: 0, max: 60 }),
      (blocks, maxTokens, overlapTokens) => {
        const markdown = blocks.flat().join('')
        const chunks = chunk(markdown, { maxTokens, overlapTokens })
        expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, index) => index))
        const words = markdown.split(/\s+/).filter((each) => each !== '')
        let next = 0
        for (const { content, tokens } of chunks) {
          expect(content.trim()).not.toBe('')
          expect(countTokens(content)).toBeLessThanOrEqual(maxTokens)
          expect(tokens).toBeLessThanOrEqual(maxTokens)
          // Overlap and headers come first, so the new words are at the end of the chunk.
          const own = content.split(/\s+/).filter((each) => each !== '')
          let fresh = Math.min(own.length, words.length - next)
          while (fresh > 0 && own.slice(-fresh).some((each, index) => each !== words[next + index])) fresh -= 1
          next += fresh
        }
        expect(next).toBe(words.length)
        expect(chunk(markdown, { maxTokens, overlapTokens })).toEqual(chunks)
      },
    ),
    { numRuns: 200 },
  )
})

test('blocksOf: blocks cover the text without gaps for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        document.map((blocks) => blocks.flat().join('')),
      ),
      (markdown) => {
        const texts = blocksOf(markdown).map(({ start, end }) => markdown.slice(start, end))
        expect(texts.join('')).toBe(markdown)
      },
    ),
  )
})

test.each(['a', ' ', '\n', '# ', '- x\n', '|a|b|\n', '|-', '漢', 'word ', '```\n', '1. \n\n', '-|\n-|-\n'])(
  'what is made of %j takes time as its length',
  (unit) => {
    const cost = (length: number) => {
      const text = unit.repeat(length / unit.length)
      return cpuMs(() => void chunk(text))
    }
    cost(1 << 12)
    const small = cost(1 << 14)
    // Sixteen times the text: linear is 16, quadratic 256.
    expect(cost(1 << 18)).toBeLessThan(60 * small + 200)
  },
)
